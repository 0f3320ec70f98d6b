import type { RequestError, RequestErrorCode } from '../../domain/transfer/answers';
import type { CallEnd, ServiceCall } from '../credentials/authorized-call';
import type { WebhookDialect } from '../dialect';
import { readAnswerBody } from '../http/answer-body';
import { answerError, bodyErrorCode, failureError, isSuccess, statusErrorCode } from '../http/request-error';
import type { WebhookBank, WebhooksReply } from './webhook-port';

const NO_WORKFLOW = { workflowTime: null };

/** The services over HTTPS, in the bank's dialect. Throws only on bugs. */
export function webhookBank(call: ServiceCall, dialect: WebhookDialect, timeoutMs: number): WebhookBank {
  return {
    async listWebhooks() {
      return judgeList(await call(dialect.list(), timeoutMs, NO_WORKFLOW), dialect);
    },
    async unsubscribe(eventType) {
      const error = errorOf(await call(dialect.unsubscribe(eventType), timeoutMs, NO_WORKFLOW));
      return error === null ? { kind: 'done' } : { kind: 'no-answer', error };
    },
  };
}

function judgeList(end: CallEnd, { readSubscriptions }: WebhookDialect): WebhooksReply {
  const error = errorOf(end);
  if (error !== null) return { kind: 'no-answer', error };
  if (end.kind !== 'called' || end.outcome.kind !== 'response') throw new Error('an answer without a head');
  const { head, body: bytes } = end.outcome;
  const body = readAnswerBody(head, bytes);
  const unreadable = (code: RequestErrorCode): WebhooksReply => ({
    kind: 'no-answer',
    error: answerError(code, head, Date.now()),
  });
  if (body.kind !== 'json') return unreadable(bodyErrorCode(body));
  const subscriptions = readSubscriptions(body.value);
  return subscriptions === null ? unreadable('UNREADABLE') : { kind: 'subscriptions', subscriptions };
}

/** The error of an outcome; null: a complete answer with a status of success. */
function errorOf(end: CallEnd): RequestError | null {
  if (end.kind === 'not-called') return end.error;
  const { outcome } = end;
  if (outcome.kind === 'failed') return failureError(outcome, Date.now());
  const { status } = outcome.head;
  return isSuccess(status) ? null : answerError(statusErrorCode(status), outcome.head, Date.now());
}
