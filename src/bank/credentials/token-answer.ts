import { readAnswerBody } from '../http/answer-body';
import type { HttpOutcome } from '../http/http-outcome';
import { scalarText, parseJsonPointer, valueAt } from '../http/json';
import { isSuccess } from '../http/request-error';

export interface TokenAnswerShape {
  /** JSON pointers into the answer. */
  readonly tokenPointer: string;
  readonly expiresPointer: string;
  readonly expiresUnit: 's' | 'ms';
}

export type TokenAnswer =
  /** `lifeMs` null: the answer has no readable lifetime, so the token is used until a 401. */
  | { readonly ok: true; readonly token: string; readonly lifeMs: number | null }
  | { readonly ok: false; readonly failure: string; readonly httpStatus: number | null };

/** Printable ASCII without outer spaces: a header would change anything else. */
const TOKEN = /^[\x21-\x7e](?:[\x20-\x7e]{0,16382}[\x21-\x7e])?$/;

export const isUsableToken = (text: string): boolean => TOKEN.test(text);

/** Reads the answer to a request for a token. A failure is a code, and repeats nothing of the answer. */
export function readTokenAnswer(outcome: HttpOutcome, shape: TokenAnswerShape): TokenAnswer {
  const failed = (failure: string): TokenAnswer => ({
    ok: false,
    failure,
    httpStatus: outcome.head?.status ?? null,
  });
  if (outcome.kind === 'failed') return failed(outcome.failure);
  if (!isSuccess(outcome.head.status)) return failed('HTTP_STATUS');
  const body = readAnswerBody(outcome.head, outcome.body);
  if (body.kind !== 'json') return failed('UNREADABLE');
  const token = valueAt(body.value, parseJsonPointer(shape.tokenPointer));
  if (typeof token !== 'string') return failed('NO_TOKEN');
  if (!isUsableToken(token)) return failed('UNUSABLE_TOKEN');
  return {
    ok: true,
    token,
    lifeMs: lifeOf(valueAt(body.value, parseJsonPointer(shape.expiresPointer)), shape),
  };
}

/** A longer lifetime counts as unlimited: the token would not be renewed before a 401 anyway. */
const LIFE_MAX_MS = 366 * 86_400_000;

/** The lifetime: a number, or its digits as text. Zero or less counts as no lifetime. */
function lifeOf(value: unknown, { expiresUnit }: TokenAnswerShape): number | null {
  const text = scalarText(value) ?? '';
  const lifeMs = /^[0-9]/.test(text) ? Number(text) * (expiresUnit === 's' ? 1000 : 1) : NaN;
  return lifeMs > 0 && lifeMs <= LIFE_MAX_MS ? lifeMs : null;
}
