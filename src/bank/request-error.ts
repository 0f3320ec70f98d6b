import type { RequestError, RequestErrorCode } from '../domain/transfer/answers';
import type { AnswerBody } from './http/answer-body';
import type { HttpOutcome, ResponseHead } from './http/http-outcome';
import { parseRetryAfter } from './http/retry-after';

/** An error about an answer. Only these three values: nothing that the bank wrote as text. */
export function answerError(code: RequestErrorCode, head: ResponseHead | null, nowMs: number): RequestError {
  return {
    code,
    httpStatus: head?.status ?? null,
    retryAfterMs: parseRetryAfter(head?.retryAfter ?? null, nowMs),
  };
}

/** Retry-After beside a readable answer, for spreading: no field when there is none. */
export function readRetryAfter(head: ResponseHead, nowMs: number): { readonly retryAfterMs?: number } {
  const retryAfterMs = parseRetryAfter(head.retryAfter, nowMs);
  return retryAfterMs === null ? {} : { retryAfterMs };
}

export function failureError(outcome: Extract<HttpOutcome, { kind: 'failed' }>, nowMs: number): RequestError {
  return answerError(outcome.failure, outcome.head, nowMs);
}

/** Names an answer whose status is no success. */
export function statusErrorCode(status: number): RequestErrorCode {
  if (isRedirect(status)) return 'REDIRECT';
  // 403 counts with 401: both say that this credential will not do (flag BANK_UNAUTHORIZED).
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  return status === 429 ? 'RATE_LIMITED' : 'HTTP_STATUS';
}

/** Names a 2xx that brings no movement. */
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
