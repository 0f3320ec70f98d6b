import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { parse } from 'lossless-json';
import { Client as Sql } from 'pg';
import { dataConverterOf } from '../../src/codec/data-converter';
import { journalKeyRing, orderCipher } from '../../src/journal/ciphers';
import type { GiroEvent } from '../../src/journal/event-feed';
import type { Books, JournalBook, RunHistory } from '../../test/chaos/auditor/books';
import { handledEvents } from '../handled-events';
import type { PlannedTransfer } from './plan';
import { bundleOf } from './system';
import type { SimulatedSystem } from './system';

const TABLES = [
  'transfer',
  'request',
  'inquiry',
  'answer',
  'result',
  'annulment',
  'decision',
  'flags',
] as const;
type Collected = Pick<SimulatedSystem, 'env' | 'databaseUrl' | 'keys'> & {
  /** The workflow code that replays the histories; default: the bundle of the build. */
  readonly workflowBundlePath?: string;
};

const EVENTS_A_PAGE = 1_000;

/** Copies the books of bank, journal and engine as plain JSON, and adds what the caller has collected. */
export async function collectBooks(
  system: Collected,
  given: readonly Pick<PlannedTransfer, 'order' | 'rule'>[],
  others: Pick<Books, 'cancels' | 'terms' | 'verifications' | 'reconciliation'>,
): Promise<Books> {
  const { book } = system.env.bank;
  const originIds = given.map(({ order }) => order.originId);
  return {
    orders: given.map(({ order: { originId, body, from, to } }) => ({
      ...{ originId: String(originId), amount: body.amount, currency: body.currencyId, from, to },
    })),
    bank: {
      movements: book.movements(),
      // A copy: the bank may still change its own records, and later requests are not part of these books.
      requests: book.requests().map((it) => ({ ...it })),
      twisted: Object.fromEntries(
        given.map(({ order, rule }) => [
          order.originId,
          {
            isWrong: rule.echo?.some(({ set }) => set !== undefined) === true,
            isIncomplete: rule.echo?.some(({ omit }) => omit !== undefined) === true,
          },
        ]),
      ),
    },
    journal: await journalBook(system),
    histories: await historiesOf(system, originIds),
    ...others,
  };
}

async function journalBook({ env, databaseUrl, keys }: Collected): Promise<JournalBook> {
  const sql = new Sql({ connectionString: databaseUrl });
  await sql.connect();
  try {
    await sql.query(`set timezone to 'UTC'`);
    const book: Record<string, Record<string, unknown>[]> = {};
    for (const table of TABLES) {
      const { rows } = await sql.query<{ row: string }>(
        `select to_jsonb(t)::text as row from giro.${table} t order by to_jsonb(t) ->> 'record_id', to_jsonb(t) ->> 'number'`,
      );
      // Numbers stay text, because a double may not hold an id or an amount exactly.
      book[table] = rows.map(({ row }) => readRow(row));
    }
    const orders = orderCipher(keys === null ? null : journalKeyRing(keys.whole));
    for (const row of book['transfer'] ?? [])
      if (typeof row['order_json'] === 'string')
        row['order_json'] = textOf(orders.openOrder(row['order_json'], Number(row['origin_id'])));
    const events: GiroEvent[] = [];
    for (;;) {
      const after = events.at(-1)?.cursor ?? null;
      const page = await env.giro.events({ after, limit: EVENTS_A_PAGE });
      events.push(...page);
      if (page.length < EVENTS_A_PAGE) break;
    }
    const told = events.map(({ cursor, kind, originId }) => ({ cursor, kind, originId: String(originId) }));
    return { ...(book as unknown as Omit<JournalBook, 'events'>), events: told };
  } finally {
    await sql.end();
  }
}

const readRow = (text: string) =>
  parse(text, null, { parseNumber: (number) => number }) as Record<string, unknown>;

/** A decrypted order, in the form that an order in clear has in its row. */
const textOf = (order: unknown): unknown => readRow(JSON.stringify(order));

async function historiesOf(
  { env, keys, workflowBundlePath = bundleOf(keys) }: Collected,
  originIds: readonly number[],
): Promise<readonly RunHistory[]> {
  const found = [];
  for (const originId of originIds) {
    const workflowId = `transfer-${originId}`;
    for await (const { runId } of env.engine.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      const history = await env.engine.workflow.getHandle(workflowId, runId).fetchHistory();
      found.push({ originId, workflowId, runId, history });
    }
  }
  const errors = new Map<string, string>();
  const dataConverter = dataConverterOf(keys?.whole ?? null, 'default');
  const results = Worker.runReplayHistories(
    {
      workflowBundle: { codePath: workflowBundlePath },
      ...(dataConverter === undefined ? {} : { dataConverter }),
    },
    found.map((it) => ({ ...it, history: handledEvents(it.history) })),
  );
  for await (const { runId, error } of results) if (error !== undefined) errors.set(runId, error.message);
  const codec = dataConverter?.payloadCodecs?.[0];
  const open = async (payload: Payload): Promise<Payload> => (await codec?.decode([payload]))?.[0] ?? payload;
  const runs = await Promise.all(
    found.map(async ({ originId, runId, history }) => {
      const events = history.events ?? [];
      const started = events[0]?.workflowExecutionStartedEventAttributes;
      return {
        ...{ originId: String(originId), runId, startedAt: timeOf(events[0]) },
        firstRunId: started?.firstExecutionRunId ?? runId,
        eventCount: events.length,
        // A replay reports a run under its original run id: a reset run keeps that of the run before.
        replayError: errors.get(started?.originalExecutionRunId ?? runId) ?? null,
        completedAs: await statusOf(events.at(-1), open),
        events: events.map((it) => `${timeOf(it)} ${temporal.api.enums.v1.EventType[it.eventType ?? 0]}`),
      };
    }),
  );
  return runs.sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent | undefined;

const timeOf = (event: HistoryEvent): string =>
  new Date(
    Number(event?.eventTime?.seconds ?? 0) * 1_000 + (event?.eventTime?.nanos ?? 0) / 1e6,
  ).toISOString();

async function statusOf(
  last: HistoryEvent,
  open: (payload: Payload) => Promise<Payload>,
): Promise<string | null> {
  const payload = last?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
  if (payload === undefined) return null;
  return defaultPayloadConverter.fromPayload<{ readonly status: string }>(await open(payload)).status;
}
