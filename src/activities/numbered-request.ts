import { NO_ORDER_LIMITS } from '../domain/order';
import type { TransferOrder } from '../domain/order';
import { orderFingerprint } from '../domain/order-fingerprint';
import { validateOrder } from '../domain/order-validation';
import type { CreateAnswer, LookupAnswer, RequestError } from '../domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../domain/transfer/cadence';
import type { RepeatDenied } from '../domain/transfer/events';
import type { TransferResult } from '../domain/transfer/result';
import type { SendingStop } from '../domain/transfer/records';
import type { TransferSettings } from '../domain/transfer/settings';
import type { TransferState } from '../domain/transfer/state';
import type { ClaimedRequest } from '../journal/statements/claim-request';
import type { RecordedAnswer } from '../journal/statements/recorded-answer';
import type { JournalRefusal } from './journal-refusal';
import type { EndRecorded } from './record-transfer';

/** A request about a movement, under the number that the journal claims for it. */
export interface NumberedRequest {
  readonly originId: number;
  readonly number: number;
  /** The workflow run that asks, for audits. */
  readonly runId: string;
  /** Workflow time, ISO UTC. */
  readonly workflowTime: string;
  /** How long after its due time the step began, by workflow time. */
  readonly lateMs: number;
  /** The request was deferred before, and this is its assigned time. */
  readonly returning: boolean;
}

export interface NumberedLookup extends NumberedRequest {
  /**
   * The run's state when the step began, and when that was: ms since 1970 by the run's clock. Absent: the step records
   * no end.
   */
  readonly before?: { readonly state: TransferState; readonly startedAtMs: number };
  /** Number of the last request, if this run does not know its outcome. Absent: this run knows it. */
  readonly unanswered?: number;
}

export interface NumberedCreate extends NumberedRequest {
  /** The journal that the run noted at receipt: only this journal knows whether an earlier try was sent. */
  readonly journalId: string;
  /** An earlier step for this number was tried more than once, and ended without an answer. */
  readonly isRetry: boolean;
}

/** The request was answered, or has failed. */
export interface RequestAnswered<Answer> {
  readonly kind: 'answer';
  readonly answer: Answer;
  readonly settings: TransferSettings;
  /** A repeated step: the original request may be in flight for this much longer. */
  readonly inFlightMs: number;
  /**
   * An earlier attempt made the request, and has failed or timed out: the gap counts from now, not from the request's
   * time-out.
   */
  readonly isLost?: true;
  /** For a create: how long ago its number was claimed; the step may then have waited long for a worker. */
  readonly claimAgeMs?: number;
  /** For a look-up: its answer ended the transfer, and this is the outcome of recording the end. */
  readonly end?: EndRecorded;
}

/**
 * The outcome of a numbered step, whether it made the request or found that it was made before. The table shows the
 * journal's answer to the claim, and the event that follows from the outcome:
 *
 * | claim                                   | outcome         | event                          |
 * |-----------------------------------------|-----------------|--------------------------------|
 * | claimed                                 | `answer`        | `create-ended`, `lookup-ended` |
 * | repeated, or over 7 s old (`inTime`)    | `answer`        | `create-ended`, `lookup-ended` |
 * | the number belongs to a withdrawal      | `withdrawn`     | `withdrawal-granted`           |
 * | ended, and the result is recorded       | `ended`         | `already-ended`                |
 * | withdrawn, and no result is recorded    | `withdrawn`     | `withdrawal-granted`           |
 * | denied                                  | `repeat-denied` | `repeat-denied`                |
 * | held back                               | `held-back`     | `held-back`                    |
 * | out of order                            | `out-of-order`  | `journal-out-of-order`         |
 * | refused by a guard                      | `refused`       | `journal-refused`              |
 * | no claim: the limiter defers            | `deferred`      | `request-deferred`             |
 * | no claim: a late answer has arrived     | `answered-late` | `create-ended`, `lookup-ended` |
 * | no claim: an earlier try may have left  | `in-doubt`      | `create-in-doubt`              |
 */
export type RequestOutcome<Answer> =
  | RequestAnswered<Answer>
  /** The request must wait: nothing was claimed and nothing sent. */
  | { readonly kind: 'deferred'; readonly afterMs: number; readonly isRetry?: boolean }
  /** For a look-up: the unanswered request has an answer now, which comes first. Nothing was claimed or sent. */
  | AnsweredLate
  | { readonly kind: 'withdrawn' }
  /** The journal refuses the create: nothing was sent. */
  | Pick<RepeatDenied, 'kind' | 'refusal'>
  /** The emergency brake is on: nothing was sent, and the number is free. */
  | { readonly kind: 'held-back'; readonly stop: SendingStop; readonly isRetry?: boolean }
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | { readonly kind: 'out-of-order'; readonly lastNumber: number }
  /** An earlier try of this create may have been sent, and the journal does not know. Nothing was sent now. */
  | { readonly kind: 'in-doubt' }
  | Refused;

