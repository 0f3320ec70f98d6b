import type { RequestError } from '../../domain/transfer/answers';
import { evidenceOf, readAnswerBody } from '../http/answer-body';
import type { AnswerBody } from '../http/answer-body';
import { findCode } from '../http/answer-codes';
import type { AnswerCodes } from '../http/answer-codes';
import type { MovementDialect } from '../dialect';
import type { HttpOutcome } from '../http/http-outcome';
import type { LookupReply, RawReply } from './port';
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
 * The outcome of a look-up. The first row that fits decides.
 *
 * | result                                                | end       |
 * |-------------------------------------------------------|-----------|
 * | no complete answer, or a redirect                     | no-answer |
 * | a listed code in a readable body, with any status     | not-found |
 * | 2xx with a readable Movement                          | movement  |
 * | a listed status with a JSON body, or none             | not-found |
 * | anything else                                         | no-answer |
 *
 * Twelve not-founds allow a create to be sent again, so a not-found must be the bank's own. A listed status with an
 * HTML page, plain text, a foreign charset, or a cut or oversized body comes from an intermediary, so it does not
 * count. This does not recognise a gateway that writes its 404 as JSON; for such a gateway, list the bank's codes
 * (`BANK_NOT_FOUND_CODES`) and no status.
 */
export function judgeLookup(
  outcome: HttpOutcome,
  notFound: AnswerCodes,
  { readMovement }: Pick<MovementDialect, 'readMovement'>,
  nowMs: number,
): LookupReply {
  const answer = readLookup(outcome, notFound, nowMs);
  if (answer.kind !== 'body') return answer;
  const { body, bytes, status, retryAfter } = answer;
  const movement = body.kind === 'json' && isSuccess(status) ? readMovement(body.value) : null;
  if (movement !== null)
    return { kind: 'movement', movement, evidenceSha256: evidenceOf(bytes), ...retryAfter };
  return answer.otherwise;
}

/** The same for an answer in the network's format, which need only be JSON. */
export function judgeRawLookup(outcome: HttpOutcome, notFound: AnswerCodes, nowMs: number): RawReply {
  const answer = readLookup(outcome, notFound, nowMs);
  if (answer.kind !== 'body') return answer;
  if (answer.body.kind === 'json' && isSuccess(answer.status) && !notFound.statuses.includes(answer.status)) {
    return { kind: 'raw', value: answer.body.value };
  }
  return answer.otherwise;
}

type NotFoundOrNone =
  | { readonly kind: 'not-found'; readonly retryAfterMs?: number | null }
  | { readonly kind: 'no-answer'; readonly error: RequestError; readonly isUnsent?: true };

type LookupRead =
  | NotFoundOrNone
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly body: AnswerBody;
      readonly bytes: Uint8Array;
      readonly retryAfter: { readonly retryAfterMs?: number };
      /** The outcome of a body without the expected content. */
      readonly otherwise: NotFoundOrNone;
    };

function readLookup(outcome: HttpOutcome, notFound: AnswerCodes, nowMs: number): LookupRead {
  if (outcome.kind === 'failed') {
    const error = failureError(outcome, nowMs);
    // Giro simply repeats a lost look-up. Whether the request was written matters only for the bank's health.
    return { kind: 'no-answer', error, ...(outcome.maybeWritten ? {} : { isUnsent: true }) };
  }
  const { head, body: bytes } = outcome;
  const noAnswer = (code: RequestError['code']): NotFoundOrNone => ({
    kind: 'no-answer',
    error: answerError(code, head, nowMs),
  });

  if (isRedirect(head.status)) return noAnswer('REDIRECT');

  const retryAfter = readRetryAfter(head, nowMs);
  const body = readAnswerBody(head, bytes);
  // Checked before the Movement: an error envelope with HTTP 200 may have a `status` text too.
  if (findCode(body, notFound).listed) return { kind: 'not-found', ...retryAfter };

  return { kind: 'body', status: head.status, body, bytes, retryAfter, otherwise: withoutMovement() };

  function withoutMovement(): NotFoundOrNone {
    if (notFound.statuses.includes(head.status)) {
      if (body.kind === 'json' || body.kind === 'empty') return { kind: 'not-found', ...retryAfter };
      return noAnswer(bodyErrorCode(body));
    }
    return noAnswer(isSuccess(head.status) ? bodyErrorCode(body) : statusErrorCode(head.status));
  }
}
