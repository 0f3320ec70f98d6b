import { types } from 'node:util';
import { DatabaseError } from 'pg';
import type { JournalIdentity } from './identity';

/** PostgreSQL could not be reached or refused the connection; nothing is known to be written. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
  constructor(
    message: string,
    /** PostgreSQL cancelled this statement: the statement or the server may be slow. */
    readonly hasTimedOut = false,
  ) {
    super(message);
  }
}

/**
 * The journal cannot be used in its current state; the message says what to do. A problem of set-up, which waiting does
 * not solve.
 */
export class JournalNotReady extends Error {
  override readonly name = 'JournalNotReady';
}

/**
 * This is not the PostgreSQL on which every binding of a reference was known, so the last bindings may be lost. Nothing
 * was bound.
 */
export class BindingsMayBeLost extends JournalUnavailable {
  /** This PostgreSQL, as in `giro.journal_id`. */
  readonly journalId: string;
  /** The last row of `giro.journal_mark`; 0: none. */
  readonly markId: string;

  constructor(
    readonly since: Date,
    { journalId, markId }: { readonly journalId: string; readonly markId: string },
  ) {
    super('the journal is on another PostgreSQL than before: references may be lost, nothing was bound');
    this.journalId = journalId;
    this.markId = markId;
  }
}

/** Another journal answers than the one that was asked before, e.g. after a failover. Nothing was written. */
export class JournalChanged extends Error {
  override readonly name = 'JournalChanged';
}

/** PostgreSQL refused a statement: a broken guarantee or a bug. Contains no values of the row, which are personal. */
export class JournalStatementError extends Error {
  override readonly name = 'JournalStatementError';
  constructor(
    message: string,
    /** SQLSTATE; the journal's own are `GR001` (lost a race), `GR002` (guard) and `GR003` (append-only). */
    readonly sqlState: string,
  ) {
    super(message);
  }
}

/**
 * SQLSTATEs that say nothing about the statement: connection (08), refused login (28), resources (53), operator
 * intervention (57, with the statement time-out), failures of the operating system (58). Also a missing database, a
 * failed serialisation, a deadlock, a lock time-out, a standby that cannot be written to, and a transaction time-out
 * that an administrator has set.
 */
const UNAVAILABLE_STATES = /^(?:08|28|53|57|58)|^(?:3D000|40001|40P01|55P03|25006|25P04)$/;

/** PostgreSQL cancelled the statement because it took too long. */
const TIMED_OUT_STATES = new Set(['57014', '25P04']);

/** Node's errors of a socket and of name look-up. */
const UNAVAILABLE_CODES =
  /^(?:ECONN|ETIMEDOUT|EPIPE|EPROTO|ENOTFOUND|EAI_|EHOST|ENET|EADDR|ENOENT|EACCES|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** Errors of pg that have no code. */
const UNAVAILABLE_MESSAGES =
  /^(?:timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|There was an error establishing an SSL connection)/;

/**
 * The journal's error for an error of pg. pg's error is neither passed on nor kept as a cause, because its `detail`
 * shows rows in full. `place`: host, port and database, without the login's password.
 */
export function journalError(
  error: unknown,
  statement: string,
  place: string,
  identity: JournalIdentity,
): unknown {
  if (error instanceof DatabaseError) {
    const state = error.code ?? '?????';
    if (UNAVAILABLE_STATES.test(state))
      return new JournalUnavailable(
        `PostgreSQL at ${place}: ${REASONS[state] ?? `SQLSTATE ${state}`}`,
        TIMED_OUT_STATES.has(state),
      );
    return notReady(state, error, place, identity) ?? refused(state, error, statement);
  }
  // Not `instanceof`: a socket's error belongs to Node's own realm, not to that of a test environment.
  if (!types.isNativeError(error)) return error;
  const code = codeOf(error) ?? codeOf(firstOf(error));
  if (code !== null && UNAVAILABLE_CODES.test(code)) {
    return new JournalUnavailable(`PostgreSQL at ${place} cannot be reached (${code})`);
  }
  if (UNAVAILABLE_MESSAGES.test(error.message)) {
    return new JournalUnavailable(`PostgreSQL at ${place}: ${error.message}`);
  }
  return error;
}

const REASONS: Readonly<Record<string, string>> = {
  '28000': 'refuses this login (SQLSTATE 28000)',
  '28P01': 'refuses the password (SQLSTATE 28P01)',
  '3D000': 'has no such database (SQLSTATE 3D000)',
  '53300': 'has no connection left (SQLSTATE 53300)',
  '25P04': 'took too long, the transaction was cancelled (SQLSTATE 25P04)',
  '57014': 'took too long, the statement was cancelled (SQLSTATE 57014)',
  '57P01': 'is shutting down (SQLSTATE 57P01)',
  '57P03': 'is starting up or shutting down (SQLSTATE 57P03)',
  '25006': 'is read-only, perhaps a standby (SQLSTATE 25006)',
};

function notReady(
  state: string,
  error: DatabaseError,
  place: string,
  identity: JournalIdentity,
): JournalNotReady | null {
  if (state === '42501' && error.message.includes('set role')) {
    return new JournalNotReady(
      `the login of DATABASE_URL may not work as role ${identity} at ${place}: ` +
        `GRANT ${identity} TO it, or use the login of this process`,
    );
  }
  if (state === '42501' && identity === 'login') {
    return new JournalNotReady(
      `the login of DATABASE_URL may not do that in the journal at ${place}: this needs its owner's`,
    );
  }
  if (state === '42501') {
    return new JournalNotReady(
      `role ${identity} lacks a grant in the journal at ${place} (${error.message}): run setup`,
    );
  }
  // 22023 comes at connect when the role is missing; the others come when schema, table or sequence are missing.
  if ((state === '22023' && error.message.includes(identity)) || /^(?:3F000|42P01|42703)$/.test(state)) {
    return new JournalNotReady(`the journal at ${place} is missing or older than this program: run setup`);
  }
  return null;
}

function refused(state: string, error: DatabaseError, statement: string): JournalStatementError {
  const own = state.startsWith('GR') ? error.message : `SQLSTATE ${state}`;
  const constraint = error.constraint === undefined ? '' : `, ${error.constraint}`;
  return new JournalStatementError(`journal, ${statement}: ${own}${constraint}`, state);
}

/** A host with several addresses has a failure for each. */
function firstOf(error: Error): unknown {
  return 'errors' in error && Array.isArray(error.errors) ? error.errors[0] : null;
}

function codeOf(error: unknown): string | null {
  return types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
