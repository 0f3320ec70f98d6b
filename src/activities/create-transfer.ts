import type { Permit } from '../bank/limiter/limiter';
import type { CreateReply } from '../bank/movements/port';
import { observeMovement } from '../bank/movements/observation';
import type { DifferingValue } from '../domain/echo';
import type { TransferOrder } from '../domain/order';
import { bodyFingerprint } from '../domain/order-fingerprint';
import { validateOrder } from '../domain/order-validation';
import type { CreateAnswer, UnbelievedOrder } from '../domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../domain/transfer/cadence';
import type { RepeatDenied } from '../domain/transfer/events';
import { factsOf } from '../domain/transfer/facts';
import { elapsedSince } from '../journal/elapsed';
import type { ClaimedRequest } from '../journal/statements/claim-request';
import { judgeProof } from '../order-proofs/order-proof';
import { answerDigest } from './answer-digest';
import type { TransferActivityContext } from './context';
import { whileBeating } from './heartbeat';
import { orRefused } from './journal-refusal';
import { inTime, orderOfReceipt, REPEATED_STEP, withoutSending } from './numbered-request';
import type { NumberedCreate, RequestOutcome } from './numbered-request';
import { refusalOfResend } from './signed-decisions';
import { requestReport } from './transfer-observer';
import { wasTriedBefore } from './tried-before';
import { reportHealth, withPermit } from './with-permit';

/**
 * Sends the order to the bank under a claimed number. If the number was claimed before, sends nothing, and returns the
 * recorded answer, or unknown. An order that fails the checks is not sent either, even if only its create body differs
 * from the body at receipt. The bank promises to recognise an originId, not to compare bodies.
 *
 * @param isTriedAgain whether this step may have been tried before
 */
export function createTransfer(context: TransferActivityContext, isTriedAgain = wasTriedBefore) {
  const { journal, bank, settings, observer } = context;
  const make = async (
    request: NumberedCreate,
    permit: Permit,
    isRetry: boolean,
  ): Promise<RequestOutcome<CreateAnswer>> => {
    const { originId, number, runId, journalId, workflowTime } = request;
    // The first request needs no decision.
    const refusal = number === 1 ? null : await refusalOfResend(context, originId);
    if (refusal !== null) return { kind: 'refused', refusal };
    const lateMs = request.lateMs + permit.waitedMs;
    const { resendWindowMs } = settings;
    const inFlightMs = settings.createTimeoutMs + CLAIM_ANSWER_MS;
    const claim = await orRefused(async () =>
      inTime(
        await journal.claimRequest({
          ...{ originId, number, kind: 'create', runId, resendWindowMs, inFlightMs },
          ...(isRetry ? { onlyIn: journalId } : {}),
        }),
      ),
    );
    if (claim.kind === 'refused') return claim;
    if (claim.kind === 'denied') {
      observer?.createRefused?.({ originId, number });
      return { kind: 'repeat-denied', ...(await recordedRefusal(context, originId)) };
    }
    if (claim.kind !== 'claimed') {
      return withoutSending(claim, request, {
        requestKind: 'create',
        nothingRecorded: { kind: 'unknown', error: REPEATED_STEP },
        timeoutMs: settings.createTimeoutMs,
        ...{ settings, isRetried: isRetry },
      });
    }
    const sinceClaimMs = elapsedSince();
    const answerOf = (answer: CreateAnswer): RequestOutcome<CreateAnswer> => ({
      ...{ kind: 'answer', answer, settings, inFlightMs: 0 },
      claimAgeMs: Math.round(claim.claimAgeMs + sinceClaimMs()),
    });
    const judged = await judge(originId, claim, context);
    if ('code' in judged) {
      const answer: CreateAnswer = {
        kind: 'not-sent',
        error: { code: judged.code, httpStatus: null, retryAfterMs: null },
      };
      const digest = answerDigest(answer);
      const refused = await orRefused(() => journal.recordAnswer({ originId, number, answer, digest }));
      return refused ?? answerOf(answer);
    }
    const startedAt = performance.now();
    const leaveWithinMs = (): number => inFlightMs - claim.claimAgeMs - sinceClaimMs();
    const reply = await bank.createTransfer(judged.body, { workflowTime, permit, leaveWithinMs });
    reportHealth(permit, reply);
    const durationMs = performance.now() - startedAt;
    const { answer, differing } = observeCreate(judged.order, reply);
    // Before the record: the request was made, even if the journal is away or refuses the answer.
    observer?.requestEnded(
      requestReport({ request: 'create', originId, number, durationMs, lateMs, isNews: true }, answer),
    );
    const recorded = await orRefused(() =>
      journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer), differing }),
    );
    if (recorded !== undefined) return { ...recorded, isMade: true };
    return answerOf(answer);
  };
  const step = async (request: NumberedCreate): Promise<RequestOutcome<CreateAnswer>> => {
    // An earlier try may have sent the order, under a claim that was lost in a failover of the journal.
    const isRetry = request.isRetry || isTriedAgain();
    if (isRetry && !(await journal.vouchForCreate(request))) return { kind: 'in-doubt' };
    const outcome = await withPermit(context, 'create', request, (permit) => make(request, permit, isRetry));
    // An earlier try that is frozen may still send, so the next try asks the journal too.
    return isRetry && (outcome.kind === 'deferred' || outcome.kind === 'held-back')
      ? { ...outcome, isRetry }
      : outcome;
  };
  return (request: NumberedCreate) => whileBeating(() => step(request));
}

