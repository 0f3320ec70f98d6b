import { userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/duration';
import { isDay } from '../../domain/calendar';
import { REQUEST_ID_RULE, isRequestId } from '../../domain/verification/request-id';
import { isBankId } from '../../domain/movement';
import { TRANSFER_PHASES } from '../../domain/transfer/view';
import { REASON_RULE, readReason } from '../../domain/audit-words';
import { OPERATOR_RULE, isOperator } from '../../domain/operator';

/** Readers of arguments and options; commander adds the name of the wrong one. Refused values are not repeated. */

export function originIdArgument(text: string): number {
  const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('An originId is a whole number from 1 to 9007199254740991.');
}

/** Rows that a list prints without `--limit`. */
export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 10_000;

export function limitArgument(text: string): number {
  const value = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : NaN;
  if (value <= LIMIT_MAX) return value;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${LIMIT_MAX}.`);
}

/** The same durations as in the configuration. */
export function durationArgument(text: string): number {
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.ms > 0) return parsed.ms;
  throw new InvalidArgumentError('Expected a duration such as 30s, 10m30s or 2h.');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** ISO 8601 with its zone, or a date (midnight UTC); returned in UTC. */
export function instantArgument(text: string): string {
  const ms = INSTANT.test(text) && isDay(text) ? Date.parse(text) : NaN;
  const utc = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  // Late on 9999-12-31 in another zone, the year in UTC has five digits, which PostgreSQL does not read; nor the year 0.
  if (/^(?!0000)[0-9]{4}-/.test(utc)) return utc;
  throw new InvalidArgumentError('Expected a time such as 2026-01-31T09:00:00Z, or a date.');
}

const PHASES: readonly string[] = TRANSFER_PHASES;
const STATUS_WORD = /^[A-Z][A-Z0-9_]{0,63}$/;

/** A value of `GiroStatus`: a result status or a bank status (the bank may invent some), in capitals, or a phase. */
export function statusArgument(text: string): string {
  if (STATUS_WORD.test(text) || PHASES.includes(text)) return text;
  throw new InvalidArgumentError(
    'Expected COMPLETED, FAILED, REFUSED, WITHDRAWN, a status of the bank in capitals such as DELAYED, ' +
      `or a phase: ${PHASES.join(', ')}.`,
  );
}

/** An id that the network or the bank made. */
export function bankIdArgument(text: string): string {
  if (isBankId(text)) return text;
  throw new InvalidArgumentError(
    'Expected 1 to 64 letters, digits, _ and -; also . : and / if it has letters and digits.',
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function incidentIdArgument(text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Expected the id of an incident, as `incident list` prints it.');
}

/** Text that people write and that is kept for ever; at most `max` characters. */
export function textArgument(max: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim();
    // Control characters would forge lines of a report.
    if (trimmed !== '' && trimmed.length <= max && !/\p{Cc}/u.test(trimmed)) return trimmed;
    throw new InvalidArgumentError(`Expected 1 to ${max} characters on one line.`);
  };
}

export function portArgument(text: string): number {
  const value = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

export function requestIdArgument(text: string): string {
  if (isRequestId(text)) return text;
  throw new InvalidArgumentError(`A requestId ${REQUEST_ID_RULE}.`);
}

/** Text for the audit trail; waiting transfers show it too. Not authenticated, as docs/runbooks say. */
export function operatorArgument(text: string): string {
  if (!isOperator(text)) throw new InvalidArgumentError(`It ${OPERATOR_RULE}.`);
  return text;
}

export function reasonArgument(text: string): string {
  const reason = readReason(text);
  if (reason === null) throw new InvalidArgumentError(`It ${REASON_RULE}.`);
  return reason;
}

/** The operator's name by default: the user who runs the command. */
export function osUser(): string {
  try {
    const { username } = userInfo();
    return isOperator(username) ? username : 'unknown';
  } catch {
    return 'unknown'; // containers may run under a number without a name
  }
}

/** Commander's message around a refused value. */
const OF_OPTION = /^(error: option '.*?' argument) '.*' (is invalid\.)/s;
const OF_ARGUMENT = /^(error: command-argument value) '.*' (is invalid for argument '[^']*'\.)/s;

/** Commander's error without the refused value, which may be an account, a name or a secret in the wrong place. */
export const withoutValue = (error: string): string =>
  error.replace(OF_OPTION, '$1 $2').replace(OF_ARGUMENT, '$1 $2');
