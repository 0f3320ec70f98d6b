import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { ownerConnection, placeOf } from './connection';
import { journalError, JournalNotReady, JournalUnavailable } from './errors';
import {
  changedMessage,
  planMigrations,
  readMigrations,
  statementsOutsideTransaction,
} from './migration-files';
import type { AppliedMigration, Migration } from './migration-files';

/**
 * Why no library: node-pg-migrate is only an ES module (no `require` for CommonJS and jest), and the runner must check
 * that an applied file is unchanged. Rules: one session at a time, each file in one transaction unless its first line
 * says `-- no transaction`, never a file twice, never a changed file.
 */

/** Key of the advisory lock: the bytes of "giro", so that no other program uses the same key. */
const LOCK_KEY = 0x6769726f;
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_RETRY_MS = 200;

export interface MigrationReport {
  /** Files applied now. */
  readonly applied: readonly string[];
  /** Files of a newer program that are already applied; they are ignored. */
  readonly newer: readonly string[];
}

export interface MigrateOptions {
  /** Where the SQL files are; default: this program's own. */
  readonly folder?: string;
}

/**
 * Brings the journal at `url` to the version of this program; a second run changes nothing. The login must own the
 * schema `giro`, or be allowed to create it and the roles of `JOURNAL_ROLES`.
 */
export async function migrateJournal(url: string, options: MigrateOptions = {}): Promise<MigrationReport> {
  const known = await readMigrations(options.folder);
  const place = placeOf(url);
  const client = new Client(ownerConnection(url));
  // The next statement reports a connection that was lost in between.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await lock(client, place);
    const { pending, newer, changed } = planMigrations(known, await readApplied(client));
    if (changed.length > 0) throw new JournalNotReady(changedMessage(changed));
    for (const migration of pending) await apply(client, migration);
    return { applied: pending.map(({ name }) => name), newer };
  } catch (error) {
    throw journalError(error, 'migration', place, 'login');
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Takes the lock for this session, so the lock ends with the session in any case. Polls: a session that waits for the
 * lock inside a statement has a snapshot, and `create index concurrently` of the holder would wait for that session.
 */
async function lock(client: Client, place: string): Promise<void> {
  const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [LOCK_KEY]);
    if (rows[0]?.ok === true) return;
    if (performance.now() > deadlineMs)
      throw new JournalUnavailable(`another set-up is at work on the journal at ${place}`);
    await setTimeout(LOCK_RETRY_MS);
  }
}

async function readApplied(client: Client): Promise<readonly AppliedMigration[]> {
  // Checked first: `create schema if not exists` needs the right to create a schema even if it exists.
  const { rows: found } = await client.query("select 1 where to_regclass('giro.migration') is not null");
  if (found.length === 0) await create(client);
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, checksum from giro.migration order by number',
  );
  return rows;
}

async function create(client: Client): Promise<void> {
  try {
    await client.query(`
      create schema if not exists giro;
      create table giro.migration (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default clock_timestamp()
      )`);
  } catch (error) {
    throw explained(error, 'schema giro');
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const { name, sql } = migration;
  const statements = statementsOutsideTransaction(sql);
  try {
    if (statements === null) {
      await client.query('begin');
      await client.query(sql);
      await record(client, migration);
      await client.query('commit');
    } else {
      for (const statement of statements) await client.query(statement);
      await record(client, migration);
    }
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw explained(error, `migration ${name}`);
  }
}

async function record(client: Client, { number, name, checksum }: Migration): Promise<void> {
  await client.query('insert into giro.migration (number, name, checksum) values ($1, $2, $3)', [
    number,
    name,
    checksum,
  ]);
}

/**
 * Migrations contain no personal values, so PostgreSQL's message may be shown; a lost connection is still reported as
 * such.
 */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  if (!/^(?:42|P0|2B|23)/.test(error.code)) return error;
  const hint = 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : '';
  return new JournalNotReady(`${what}: ${error.message} (SQLSTATE ${error.code}).${hint}`);
}
