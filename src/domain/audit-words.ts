const OPERATOR_MAX_LENGTH = 100;
const REASON_MAX_LENGTH = 200;

/** A tax id has 11 digits, an account 22. */
const LONG_NUMBER = /\d(?:[ .-]?\d){10}/;

export const OPERATOR_RULE = `must be 1 to ${OPERATOR_MAX_LENGTH} printable characters on one line, without an account or tax number`;
export const REASON_RULE = `must be 1 to ${REASON_MAX_LENGTH} printable characters on one line, without an account or tax number: others read it`;

/** Who does it, as the audit trail may hold it; null: it breaks `OPERATOR_RULE`. */
export const readOperator = (text: string): string | null => readWords(text, OPERATOR_MAX_LENGTH);

/** Why, likewise by `REASON_RULE`. */
export const readReason = (text: string): string | null => readWords(text, REASON_MAX_LENGTH);

function readWords(text: string, maxLength: number): string | null {
  const trimmed = text.trim();
  const isOneLine = trimmed !== '' && trimmed.length <= maxLength && !/\p{Cc}/u.test(trimmed);
  return isOneLine && !LONG_NUMBER.test(trimmed) ? trimmed : null;
}
