import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';

/** Words that reach the audit trail and what waiting transfers show. Not authenticated: docs/runbooks say so. */

const OPERATOR_MAX_LENGTH = 100;
const REASON_MAX_LENGTH = 200;
/** A tax id has 11 digits, an account 22. */
const LONG_NUMBER = /\d(?:[ .-]?\d){10}/;

export function operatorArgument(text: string): string {
  return printable(text, OPERATOR_MAX_LENGTH);
}

export function reasonArgument(text: string): string {
  if (LONG_NUMBER.test(text)) {
    throw new InvalidArgumentError(
      'A reason carries no account or tax number: every waiting transfer shows it.',
    );
  }
  return printable(text, REASON_MAX_LENGTH);
}

/** Who runs the command, when it does not say. */
export function osUser(): string {
  try {
    return userInfo().username.slice(0, OPERATOR_MAX_LENGTH) || 'unknown';
  } catch {
    return 'unknown'; // containers may run under a number without a name
  }
}

function printable(text: string, maxLength: number): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= maxLength && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new InvalidArgumentError(`Expected 1 to ${maxLength} printable characters on one line.`);
}
