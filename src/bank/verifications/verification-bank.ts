import type { RequestErrorCode } from '../../domain/transfer/answers';
import type { ServiceCall } from '../credentials/authorized-call';
import type { VerificationDialect } from '../dialect';
import { evidenceOf, readAnswerBody } from '../http/answer-body';
import type { HttpOutcome } from '../http/http-outcome';
import { stringifyJson } from '../http/json';
import {
  answerError,
  bodyErrorCode,
  failureError,
  isSuccess,
  readRetryAfter,
  statusErrorCode,
} from '../http/request-error';
import type { VerificationBank, VerificationReply } from './verification-port';

/** The verification query over HTTPS, in the bank's dialect. */
export function verificationBank(
  call: ServiceCall,
  dialect: VerificationDialect,
  { method, timeoutMs }: { readonly method: 'GET' | 'POST'; readonly timeoutMs: number },
): VerificationBank {
  return {
    async getVerification(requestId, context) {
      const end = await call(dialect.query(requestId, method), timeoutMs, context);
      if (end.kind === 'not-called') return { kind: 'no-answer', error: end.error };
      return judgeVerification(end.outcome, dialect, Date.now());
    },
  };
}

/**
 * The outcome of a verification query. The first row that fits decides.
 *
 * | result                                       | end          |
 * |----------------------------------------------|--------------|
 * | no complete answer                           | no-answer    |
 * | 404                                          | not-found    |
 * | 2xx with a readable verification             | verification |
 * | anything else (redirect, 405, 5xx, a page …) | no-answer    |
 *
 * A not-found decides nothing here, so it does no harm if it comes from an intermediary.
 */
function judgeVerification(
  outcome: HttpOutcome,
  { readVerification }: VerificationDialect,
  nowMs: number,
): VerificationReply {
  if (outcome.kind === 'failed') return { kind: 'no-answer', error: failureError(outcome, nowMs) };
  const { head, body: bytes } = outcome;
  const retryAfterMs = readRetryAfter(head, nowMs).retryAfterMs ?? null;
  const noAnswer = (code: RequestErrorCode): VerificationReply => ({
    kind: 'no-answer',
    error: answerError(code, head, nowMs),
  });
  if (head.status === 404) return { kind: 'not-found', retryAfterMs };
  if (!isSuccess(head.status)) return noAnswer(statusErrorCode(head.status));

  const body = readAnswerBody(head, bytes);
  if (body.kind !== 'json') return noAnswer(bodyErrorCode(body));
  const verification = readVerification(body.value);
  if (verification === null) return noAnswer('NOT_A_VERIFICATION');
  return {
    kind: 'verification',
    verification,
    text: stringifyJson(body.value),
    evidenceSha256: evidenceOf(bytes),
    retryAfterMs,
  };
}
