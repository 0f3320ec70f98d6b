import type { Pass } from '../bank/gate/gate';
import type { CreateReply } from '../bank/movements/port';
import { seeMovement } from '../bank/movements/see-movement';
import type { TransferOrder } from '../domain/order';
import type { CreateAnswer } from '../domain/transfer/answers';
import { elapsedSince } from '../journal/elapsed';
import { answerDigest } from './answer-digest';
import { attemptOfStep } from './attempt';
import type { TransferActivityContext } from './context';
import { inTime, REPEATED_STEP, withoutSending } from './numbered-request';
import type { NumberedRequest, RequestOutcome } from './numbered-request';
import { tellHealth, throughGate } from './through-gate';
import { requestReport } from './transfer-observer';

/**
 * Sends the order to the bank under a claimed number. When the number was claimed before, nothing is sent: the answer
 * is what was recorded, or unknown.
 *
 * @param attempt which try of the step this is, from 1
 */
export function createTransfer(context: TransferActivityContext, attempt = attemptOfStep) {
  const { journal, bank, settings, observer } = context;
  const make = async (request: NumberedRequest, pass: Pass): Promise<RequestOutcome<CreateAnswer>> => {
    const { originId, number, runId, workflowTime } = request;
    const lateMs = request.lateMs + pass.waitedMs;
    const { resendWindowMs } = settings;
    const claim = inTime(
      await journal.claimRequest({ originId, number, kind: 'create', runId, resendWindowMs }),
    );
    if (claim.kind !== 'claimed') {
      return withoutSending(claim, request, {
        requestKind: 'create',
        nothingRecorded: { kind: 'unknown', error: REPEATED_STEP },
        timeoutMs: settings.createTimeoutMs,
        settings,
      });
    }
    const sinceClaimMs = elapsedSince();
    const startedAt = performance.now();
    const reply = await bank.createTransfer(claim.createBody, { workflowTime });
    tellHealth(pass, reply);
    const durationMs = performance.now() - startedAt;
    const answer = asAnswer(claim.order, reply);
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer) });
    observer?.requestEnded(
      requestReport({ request: 'create', originId, number, durationMs, lateMs, isNews: true }, answer),
    );
    return {
      kind: 'answer',
      answer,
      settings,
      inFlightMs: 0,
      claimAgeMs: Math.round(claim.claimAgeMs + sinceClaimMs()),
    };
  };
  return async (request: NumberedRequest): Promise<RequestOutcome<CreateAnswer>> => {
    if (attempt() > 1) {
      // An earlier try may have sent it, under a claim that a restored journal has lost.
      const claim = await journal.claimInDoubt(request);
      if (claim.kind === 'lost') {
        return { kind: 'out-of-order', lastNumber: claim.lastNumber, perhapsSent: true };
      }
    }
    return throughGate(context, 'create', request, (pass) => make(request, pass));
  };
}

function asAnswer(order: TransferOrder, reply: CreateReply): CreateAnswer {
  if (reply.kind !== 'answered') return reply;
  return { kind: 'answered', movement: seeMovement(order, reply), retryAfterMs: reply.retryAfterMs ?? null };
}
