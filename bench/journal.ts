import { Client } from 'pg';
import { startPostgres } from '../dev/postgres';
import { openDatabase } from '../src/journal/database';
import type { JournalIdentity } from '../src/journal/identity';
import { bindJournal } from '../src/journal/journal';
import type { Journal } from '../src/journal/journal';
import { migrateJournal } from '../src/journal/migrate';
import type { Bench } from './bench';
import { fillJournal, TRANSFERS_A_DAY } from './filled-journal';
import { MEASURES, STEPS, watched } from './journal-measures';
import type { Books, Measured } from './journal-measures';

/**
 * The product's statements for people and for metrics, over books of two sizes. PostgreSQL waits for its disk. The
 * smaller books fit into memory, the larger ones only in part.
 */
const SMALL = 100_000;
/** A tenth of the transfers is open, but at most this many. */
const OPEN_MAX = 100_000;
const FAST_MS = 100;
const SLOWER_MAX = 2;
const STEP_MAX_MS = 1_000;
const TRANSFER_MAX_BYTES = 3_072;

export const journal: Bench = async (scope, { say, transfers }) => {
  const server = scope.own(await startPostgres({ log: say, durable: true }), (it) => it.stop());
  const admin = scope.own(new Client({ connectionString: server.adminUrl }), (it) => it.end());
  await admin.connect();

  const sizes = [SMALL, transfers];
  const found = new Map<string, Measured[]>();
  const failures: string[] = [];
  let bytes: BytesOfTransfer[] = [];
  for (const size of sizes) {
    const url = await server.createDatabase(`giro_${size}`);
    await migrateJournal(url);
    const sql = scope.own(new Client({ connectionString: url }), (it) => it.end());
    await sql.connect();
    await withoutFsync(admin, async () => {
      await fillJournal(sql, { count: size, open: Math.min(size / 10, OPEN_MAX) });
      say(`${size} transfers are written`);
      await sql.query('vacuum (analyze)');
    });
    say('vacuumed and analyzed');
    const as = (identity: JournalIdentity): Journal =>
      bindJournal(watched(scope.own(openDatabase(url, { identity }), (it) => it.close())), {
        keyRing: null,
        clearBefore: null,
      });
    const books: Books = {
      ...{ size, sql, worker: as('giro_runtime'), operator: as('giro_operator'), client: as('giro_client') },
    };
    for (const [name, measure] of Object.entries(MEASURES)) {
      const measured = await measure(books).catch((error: unknown) => {
        failures.push(
          `${name}, ${size} transfers: ${error instanceof Error ? error.message : String(error)}`,
        );
        return { ms: NaN };
      });
      found.set(name, [...(found.get(name) ?? []), measured]);
      say(`${name}: ${measured.ms.toFixed(1)} ms`);
    }
    bytes = await bytesOfTransfer(sql, size);
  }

  for (const [name, [small, large]] of found) {
    if (small === undefined || large === undefined || Number.isNaN(large.ms)) continue;
    const isStep = STEPS.has(name);
    const isFast = large.ms <= (isStep ? STEP_MAX_MS : FAST_MS);
    if (!isFast) failures.push(`${name}: ${large.ms.toFixed(0)} ms`);
    else if (!isStep && large.ms > SLOWER_MAX * small.ms && large.ms > FAST_MS / 4)
      failures.push(
        `${name}: grows with the books, from ${small.ms.toFixed(1)} to ${large.ms.toFixed(1)} ms`,
      );
  }
  const total = bytes.reduce((sum, { each }) => sum + each, 0);
  if (total > TRANSFER_MAX_BYTES) failures.push(`${total.toFixed(0)} bytes a transfer`);
  return {
    title: `journal: what is asked of it, ${SMALL} and ${transfers} transfers, ${TRANSFERS_A_DAY} a day; ms, warm`,
    head: ['', ...sizes.map(String), ''],
    rows: [
      ...[...found].map(([name, measured]) => [
        name,
        ...measured.map(({ ms }) => ms.toFixed(1)),
        measured.at(-1)?.note ?? '',
      ]),
      ...bytes.map(({ table, each }) => [`bytes a transfer: ${table}`, '', each.toFixed(0), '']),
      ['bytes a transfer', '', total.toFixed(0), ''],
    ],
    failures,
  };
};

/** While the journal is filled, commits need not survive a power cut; while statements are measured, they do. */
async function withoutFsync(sql: Client, work: () => Promise<void>): Promise<void> {
  const set = async (value: 'off' | 'on'): Promise<void> => {
    await sql.query(`alter system set fsync = ${value}`);
    await sql.query(`alter system set synchronous_commit = ${value}`);
    await sql.query(`alter system set max_wal_size = '8GB'`);
    await sql.query('select pg_reload_conf()');
  };
  await set('off');
  await work();
  await set('on');
  await sql.query('checkpoint');
}

interface BytesOfTransfer {
  readonly table: string;
  readonly each: number;
}

/** Bytes of tables and indexes, without the inbox and the details of reconciliations. */
async function bytesOfTransfer(sql: Client, size: number): Promise<BytesOfTransfer[]> {
  const { rows } = await sql.query<{ table: string; bytes: string }>(
    `select c.relname as table, pg_total_relation_size(c.oid) as bytes
     from pg_class c where c.relnamespace = 'giro'::regnamespace and c.relkind = 'r'
       and c.relname not in ('notification', 'reconciled', 'reconciliation_item') order by 2 desc limit 8`,
  );
  return rows.map(({ table, bytes }) => ({ table, each: Number(bytes) / size }));
}
