import type { CreateReply } from '../bank/port';
import { seeMovement } from '../bank/see-movement';
import type { TransferOrder } from '../domain/order';
import type { CreateAnswer } from '../domain/transfer/answers';
import { answerDigest } from './answer-digest';
import type { TransferActivityContext } from './context';
import { REPEATED_STEP, withoutSending } from './numbered-request';
import type { NumberedRequest, RequestOutcome } from './numbered-request';

/**
 * Sends the order to the bank under a claimed number. When the number was claimed before, nothing is sent: the answer
 * is what was recorded, or unknown.
 */
export function createTransfer({ journal, bank, settings, onRequestFailed }: TransferActivityContext) {
  return async (request: NumberedRequest): Promise<RequestOutcome<CreateAnswer>> => {
    const { originId, number, runId, workflowTime } = request;
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
    const answer = asAnswer(claim.order, await bank.createTransfer(claim.createBody, { workflowTime }));
    if ('error' in answer) {
      const { code, httpStatus } = answer.error;
      onRequestFailed?.({ request: 'create', originId, number, outcome: answer.kind, code, httpStatus });
    }
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer) });
    return { kind: 'answer', answer, settings, inFlightMs: 0 };
  };
}

function asAnswer(order: TransferOrder, reply: CreateReply): CreateAnswer {
  if (reply.kind !== 'answered') return reply;
  return { kind: 'answered', movement: seeMovement(order, reply), retryAfterMs: reply.retryAfterMs ?? null };
}
