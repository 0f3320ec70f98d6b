import type { AnswerBody } from './answer-body';
import { scalarText, parseJsonPointer, valueAt } from './json';

/** The answers with one meaning, such as "refused": by HTTP status, or by a code in the body with any status. */
export interface AnswerCodes {
  readonly statuses: readonly number[];
  /** JSON pointer (RFC 6901) to the code in the body; null: bodies are not searched. */
  readonly codePointer: string | null;
  /** Compared exactly; a number in the body counts by its text. */
  readonly codes: readonly string[];
}

/** `BANK_REFUSED_*`: create was not accepted. */
export const DEFAULT_REFUSED: AnswerCodes = { statuses: [400, 422], codePointer: null, codes: [] };
/** `BANK_NOT_FOUND_*`: a look-up knows no such movement (yet). */
export const DEFAULT_NOT_FOUND: AnswerCodes = { statuses: [404], codePointer: null, codes: [] };

export interface FoundCode {
  /** A listed code, or text in the form of a code. Other text could be personal, and is dropped. */
  readonly code: string | null;
  /** The code is one of `codes`. */
  readonly listed: boolean;
}

/** As narrow as the form of a recorded status, because the pointer may lead to a name, an account or a tax id. */
const WORD_SHAPE = /^[A-Z][A-Z0-9_.-]{0,31}$/;
const NUMBER_SHAPE = /^[0-9]{1,6}$/;
/** Identity numbers have seven digits or more. */
const LONG_NUMBER = /[0-9]{7}/;

export function findCode(body: AnswerBody, { codePointer, codes }: AnswerCodes): FoundCode {
  const text =
    codePointer === null || body.kind !== 'json'
      ? null
      : scalarText(valueAt(body.value, parseJsonPointer(codePointer)));
  if (text === null) return { code: null, listed: false };
  const listed = codes.includes(text);
  return { code: listed || isShapedLikeCode(text) ? text : null, listed };
}

const isShapedLikeCode = (text: string): boolean =>
  NUMBER_SHAPE.test(text) || (WORD_SHAPE.test(text) && !LONG_NUMBER.test(text));
