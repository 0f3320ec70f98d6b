import { evidenceOf, readAnswerBody } from '../http/answer-body';
import { findCode } from '../http/answer-codes';
import type { AnswerCodes } from '../http/answer-codes';
import type { HttpOutcome } from '../http/http-outcome';
import type { MovementDialect } from '../dialect';
import type { CreateReply } from './port';
import {
  answerError,
  bodyErrorCode,
  failureError,
  isRedirect,
  isSuccess,
  statusErrorCode,
  readRetryAfter,
} from '../http/request-error';

/**
 * The outcome of a create (contract 4.2). The first row that fits decides. Everything that is not surely one of the
 * other three outcomes is `unknown`, because the money may be moving. The machine later treats an answer with a wrong
 * echo as unknown too (`after-create.ts`).
 *
 * | result                                               | end      |
 * |------------------------------------------------------|----------|
 * | no byte of the request was written                   | not-sent |
 * | written, but no complete answer                      | unknown  |
 * | a redirect                                           | unknown  |
 * | a listed code in a readable body, with any status    | refused  |
 * | a listed status                                      | refused  |
 * | 2xx with a readable Movement                         | answered |
 * | anything else                                        | unknown  |
 */
export function judgeCreate(
  outcome: HttpOutcome,
  refused: AnswerCodes,
  { readMovement }: Pick<MovementDialect, 'readMovement'>,
  nowMs: number,
): CreateReply {
  if (outcome.kind === 'failed') {
    const error = failureError(outcome, nowMs);
    // The transport reports this only when no connection was ready, so the bank cannot have the request.
    if (!outcome.maybeWritten) return { kind: 'not-sent', error };
    // Reset, closed, cut short, too late, too large: the bank may have acted before the answer was lost. A client
    // certificate that is refused under TLS 1.3, after the request has left, looks the same.
    return { kind: 'unknown', error };
  }
  const { head, body: bytes } = outcome;
  const unknown = (code: Parameters<typeof answerError>[0]): CreateReply => ({
    kind: 'unknown',
    error: answerError(code, head, nowMs),
  });

  // The answer comes from an intermediary. Following the redirect could send the order to another server, or twice.
  if (isRedirect(head.status)) return unknown('REDIRECT');

  const retryAfter = readRetryAfter(head, nowMs);
  const body = readAnswerBody(head, bytes);
  const { code, listed } = findCode(body, refused);
  // Checked before the Movement: an error envelope with HTTP 200 may have a `status` text too. A wrong refusal does
  // no harm: look-ups must still find nothing before the transfer ends as REFUSED.
  if (listed) return { kind: 'refused', httpStatus: head.status, code, ...retryAfter };
  // The status alone decides, because refusals come with any body; `code` is only for people.
  if (refused.statuses.includes(head.status))
    return { kind: 'refused', httpStatus: head.status, code, ...retryAfter };

  // 401, 403, 409, 429, 5xx and others: some gateways give these answers after the bank has taken the order.
  if (!isSuccess(head.status)) return unknown(statusErrorCode(head.status));

  const movement = body.kind === 'json' ? readMovement(body.value) : null;
  if (movement !== null)
    return { kind: 'answered', movement, evidenceSha256: evidenceOf(bytes), ...retryAfter };
  // The bank has most likely taken the order, but the answer is unreadable, so the look-up decides.
  return unknown(bodyErrorCode(body));
}
