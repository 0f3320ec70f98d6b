import type { RequestError, RequestErrorCode } from '../../domain/transfer/answers';
import type { AnswerBody } from './answer-body';
import type { HttpOutcome, ResponseHead } from './http-outcome';

/** No usable token was available in time: nothing was sent. */
export const NO_CREDENTIALS: RequestError = { code: 'CREDENTIALS', httpStatus: null, retryAfterMs: null };
/** The process stood still for too long before the request could leave: nothing was sent. */
export const TOO_LATE: RequestError = { code: 'TOO_LATE', httpStatus: null, retryAfterMs: null };

/** An error about an answer. Only these three values: nothing that the bank wrote as text. */
export function answerError(code: RequestErrorCode, head: ResponseHead | null, nowMs: number): RequestError {
  return {
    code,
    httpStatus: head?.status ?? null,
    retryAfterMs: parseRetryAfter(head?.retryAfter ?? null, nowMs),
  };
}

/** Retry-After of a readable answer, to be spread into an object; no field without it. */
export function readRetryAfter(head: ResponseHead, nowMs: number): { readonly retryAfterMs?: number } {
  const retryAfterMs = parseRetryAfter(head.retryAfter, nowMs);
  return retryAfterMs === null ? {} : { retryAfterMs };
}

export function failureError(outcome: Extract<HttpOutcome, { kind: 'failed' }>, nowMs: number): RequestError {
  return answerError(outcome.failure, outcome.head, nowMs);
}

/** Names an answer whose status is not 2xx. */
export function statusErrorCode(status: number): RequestErrorCode {
  if (isRedirect(status)) return 'REDIRECT';
  // 403 counts as 401: both mean that the bank refuses these credentials (flag BANK_UNAUTHORIZED).
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  return status === 429 ? 'RATE_LIMITED' : 'HTTP_STATUS';
}

/** Names an answer 2xx without a movement. */
export function bodyErrorCode(body: AnswerBody): RequestErrorCode {
  switch (body.kind) {
    case 'json':
      return 'NOT_A_MOVEMENT';
    case 'too-large':
      return 'TOO_LARGE';
    case 'empty':
    case 'unreadable':
      return 'UNREADABLE';
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;
export const isRedirect = (status: number): boolean => status >= 300 && status <= 399;

/** A longer wait is probably a mistake of the bank, and nobody would ask about the transfer meanwhile. */
const RETRY_AFTER_MAX_MS = 86_400_000;

/** The date forms of RFC 9110, 5.6.7: the current one, and two obsolete ones, the last without a zone. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Retry-After (seconds or HTTP date) in ms from `nowMs`, at most a day; null: absent or unusable. */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,15}$/.test(text)) return Math.min(Number(text) * 1000, RETRY_AFTER_MAX_MS);
  const isAsctime = ASCTIME_DATE.test(text);
  if (!isAsctime && !HTTP_DATE.test(text) && !RFC_850_DATE.test(text)) return null;
  const at = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), RETRY_AFTER_MAX_MS);
}
