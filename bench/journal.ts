import { Client } from 'pg';
import { startPostgres } from '../dev/postgres';
import { madeUpOrder } from '../dev/made-up-order';
import { answerDigest } from '../src/activities/answer-digest';
import { ourBank } from '../src/bank/our-bank';
import { bodyFingerprint, orderFingerprint } from '../src/domain/order-fingerprint';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../src/domain/transfer/answers';
import type { Database } from '../src/journal/context';
import { openDatabase } from '../src/journal/database';
import type { JournalIdentity } from '../src/journal/identity';
import { bindJournal } from '../src/journal/journal';
import type { Journal } from '../src/journal/journal';
import { migrateJournal } from '../src/journal/migrate';
import { toSecond } from '../src/reconciliation/run-window';
import type { Bench } from './bench';
import { fillJournal, TRANSFERS_A_DAY } from './filled-journal';

/**
 * What people and scrapes ask of a journal, over books of two sizes: the statements of the product, on a PostgreSQL that
 * waits for its disk, with everything of the smaller books in memory and what fits of the larger ones.
 */
const SMALL = 100_000;
/** A tenth is open in the small books, and never more than this. */
const OPEN_MAX = 100_000;
const FAST_MS = 100;
const SLOWER_MAX = 2;
const STEP_MAX_MS = 1_000;
const TRANSFER_MAX_BYTES = 3_072;
const ROUNDS = 7;
const PAGE = 100;
const OWN_PATHS = 100;
/** Far above the filled ones. */
const OWN_FROM = 3_000_000_000;

interface Books {
  readonly size: number;
  readonly worker: Journal;
  readonly operator: Journal;
  readonly client: Journal;
  readonly sql: Client;
}

interface Measured {
  /** Of the fastest round, or of the longest step. */
  readonly ms: number;
  readonly note?: string;
}

type Measure = (books: Books) => Promise<Measured>;

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
    const books = {
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

/** Filling need not survive a power cut; what is measured does. */
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

/** The fastest round: others work on the machine too. */
async function fastest(work: (round: number) => Promise<unknown>, rounds = ROUNDS): Promise<Measured> {
  await work(0);
  const took: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const startedMs = performance.now();
    await work(round);
    took.push(performance.now() - startedMs);
  }
  return { ms: Math.min(...took) };
}

/** Some id of the books, another one each round. */
const someId = (size: number, round: number): number => 1 + ((round * 7_919_113) % size);

const listed =
  (filter: { readonly status?: string; readonly needsAttention?: boolean }): Measure =>
  ({ operator }) =>
    fastest(() =>
      operator.transfers({
        ...{ status: filter.status ?? null, needsAttention: filter.needsAttention ?? false },
        limit: PAGE,
      }),
    );

const windowOf = (isDefault: boolean, days: number, second: number) => {
  const now = Date.now() - second * 1_000;
  const asOf = toSecond(now);
  return { asOf, from: toSecond(now - days * 86_400_000), to: asOf, isDefault, statementId: null };
};

const MEASURES: Readonly<Record<string, Measure>> = {
  'a transfer, start to end': async ({ worker, sql, size }) => {
    const before = await walPosition(sql);
    let next = OWN_FROM + size * 10;
    const took = await fastest(async () => {
      for (let i = 0; i < OWN_PATHS / 10; i += 1) await ownPath(worker, (next += 1));
    }, 10);
    const wal = (await walPosition(sql)) - before;
    return {
      ms: took.ms / (OWN_PATHS / 10),
      note: `${(wal / (next - OWN_FROM - size * 10) / 1024).toFixed(1)} KB of WAL`,
    };
  },
  show: ({ operator, size }) => fastest((round) => operator.transfer(someId(size, round)), 50),
  'look-up by reference': ({ client, size }) =>
    fastest((round) => client.bindReference(`order-${2 * someId(size / 2, round)}`), 50),
  'look-up by ids': ({ worker, sql, size }) =>
    fastest(async (round) => {
      const { rows } = await sql.query<{ movement_id: string; network_id: string }>(
        'select movement_id, network_id from giro.answer where origin_id = $1 and movement_id is not null limit 1',
        [someId(size, round)],
      );
      await worker.transfersOf({
        originIds: [someId(size, round)],
        movementIds: rows.map((row) => row.movement_id),
        networkIds: rows.map((row) => row.network_id),
      });
    }, 50),
  list: listed({}),
  'list COMPLETED': listed({ status: 'COMPLETED' }),
  'list FAILED': listed({ status: 'FAILED' }),
  'list REFUSED': listed({ status: 'REFUSED' }),
  'list DELAYED': listed({ status: 'DELAYED' }),
  'list sending': listed({ status: 'sending' }),
  'list held': listed({ status: 'held' }),
  'list a status that none has': listed({ status: 'EN_TRAMITE' }),
  'needs attention': listed({ needsAttention: true }),
  'needs attention, DELAYED': listed({ needsAttention: true, status: 'DELAYED' }),
  'needs attention, COMPLETED': listed({ needsAttention: true, status: 'COMPLETED' }),
  'annulments, a page': ({ operator }) =>
    fastest(() => operator.annulments({ since: null, after: null, limit: 1_000 })),
  'annulments of a day, a page': ({ operator }) =>
    fastest(() =>
      operator.annulments({
        since: new Date(Date.now() - 86_400_000).toISOString(),
        after: null,
        limit: 500,
      }),
    ),
  incidents: ({ operator }) => fastest(() => operator.incidents({ open: true, limit: PAGE })),
  'orphan debits': ({ operator }) =>
    fastest(() => operator.orphanDebits({ since: null, before: null, after: 0, limit: PAGE })),
  reconciliations: ({ operator }) => fastest(() => operator.reconciliations({ limit: PAGE })),
  'breaks, open': ({ operator }) =>
    fastest(() =>
      operator.breaks({ unresolved: true, class: null, firstSeenBefore: null, after: null, limit: PAGE }),
    ),
  statistics: ({ worker, sql }) =>
    fastest(async () => {
      await sql.query(`update giro.figures set taken_at = '-infinity'`);
      await worker.figures();
    }),
  'inbox backlog': ({ worker }) => fastest(() => worker.inboxBacklog()),
  'creates without an answer': ({ operator }) => fastest(() => operator.createsUnderWay()),
  'unsent, counted': ({ operator }) => fastest(() => operator.countUnsent()),
  'unsent, listed': ({ operator }) => fastest(() => operator.unsentTransfers({ limit: PAGE })),
  'orders that may be sent': ({ operator }) =>
    fastest(() => operator.sendableOrders({ after: 0, limit: PAGE })),
  'events, the first 1000': ({ client }) => fastest(() => client.events({ after: null, limit: 1_000 })),
  'recovery: a page': ({ worker }) =>
    fastest(() => worker.openTransfersInTurn({ after: null, began: null, limit: 500 })),
  'recovery: marks of a step': async ({ worker }) => {
    const { turns } = await worker.openTransfersInTurn({ after: null, began: null, limit: 20 });
    return fastest(() => worker.markLookedAt(turns.map(({ originId }) => originId)));
  },
  'audit: transfers counted': ({ operator }) => fastest(() => operator.countTransfers()),
  'audit: records without a number': ({ operator }) => fastest(() => operator.unnumberedRecords()),
  'references without a transfer': async ({ worker }) => {
    const { from, to } = windowOf(true, 3, 0);
    return longestStep(() => worker.boundWithoutTransfer({ from, to, after: 0, limit: 200 }));
  },
  'reconciliation opens': (books) => opening(books, true, 3, 10),
  'reconciliation of 30 days opens': (books) => opening(books, false, 30, 20),
  'reconciliation: a page': async ({ worker, operator }) => {
    const [latest] = await operator.reconciliations({ limit: 1 });
    return fastest(() => worker.runPage({ asOf: latest?.asOf ?? '', after: 0, limit: 200 }));
  },
};

