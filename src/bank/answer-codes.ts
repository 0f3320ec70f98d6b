import type { AnswerBody } from './answer-body';
import { scalarText } from './json';
import { parseJsonPointer, valueAt } from './json-pointer';

/** Which answers have a meaning of their own: HTTP statuses, or codes at a place in the body whatever the status. */
export interface AnswerCodes {
  readonly statuses: readonly number[];
  /** JSON pointer (RFC 6901) to the code in the body; null: bodies are not looked at. */
  readonly codePointer: string | null;
  /** Compared exactly; a number in the body by its text. */
  readonly codes: readonly string[];
}

/** `BANK_REFUSED_*`: create was not accepted. */
export const DEFAULT_REFUSED: AnswerCodes = { statuses: [400, 422], codePointer: null, codes: [] };
/** `BANK_NOT_FOUND_*`: get-movement knows no such movement (yet). */
export const DEFAULT_NOT_FOUND: AnswerCodes = { statuses: [404], codePointer: null, codes: [] };

export interface FoundCode {
  /** The code as text when it is shaped like one. Other text could be personal and is not passed on. */
  readonly code: string | null;
  /** It is one of `codes`. */
  readonly listed: boolean;
}

const CODE_SHAPE = /^[A-Za-z0-9_.-]{1,40}$/;

export function findCode(body: AnswerBody, { codePointer, codes }: AnswerCodes): FoundCode {
  const text =
    codePointer === null || body.kind !== 'json'
      ? null
      : scalarText(valueAt(body.value, parseJsonPointer(codePointer)));
  if (text === null) return { code: null, listed: false };
  return { code: CODE_SHAPE.test(text) ? text : null, listed: codes.includes(text) };
}
