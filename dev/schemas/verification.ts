import { z } from 'zod';
import { VERIFICATION_REASONS } from '../../src/domain/verification/flags';
import type { VerificationResult } from '../../src/domain/verification/state';
import type { VerificationView } from '../../src/domain/verification/view';
import type { VerificationHint } from '../../src/workflows/messages';
import { count, time } from './parts';
import { sameAs } from './same-as';
import { requestError } from './transfer';

const requestId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9][!#-&(-;=?-[\]-_a-~]*$/)
  .describe('the bank’s identifier of the verification request');
const outcome = z.enum(['approved', 'rejected']);
const word = z.string().describe('the bank’s status');

/** The argument of workflow `identityVerification`. */
export const verificationRequest = z
  .strictObject({ requestId })
  .describe('argument of workflow `identityVerification`; the workflow id is kyc-<requestId>');

export const verificationResult = sameAs<VerificationResult>()(
  z.strictObject({
    requestId,
    outcome,
    status: word,
    statusDate: time.nullable().describe('null: the answer had no readable date'),
  }),
).describe('result of workflow `identityVerification`');

export const verificationState = sameAs<VerificationView>()(
  z.strictObject({
    requestId,
    status: word.nullable(),
    statusDate: time.nullable(),
    outcome: outcome.nullable(),
    needsAttention: z.boolean(),
    attentionReasons: z.array(z.enum(VERIFICATION_REASONS)),
    polls: count,
    lastPolledAt: time.nullable(),
    nextPollAt: time.nullable(),
    history: z.array(z.strictObject({ status: word, at: time })),
    lastError: requestError.nullable(),
  }),
).describe('answer of query `state` of workflow `identityVerification`');

export const verificationHint = sameAs<VerificationHint>()(
  z.strictObject({ source: z.string(), eventId: z.string() }),
).describe('argument of signal `verificationHint`');