/** The bank's refusal of the only create that may have reached it; the run may not know this answer (`RepeatDenied`). */
async function recordedRefusal(
  { journal }: Pick<TransferActivityContext, 'journal'>,
  originId: number,
): Promise<Pick<RepeatDenied, 'refusal'>> {
  const basis = await journal.endBasis(originId);
  const refusal = basis === null ? null : factsOf(basis.records).sends.refusal;
  return refusal === null ? {} : { refusal };
}

/**
 * Checks the order before it is sent. A row of the journal does not prove an order: otherwise, whoever can write rows
 * could make payments. The order must have the fingerprints of its receipt, keep the current limits and, if orders are
 * signed, have a valid proof.
 */
async function judge(
  originId: number,
  claim: ClaimedOrder,
  {
    bank,
    orderLimits: limits,
    orderSigners,
  }: Pick<TransferActivityContext, 'bank' | 'orderLimits' | 'orderSigners'>,
): Promise<{ readonly order: TransferOrder; readonly body: string } | { readonly code: UnbelievedOrder }> {
  const { proof, openedAt, isBelieved, bodySha256 } = claim;
  if (!isBelieved) return { code: 'IN_CLEAR' };
  const order = orderOfReceipt(originId, claim);
  if (order === null) return { code: 'ANOTHER_ORDER' };
  const body = bank.createBody(order);
  if (bodyFingerprint(body) !== bodySha256) return { code: 'ANOTHER_BODY' };
  if (!validateOrder(order, limits).ok) return { code: 'BEYOND_LIMITS' };
  const signers = orderSigners();
  const fault = signers === null ? null : await judgeProof(signers, { order, proof, receivedAt: openedAt });
  return fault === null ? { order, body } : { code: fault };
}

type ClaimedOrder = Extract<ClaimedRequest, { kind: 'claimed' }>;

function observeCreate(
  order: TransferOrder,
  reply: CreateReply,
): { readonly answer: CreateAnswer; readonly differing: readonly DifferingValue[] } {
  if (reply.kind !== 'answered') return { answer: reply, differing: [] };
  const { movement, differing } = observeMovement(order, reply);
  return { answer: { kind: 'answered', movement, retryAfterMs: reply.retryAfterMs ?? null }, differing };
}