/** Done in steps, each of which may take a second. */
const STEPS: ReadonlySet<string> = new Set([
  'references without a transfer',
  'reconciliation opens',
  'reconciliation of 30 days opens',
  'reconciliation: a page',
]);

async function longestStep(work: () => Promise<unknown>): Promise<Measured> {
  longestMs = 0;
  const startedMs = performance.now();
  await work();
  return {
    ms: longestMs,
    note: `the longest step; ${((performance.now() - startedMs) / 1_000).toFixed(1)} s in all`,
  };
}

async function opening(
  { worker }: Books,
  isDefault: boolean,
  days: number,
  second: number,
): Promise<Measured> {
  const window = windowOf(isDefault, days, second);
  const { ms, note = '' } = await longestStep(() => worker.openRun(window));
  const listed = (await worker.runProgress(window.asOf))?.total ?? 0;
  return { ms, note: `${note}, ${listed} listed` };
}

/** Of the statements since it was set to 0. */
let longestMs = 0;

const watched = (database: Database): Database => ({
  async run(...args) {
    const startedMs = performance.now();
    try {
      return await database.run(...args);
    } finally {
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
  },
});

/** Nine statements, as of a transfer that completes after two look-ups. */
async function ownPath(worker: Journal, originId: number): Promise<void> {
  const order = madeUpOrder(originId, 'bench');
  const orderSha256 = orderFingerprint(order);
  await worker.openTransfer({
    order,
    orderSha256,
    bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
  });
  for (const [index, status] of ['CREATED', 'IN_PROGRESS', 'COMPLETED'].entries()) {
    const number = index + 1;
    const movement: SeenMovement = {
      ...{ status, movementId: `own-${originId}`, network: 'COELSA', networkId: `OWN${originId}` },
      ...{ postingAt: '2026-01-05T10:00:00Z', completedAt: null, evidenceSha256: 'ab'.repeat(32) },
      ...({ echo: 'match', echoFields: [] } as const),
    };
    const answer: CreateAnswer | LookupAnswer =
      number === 1 ? { kind: 'answered', movement } : { kind: 'movement', movement };
    await worker.claimRequest({ originId, number, kind: number === 1 ? 'create' : 'lookup', runId: 'bench' });
    await worker.recordAnswer({ originId, number, answer, digest: answerDigest(answer) });
  }
  await worker.recordResult({
    ...{ originId, status: 'COMPLETED', movementId: `own-${originId}`, network: 'COELSA' },
    ...{ networkId: `OWN${originId}`, amount: { currency: '032', value: '1500.25' }, annulmentId: null },
    ...{ decidedBy: 'bank', reason: null, orderSha256 },
  });
}

async function walPosition(sql: Client): Promise<number> {
  const { rows } = await sql.query<{ at: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as at`);
  return Number(rows[0]?.at);
}

interface BytesOfTransfer {
  readonly table: string;
  readonly each: number;
}

/** Tables and their indexes; without the inbox and what reconciliations keep for a while. */
async function bytesOfTransfer(sql: Client, size: number): Promise<BytesOfTransfer[]> {
  const { rows } = await sql.query<{ table: string; bytes: string }>(
    `select c.relname as table, pg_total_relation_size(c.oid) as bytes
     from pg_class c where c.relnamespace = 'giro'::regnamespace and c.relkind = 'r'
       and c.relname not in ('notification', 'reconciled', 'reconciliation_item') order by 2 desc limit 8`,
  );
  return rows.map(({ table, bytes }) => ({ table, each: Number(bytes) / size }));
}
