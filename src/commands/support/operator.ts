import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { OPERATOR_RULE, REASON_RULE, readOperator, readReason } from '../../domain/audit-words';

/** Words that reach the audit trail and what waiting transfers show. Not authenticated: docs/runbooks say so. */

export function operatorArgument(text: string): string {
  const operator = readOperator(text);
  if (operator === null) throw new InvalidArgumentError(`It ${OPERATOR_RULE}.`);
  return operator;
}

export function reasonArgument(text: string): string {
  const reason = readReason(text);
  if (reason === null) throw new InvalidArgumentError(`It ${REASON_RULE}.`);
  return reason;
}

/** Who runs the command, when it does not say. */
export function osUser(): string {
  try {
    return readOperator(userInfo().username) ?? 'unknown';
  } catch {
    return 'unknown'; // containers may run under a number without a name
  }
}
