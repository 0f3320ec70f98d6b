import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { isMovementStatus } from '../../../domain/movement';
import type { Movement } from '../../../domain/movement';
import { isJsonObject, scalarText } from '../../http/json';

/** Longest text that is accepted from an answer. The bank's ids have 22 characters or fewer. */
const TEXT_MAX = 200;
/** A CBU or CVU, which as a JSON number may have lost its leading zeros. */
const ACCOUNT_DIGITS = 22;

/** The text of a string or a number. Null, absent and blank mean "no value"; anything else is refused. */
const text = z
  .unknown()
  .optional()
  .transform((value, context): string | null => {
    if (value === undefined || value === null) return null;
    const found = scalarText(value);
    if (found === null || found.length > TEXT_MAX) {
      context.addIssue({ code: 'custom', message: 'must be a string or a number' });
      return z.NEVER;
    }
    return found.trim() === '' ? null : found;
  });

/** A field that decides nothing. A wrong type counts as absent, so that a readable status is not discarded. */
const indifferentText = text.catch(null);

const accountText = z
  .unknown()
  .optional()
  .transform((value) =>
    isLosslessNumber(value) && /^[0-9]+$/.test(value.value)
      ? value.value.padStart(ACCOUNT_DIGITS, '0')
      : value,
  )
  .pipe(text);

/** An object or nothing. Unknown fields are dropped, and with them the names of persons. */
const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.custom(isJsonObject).pipe(z.object(shape));
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

const accountRouting = optional(object({ address: accountText }));
const owner = optional(object({ personId: text }));

const movement = object({
  id: text,
  status: z
    .string()
    .max(TEXT_MAX)
    .refine((word) => word.trim() !== ''),
  counterparty: optional(object({ personId: text, accountRouting })),
  thisSubAccount: optional(
    object({
      // Holders: banks send one holder as an object, or several as a list.
      owners: z.union([z.array(owner), owner.transform((one) => [one])]),
      accountRouting,
    }),
  ),
  details: optional(
    object({
      originId: text,
      type: indifferentText,
      amount: text,
      amountCurrency: text,
      network: indifferentText,
      networkId: indifferentText,
      postingDatetime: indifferentText,
      completedDatetime: indifferentText,
    }),
  ),
});

/**
 * Reads a Movement from parsed JSON; null: not a Movement. Tolerant of unknown fields, missing parts, and ids and
 * amounts as strings or numbers. Strict on fields that decide. The answer is not a Movement if the status is not text,
 * or if a field of the echo or the movement id has a wrong type. Nor is the answer a Movement if it has neither a
 * movement id nor details, and its status is not in the bank's reference.
 */
export function readMovement(json: unknown): Movement | null {
  const parsed = movement.safeParse(json);
  if (!parsed.success) return null;
  const { id, status, counterparty, thisSubAccount, details } = parsed.data;
  // An error envelope may have a `status` too, but not a status of the reference, and no id or details.
  if (id === null && details === null && !isMovementStatus(status)) return null;
  return {
    id,
    status,
    hasDetails: details !== null,
    type: details?.type ?? null,
    originId: details?.originId ?? null,
    amount: details?.amount ?? null,
    currency: details?.amountCurrency ?? null,
    network: details?.network ?? null,
    networkId: details?.networkId ?? null,
    postingAt: details?.postingDatetime ?? null,
    completedAt: details?.completedDatetime ?? null,
    destination: {
      address: counterparty?.accountRouting?.address ?? null,
      personIds: present([counterparty?.personId]),
    },
    source: {
      address: thisSubAccount?.accountRouting?.address ?? null,
      personIds: present((thisSubAccount?.owners ?? []).map((one) => one?.personId)),
    },
  };
}

const present = (texts: readonly (string | null | undefined)[]): string[] =>
  texts.filter((value) => value !== null && value !== undefined);
