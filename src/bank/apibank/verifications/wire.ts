import { z } from 'zod';
import type { BankTime, IdentityVerification } from '../../../domain/verification/identity-verification';
import type { VerificationDialect } from '../../dialect';
import { parseBankTime, lenientText } from './lenient-fields';
import { isJsonObject, scalarText } from '../../http/json';
import { requestedPerson, requesterPerson } from './persons';

/** Longest status and requestId that are read. */
const TEXT_MAX = 200;

const time = lenientText.transform((raw): BankTime | null =>
  raw === null ? null : { raw, at: parseBankTime(raw) },
);

/**
 * The requestId decides which verification the answer is about, so a wrong type makes the answer unreadable. A number
 * counts by its digits.
 */
const requestId = z
  .unknown()
  .optional()
  .transform((value, context): string | null => {
    if (value === undefined || value === null) return null;
    const text = scalarText(value);
    if (text !== null && text.length <= TEXT_MAX) return text;
    context.addIssue({ code: 'custom', message: 'must be a string or a number' });
    return z.NEVER;
  });

const verification = z.custom(isJsonObject).pipe(
  z.object({
    requestId,
    requestedDate: time,
    status: z
      .string()
      .max(TEXT_MAX)
      .refine((word) => word.trim() !== ''),
    statusDate: time,
    requesterPerson,
    requestedPerson,
    account: z
      .unknown()
      .optional()
      .transform((value) => value ?? null),
    url: lenientText,
  }),
);

/**
 * Reads the answer of a verification query from parsed JSON; null: not such an answer. Strict on status and requestId,
 * which decide; every other field may be absent, null, unknown or of another type.
 */
function readVerification(json: unknown): IdentityVerification | null {
  const parsed = verification.safeParse(json);
  return parsed.success ? parsed.data : null;
}

export const verifications: VerificationDialect = {
  query: (requestId, method) => ({
    method,
    path: '/external/kyc-kyb/api-get-identity-verification-request',
    query: `requestId=${encodeURIComponent(requestId)}`,
    body: null,
  }),
  readVerification,
};
