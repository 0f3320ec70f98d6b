import { isOperator, OPERATOR_RULE as NAME_RULE } from './operator';

const REASON_MAX_LENGTH = 200;

/** A tax id has 11 digits, an account 22. */
const LONG_NUMBER = /\d(?:[ .-]?\d){10}/;

export const OPERATOR_RULE = `${NAME_RULE}, without an account or tax number`;
export const REASON_RULE = `must be 1 to ${REASON_MAX_LENGTH} printable characters on one line, without an account or tax number: others read it`;

/** Who does it, as the audit trail may hold it; null: it breaks `OPERATOR_RULE`. */
export const readOperator = (text: string): string | null =>
  isOperator(text) && !LONG_NUMBER.test(text) ? text : null;

/** Why, likewise by `REASON_RULE`. */
export function readReason(text: string): string | null {
  const trimmed = text.trim();
  const isOneLine = trimmed !== '' && trimmed.length <= REASON_MAX_LENGTH && !/\p{Cc}/u.test(trimmed);
  return isOneLine && !LONG_NUMBER.test(trimmed) ? trimmed : null;
}