export type AnsweredLate = RecordedAnswer & {
  readonly kind: 'answered-late';
  readonly settings: TransferSettings;
};

/** The journal refused the claim, or the answer to a request that was made. */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: JournalRefusal;
  /** A request was made under the number. */
  readonly isMade?: true;
}

/** The request was claimed before and has no recorded answer: it may have been sent, so it is not sent again. */
export const REPEATED_STEP: RequestError = { code: 'REPEATED_STEP', httpStatus: null, retryAfterMs: null };

interface Expected<Answer> {
  readonly requestKind: Answer extends CreateAnswer ? 'create' : 'lookup';
  /** The answer to return if the request was claimed and its answer was not recorded. */
  readonly nothingRecorded: Answer;
  /** The longest time that the request can take. */
  readonly timeoutMs: number;
  readonly settings: TransferSettings;
  /** An earlier attempt, of this step or of one that was deferred or held back, has failed or timed out. */
  readonly isRetried?: boolean;
}

/**
 * Contract 4.1: a process that was frozen for longer than `CLAIM_ANSWER_MS` must not send under this old claim. A
 * repeated step and a later run assume that the request began within that time.
 */
export function inTime(claimed: ClaimedRequest): TimedClaim {
  return claimed.kind === 'claimed' && claimed.claimAgeMs > CLAIM_ANSWER_MS
    ? { kind: 'too-old', claimAgeMs: claimed.claimAgeMs }
    : claimed;
}

type TimedClaim = ClaimedRequest | { readonly kind: 'too-old'; readonly claimAgeMs: number };

/**
 * The order in the journal, if it is the one that this transfer received. Null: somebody has altered the row. A row may
 * have been given the order of another transfer. Such an order is valid and signed, but it may already be paid.
 */
export function orderOfReceipt(
  originId: number,
  { order, orderSha256 }: Pick<Extract<ClaimedRequest, { kind: 'claimed' }>, 'order' | 'orderSha256'>,
): TransferOrder | null {
  const isOrder = order !== null && validateOrder(order, NO_ORDER_LIMITS).ok;
  return isOrder && order.originId === originId && orderFingerprint(order) === orderSha256 ? order : null;
}

/** The outcome of a number that was claimed before or may not be used: from the journal, without sending. */
export function withoutSending<Answer extends CreateAnswer | LookupAnswer>(
  claim: Exclude<TimedClaim, { kind: 'claimed' }>,
  request: NumberedRequest,
  expected: Expected<Answer>,
): RequestOutcome<Answer> {
  const { requestKind, nothingRecorded, timeoutMs, settings, isRetried = false } = expected;
  switch (claim.kind) {
    case 'too-old':
      return withoutSending(
        { kind: 'repeated', requestKind, answer: null, claimAgeMs: claim.claimAgeMs, isOwn: false },
        request,
        expected,
      );
    case 'repeated': {
      if (claim.requestKind === 'withdrawal') return { kind: 'withdrawn' };
      // Another kind of request under this number: the journal is not the one that this run knew.
      if (claim.requestKind !== requestKind) return { kind: 'out-of-order', lastNumber: request.number };
      const ageOfSend = requestKind === 'create' ? { claimAgeMs: claim.claimAgeMs } : {};
      return claim.answer === null
        ? {
            kind: 'answer',
            answer: nothingRecorded,
            settings,
            inFlightMs: Math.max(0, timeoutMs + CLAIM_ANSWER_MS - claim.claimAgeMs),
            ...(isRetried && claim.isOwn ? { isLost: true } : {}),
            ...ageOfSend,
          }
        : // The cast is safe: the recorded answer belongs to a request of this kind.
          { kind: 'answer', answer: claim.answer as Answer, settings, inFlightMs: 0, ...ageOfSend };
    }
    case 'ended':
      return claim.result === null ? { kind: 'withdrawn' } : { kind: 'ended', result: claim.result };
    case 'out-of-order':
    case 'held-back':
      return claim;
    case 'denied':
      return { kind: 'repeat-denied' };
    case 'too-late':
      throw new Error('the journal answered a request to the bank as a withdrawal');
  }
}
