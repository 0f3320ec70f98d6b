const REASON_MAX_LENGTH = 200;

/** A tax id has 11 digits, an account 22. */
const LONG_NUMBER = /\d(?:[ .-]?\d){10}/;

export const REASON_RULE = `must be 1 to ${REASON_MAX_LENGTH} printable characters on one line, without an account or tax number: others read it`;

/** A reason in the form that the audit trail may hold; null: the text breaks `REASON_RULE`. */
export function readReason(text: string): string | null {
  const trimmed = text.trim();
  const isOneLine = trimmed !== '' && trimmed.length <= REASON_MAX_LENGTH && !/\p{Cc}/u.test(trimmed);
  return isOneLine && !LONG_NUMBER.test(trimmed) ? trimmed : null;
}
