import { types } from 'node:util';
import { CommanderError } from 'commander';
import {
  DecisionNotRecordedError,
  DecisionRefusedError,
  GiroClientError,
  InvalidTransferOrderError,
  NoWorkerAnswerError,
  OriginIdConflictError,
  ServerUnreachableError,
  TransferNotFoundError,
  TransferRunLostError,
  WaitTimeoutError,
  InvalidReaderError,
  InvalidRequestIdError,
  NoVerificationAnswerError,
  VerificationNotFoundError,
  VerificationStoppedError,
  VerificationWaitTimeoutError,
} from '../client/errors';
import { SealError } from '../codec/seal';
import { ConfigError } from '../config/config-error';
import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import { CursorRefused } from '../journal/event-feed';
import { SandboxRulesInvalid } from '../sandbox-bank/rules/rule-set';

/** Exit codes of the program (contract section 1); of several, the highest. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  /** Wrong usage, configuration or input. */
  input: 2,
  /**
   * A transfer ended other than COMPLETED, a verification was rejected or stopped, a reconciliation is not CLEAN, or an
   * audit is not OK.
   */
  notCompleted: 3,
  /** A server that is needed cannot be reached. */
  unreachable: 4,
  /** `--timeout` ran out while a transfer or verification was still open. */
  stillOpen: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const highest = (codes: readonly ExitCode[]): ExitCode =>
  codes.reduce((a, b) => (a > b ? a : b), EXIT.done);

/** Wrong usage or input, described in sentences; never with a value of an order. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A server that only the command recognises as one (the bank). */
export class PeerUnreachable extends Error {
  override readonly name = 'PeerUnreachable';
}

/** Something that `setup` creates is missing, or not as this version needs it. */
export class SetupMissing extends Error {
  override readonly name = 'SetupMissing';

  constructor(readonly problems: readonly string[]) {
    super(`${problems.map((problem) => problem.replace(/: run setup$/, '')).join('; ')}: run setup`);
  }
}

const EXIT_CODES: readonly [new (...args: never[]) => Error, ExitCode][] = [
  [InputError, EXIT.input],
  [ConfigError, EXIT.input],
  [SetupMissing, EXIT.input],
  [JournalNotReady, EXIT.input],
  [CursorRefused, EXIT.input],
  [SandboxRulesInvalid, EXIT.input],
  [SealError, EXIT.input],
  [InvalidTransferOrderError, EXIT.input],
  [OriginIdConflictError, EXIT.input],
  [TransferNotFoundError, EXIT.input],
  [DecisionRefusedError, EXIT.input],
  [DecisionNotRecordedError, EXIT.unreachable],
  [TransferRunLostError, EXIT.notCompleted],
  [InvalidReaderError, EXIT.input],
  [InvalidRequestIdError, EXIT.input],
  [VerificationNotFoundError, EXIT.input],
  [VerificationStoppedError, EXIT.notCompleted],
  [NoVerificationAnswerError, EXIT.unreachable],
  [VerificationWaitTimeoutError, EXIT.stillOpen],
  [JournalUnavailable, EXIT.unreachable],
  [ServerUnreachableError, EXIT.unreachable],
  [NoWorkerAnswerError, EXIT.unreachable],
  [PeerUnreachable, EXIT.unreachable],
  [WaitTimeoutError, EXIT.stillOpen],
];

/**
 * An address to listen on that is in use, not this machine's, or unknown is a configuration error. The clients of bank,
 * PostgreSQL and Temporal report an unknown host by errors of their own.
 */
const LISTEN_CODES: Readonly<Record<string, readonly string[]>> = {
  listen: ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'],
  getaddrinfo: ['ENOTFOUND', 'EAI_AGAIN'],
};

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.input;
  for (const [kind, code] of EXIT_CODES) if (error instanceof kind) return code;
  return isListenError(error) ? EXIT.input : EXIT.unexpected;
}

/** Errors whose message is meant for people; any other error (probably a bug) is printed with its stack. */
export function isExpected(error: unknown): error is Error {
  return error instanceof GiroClientError || exitCodeOf(error) !== EXIT.unexpected;
}

function isListenError(error: unknown): boolean {
  // Not `instanceof`: Node's own errors belong to another realm than a test environment's.
  if (!types.isNativeError(error) || !('syscall' in error) || !('code' in error)) return false;
  return LISTEN_CODES[String(error.syscall)]?.includes(String(error.code)) ?? false;
}
