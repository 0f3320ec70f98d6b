import type { CreateReply } from '../bank/port';
import { seeMovement } from '../bank/see-movement';
import type { TransferOrder } from '../domain/order';
import type { CreateAnswer } from '../domain/transfer/answers';
import { answerDigest } from './answer-digest';
import type { TransferActivityContext } from './context';
import { REPEATED_STEP, withoutSending } from './numbered-request';
import type { NumberedRequest, RequestOutcome } from './numbered-request';
import { requestReport } from './transfer-observer';

/**
 * Sends the order to the bank under a claimed number. When the number was claimed before, nothing is sent: the answer
 * is what was recorded, or unknown.
 */
export function createTransfer({ journal, bank, settings, observer }: TransferActivityContext) {
  return async (request: NumberedRequest): Promise<RequestOutcome<CreateAnswer>> => {
    const { originId, number, runId, workflowTime, lateMs } = request;
    const claim = await journal.claimRequest({
      ...{ originId, number, kind: 'create', runId },
      resendWindowMs: settings.resendWindowMs,
    });
    if (claim.kind !== 'claimed') {
      return withoutSending(claim, request, {
        requestKind: 'create',
        nothingRecorded: { kind: 'unknown', error: REPEATED_STEP },
        timeoutMs: settings.createTimeoutMs,
        settings,
      });
    }
    const startedAt = performance.now();
    const answer = asAnswer(claim.order, await bank.createTransfer(claim.createBody, { workflowTime }));
    const durationMs = performance.now() - startedAt;
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer) });
    observer?.requestEnded(
      requestReport({ request: 'create', originId, number, durationMs, lateMs, isNews: true }, answer),
    );
    return { kind: 'answer', answer, settings, inFlightMs: 0 };
  };
}

function asAnswer(order: TransferOrder, reply: CreateReply): CreateAnswer {
  if (reply.kind !== 'answered') return reply;
  return { kind: 'answered', movement: seeMovement(order, reply), retryAfterMs: reply.retryAfterMs ?? null };
}
