import type { Client } from 'pg';
import { madeUpOrder } from '../dev/made-up-order';
import { answerDigest } from '../src/activities/answer-digest';
import { ourBank } from '../src/bank/our-bank';
import { bodyFingerprint, orderFingerprint } from '../src/domain/order-fingerprint';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../src/domain/transfer/answers';
import type { Database } from '../src/journal/context';
import type { Journal } from '../src/journal/journal';
import { toSecond } from '../src/reconciliation/run-window';

const ROUNDS = 7;
const PAGE = 100;
const OWN_PATHS = 100;
/** First originId of transfers that a measurement makes: far above those of the filled journal. */
const OWN_FROM = 3_000_000_000;

export interface Books {
  readonly size: number;
  readonly worker: Journal;
  readonly operator: Journal;
  readonly client: Journal;
  readonly sql: Client;
}

export interface Measured {
  /** Time of the fastest round, or of the longest step. */
  readonly ms: number;
  readonly note?: string;
}

export type Measure = (books: Books) => Promise<Measured>;

/** The time of the fastest round, because the machine has other work. */
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

/** An id in the books, a different one in each round. */
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

/** Measurements of the product's own statements, by name. */
export const MEASURES: Readonly<Record<string, Measure>> = {
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
      await sql.query(`update giro.statistics set taken_at = '-infinity'`);
      await worker.statistics();
    }),
  'inbox backlog': ({ worker }) => fastest(() => worker.inboxBacklog()),
  'creates without an answer': ({ operator }) => fastest(() => operator.createsInFlight()),
  'unsent, counted': ({ operator }) => fastest(() => operator.countUnsent()),
  'unsent, listed': ({ operator }) => fastest(() => operator.unsentTransfers({ after: null, limit: PAGE })),
  'orders that may be sent': ({ operator }) =>
    fastest(() => operator.sendableOrders({ after: 0, limit: 1_000 })),
  'events, the first 1000': ({ client }) => fastest(() => client.events({ after: null, limit: 1_000 })),
  'recovery: a page': ({ worker }) =>
    fastest(() => worker.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 500 })),
  'recovery: marks of a step': async ({ worker }) => {
    const { turns } = await worker.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 20 });
    return fastest(() => worker.markTransfersChecked(turns.map(({ originId }) => originId)));
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

/** Measurements of work in steps, each of which may take a second. */
export const STEPS: ReadonlySet<string> = new Set([
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
    note: `the longest step; ${((performance.now() - startedMs) / 1_000).toFixed(1)} s in total`,
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

/** Longest time of a statement since the last reset to 0. */
let longestMs = 0;

/** Notes the longest statement in `longestMs`. */
export const watched = (database: Database): Database => ({
  async run(...args) {
    const startedMs = performance.now();
    try {
      return await database.run(...args);
    } finally {
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
  },
});

/** The nine statements of a transfer that completes after two look-ups. */
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
