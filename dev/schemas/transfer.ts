import { z } from 'zod';
import { ECHO_FIELDS } from '../../src/domain/echo';
import { REQUEST_ERROR_CODES } from '../../src/domain/transfer/answers';
import type { RequestError } from '../../src/domain/transfer/answers';
import { DECISION_ACTIONS } from '../../src/domain/transfer/decisions/decision';
import type { DecisionAnswer, DecisionRequest } from '../../src/domain/transfer/decisions/decision';
import { OPERATOR_NAME } from '../../src/domain/operator';
import { SIGNATURE_MAX_LENGTH } from '../../src/domain/transfer/decisions/decision-line';
import { REASON_MAX_LENGTH } from '../../src/domain/transfer/decisions/decision-request';
import { ATTENTION_REASONS } from '../../src/domain/transfer/flags';
import { TRANSFER_RESULT_STATUSES } from '../../src/domain/transfer/result';
import type { TransferResult } from '../../src/domain/transfer/result';
import { TRANSFER_PHASES } from '../../src/domain/transfer/view';
import type { TransferView } from '../../src/domain/transfer/view';
import type { MovementHint } from '../../src/workflows/messages';
import { count, decimal, originId, sha256, statusWord, time } from './parts';
import { sameAs } from './same-as';

export const transferResult = sameAs<TransferResult>()(
  z.strictObject({
    originId,
    status: z.enum(TRANSFER_RESULT_STATUSES),
    movementId: z.string().nullable(),
    network: z.string().nullable(),
    networkId: z.string().nullable(),
    amount: z.strictObject({ currency: z.string(), value: decimal }),
    annulmentId: z.string().nullable().describe('id of the annulment of a FAILED transfer; otherwise null'),
    decidedBy: z.enum(['bank', 'operators']).nullable(),
    reason: z.string().nullable(),
    orderSha256: sha256.describe('fingerprint of the order: SHA-256 of its normal form, hex'),
  }),
).describe('result of workflow `transfer`');

export const requestError = sameAs<RequestError>()(
  z.strictObject({
    code: z.enum(REQUEST_ERROR_CODES),
    httpStatus: z.int().nullable(),
    retryAfterMs: z.number().min(0).nullable(),
  }),
).describe('why the last request got no readable answer; null: it got one');

const twoOperators = DECISION_ACTIONS.filter((action) => action !== 'resume' && action !== 'withdraw');
const notWithdraw = DECISION_ACTIONS.filter((action) => action !== 'withdraw');

export const transferState = sameAs<TransferView>()(
  z.strictObject({
    originId,
    phase: z.enum(TRANSFER_PHASES),
    bankStatus: statusWord.nullable(),
    movementId: z.string().nullable(),
    networkId: z.string().nullable(),
    needsAttention: z.boolean(),
    attentionReasons: z.array(z.enum(ATTENTION_REASONS)),
    polls: count.describe('number of get-movement requests'),
    lastPolledAt: time.nullable(),
    nextPollAt: time
      .nullable()
      .describe(
        'when the next request to the bank is due; null: none is planned, or the first create is due at once',
      ),
    orderSha256: sha256.nullable(),
    cancelRequested: z.boolean(),
    history: z
      .array(z.strictObject({ status: statusWord, at: time }))
      .max(50)
      .describe('the last 50 statuses'),
    proposals: z.array(
      z.strictObject({
        action: z.enum(twoOperators),
        operator: z.string(),
        reason: z.string(),
        at: time,
        bankStatus: statusWord.nullable(),
      }),
    ),
    mayDecide: z.array(
      z.strictObject({
        action: z.enum(notWithdraw),
        operators: z.union([z.literal(1), z.literal(2)]).describe('number of different operators needed'),
        from: time.nullable().describe('not before; null: at once'),
        until: time.nullable().describe('not after; null: no bound'),
        says: z.string(),
      }),
    ),
    journalConflict: z
      .string()
      .nullable()
      .describe('what the journal refuses or contradicts while `JOURNAL_CONFLICT` is open'),
    sends: count.describe('creates that may have reached the bank'),
    sendingStopped: z
      .strictObject({ at: time, operator: z.string(), reason: z.string() })
      .nullable()
      .describe('who stopped sending, while the emergency brake holds the create back'),
    lastError: requestError.nullable(),
    doubtfulAnswer: z
      .strictObject({
        status: statusWord,
        echo: z.enum(['incomplete', 'mismatch']),
        fields: z.array(z.enum(ECHO_FIELDS)),
        at: time,
        ordered: z.strictObject({ amount: decimal, currency: z.string() }),
        reported: z
          .strictObject({ amount: z.string().nullable(), currency: z.string().nullable() })
          .describe('null: not reported, or unreadable'),
      })
      .nullable()
      .describe(
        'the last readable movement, if its echo was not a match: the fields that differ or are absent; ' +
          'amount and currency as ordered and as reported',
      ),
    evidenceNumber: count.describe(
      'first request of the latest unbroken series of equal readable answers; signed decisions name it; 0: none',
    ),
  }),
).describe('answer of query `state` of workflow `transfer`');

export const movementHint = sameAs<MovementHint>()(
  z.strictObject({ source: z.string(), eventId: z.string() }),
).describe('argument of signal `movementHint`: ask the bank as soon as allowed');

export const decisionRequest = sameAs<DecisionRequest>()(
  z.strictObject({
    action: z.enum(DECISION_ACTIONS),
    operator: z.string().regex(OPERATOR_NAME),
    reason: z.string().min(1).max(REASON_MAX_LENGTH),
    originId: originId
      .exactOptional()
      .describe(
        'the intended transfer; every other transfer refuses the decision. Absent: the transfer that receives the update',
      ),
    evidenceNumber: count
      .exactOptional()
      .describe('with DECIDERS_FILE: `evidenceNumber` of query `state` when the decision was signed'),
    expiresAt: time
      .exactOptional()
      .describe('with DECIDERS_FILE: when the signature expires, at most an hour ahead'),
    signature: z
      .string()
      .max(SIGNATURE_MAX_LENGTH)
      .exactOptional()
      .describe(
        'with DECIDERS_FILE: armoured SSH signature for `giro-decision` over the line of the decision',
      ),
  }),
).describe('argument of update `decide` of workflow `transfer`');

export const decisionAnswer = sameAs<DecisionAnswer>()(
  z.strictObject({
    state: z.enum(['proposed', 'accepted', 'resumed', 'withdrawn']),
    by: z.array(z.string()),
  }),
).describe('result of update `decide` of workflow `transfer`');
