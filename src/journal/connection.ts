import type { ClientConfig } from 'pg';
import { CLAIM_ANSWER_MS } from '../domain/transfer/cadence';
import { JournalNotReady } from './errors';
import type { JournalIdentity } from './identity';

export interface Timeouts {
  readonly connectMs: number;
  /** The server cancels a statement after this time. */
  readonly statementMs: number;
}

/** The client gives up on a silent server (a lost network) this much later than the server would cancel. */
const READ_MARGIN_MS = 2_000;

const TIMEOUTS: Timeouts = { connectMs: 5_000, statementMs: CLAIM_ANSWER_MS - READ_MARGIN_MS };

/**
 * Connect time-out for migrations. The statements of a migration have no time-out; `migrate.ts` limits how long they
 * wait for a lock.
 */
const OWNER_CONNECT_TIMEOUT_MS = 30_000;

/**
 * Settings sent when a connection starts, so that they cost no round trip. The statements rely on read committed (a
 * guard reads with a fresh snapshot) and on commits that survive a crash (a claim must outlive it).
 */
const startOptions = (identity: JournalIdentity): string =>
  [
    ...(identity === 'login' ? [] : [`-c role=${identity}`]),
    '-c default_transaction_isolation=read\\ committed',
    '-c synchronous_commit=on',
  ].join(' ');

/** How the journal connects at run time. */
export function runtimeConnection(
  url: string,
  identity: JournalIdentity,
  { connectMs, statementMs } = TIMEOUTS,
): ClientConfig {
  return {
    ...connection(url, startOptions(identity)),
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + READ_MARGIN_MS,
  };
}

/** How migrations connect: as the login itself, which owns what they create. */
export function ownerConnection(url: string): ClientConfig {
  return { ...connection(url, null), connectionTimeoutMillis: OWNER_CONNECT_TIMEOUT_MS };
}

/** Parameters of node-postgres. In an address they would replace our own limits. */
const TIME_LIMITS = ['connectionTimeoutMillis', 'statement_timeout', 'query_timeout'] as const;

/** Options in the address are kept; ours come last and win. */
function connection(url: string, options: string | null): ClientConfig {
  const address = parse(url);
  // Without a host, PGHOST could name another server than the one that the configuration has checked.
  const host = address.searchParams.getAll('host').at(-1) ?? '';
  if (address.hostname === '' && host === '') address.searchParams.set('host', 'localhost');
  for (const name of TIME_LIMITS) address.searchParams.delete(name);
  if (options !== null) {
    const given = address.searchParams.get('options');
    address.searchParams.set('options', given === null ? options : `${given} ${options}`);
  }
  return {
    connectionString: address.href,
    application_name: 'giro',
    keepAlive: true,
  };
}

/** The journal's address as `host:port/database`, without login and password. */
export function placeOf(url: string): string {
  const address = parse(url);
  const host = address.hostname === '' ? (address.searchParams.get('host') ?? 'socket') : address.hostname;
  return `${host}:${address.port === '' ? '5432' : address.port}${address.pathname}`;
}

function parse(url: string): URL {
  // The address contains a password, so it stays out of the message.
  if (!URL.canParse(url))
    throw new JournalNotReady('DATABASE_URL is not the address of a PostgreSQL database');
  return new URL(url);
}
