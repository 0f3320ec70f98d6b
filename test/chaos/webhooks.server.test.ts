import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Client as Sql } from 'pg';
import { lastingPort } from '../../dev/free-port';
import { until } from '../../dev/giro-environment';
import { startPostgres } from '../../dev/postgres';
import { startReceiverProcess } from '../../dev/receiver-process';
import { Scope } from '../../dev/scope';
import { tokenAccess } from '../../dev/bank-access';
import { startWorkerProcess } from '../../dev/worker-process';
import type { ServiceProcess } from '../../dev/service-process';
import { createJournal } from '../../src/journal/create-journal';
import { migrateJournal } from '../../src/journal/migrate';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { freeNotification } from '../../src/sandbox-bank/notifications/notification';
import { nextOriginId } from '../e2e/environment';
import { anOpening } from '../journal/support/transfers';
import { testServers } from '../support/servers';

const EVENT_TYPE = 'NEW_MONEY_MOVEMENT';
const PATH_SECRET = 'chaos-path-secret-0123456789-abcdefgh';
const TRANSFERS = 20;
const NOTIFICATIONS = 400;
const EVERY_MS = 10;
const HINT_GAP_MS = 5_000;

const scope = new Scope();
afterAll(() => scope.release());

async function boot() {
  const { temporalAddress } = testServers();
  const postgres = scope.own(await startPostgres({ log: (line) => console.error(line) }), (it) => it.stop());
  const databaseUrl = await postgres.createDatabase('giro');
  await migrateJournal(databaseUrl);
  const sql = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Sql({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const connection = scope.own(await Connection.connect({ address: temporalAddress }), (it) => it.close());
  const engine = new Client({ connection });
  const originIds = Array.from({ length: TRANSFERS }, nextOriginId);
  const { journal, close } = createJournal(databaseUrl);
  // No worker serves this queue: its runs only receive signals.
  const taskQueue = `giro-chaos-${randomUUID()}`;
  for (const originId of originIds) {
    const opening = anOpening(originId);
    await journal.openTransfer(opening);
    const workflowId = `transfer-${originId}`;
    await engine.workflow.start('transfer', { taskQueue, workflowId, args: [opening.order] });
    scope.own(engine.workflow.getHandle(workflowId), async (handle) => {
      await handle.terminate();
    });
  }
  await close();

  const address = `127.0.0.1:${await lastingPort()}`;
  const startReceiver = async (): Promise<ServiceProcess> =>
    scope.own(await startReceiverProcess({ databaseUrl, address, pathSecret: PATH_SECRET }), async (it) => {
      await it.stop();
    });
  const bank = scope.own(await startSandboxBank({ tls: false }), (it) => it.close());
  bank.book.subscriptions.replaceAll([
    {
      ...{ eventType: EVENT_TYPE, endpoint: `http://${address}/webhooks/${PATH_SECRET}`, info: '' },
      ...{ secretKey: null, signature: 'standard' },
    },
  ]);
  // The worker sends hints; its task queue has no runs.
  const startWorker = async (): Promise<ServiceProcess> =>
    scope.own(
      await startWorkerProcess({
        ...{ temporalAddress, databaseUrl, taskQueue: `giro-chaos-${randomUUID()}` },
        access: tokenAccess(bank, 'a-token'),
      }),
      async (it) => {
        await it.stop();
      },
    );
  return { postgres, sql, engine, originIds, bank, startReceiver, startWorker };
}

/** Sends the notifications at even intervals, so that the faults come while they arrive. */
async function notifyAll(bank: SandboxBank, originIds: readonly number[]): Promise<void> {
  for (let n = 0; n < NOTIFICATIONS; n += 1) {
    const originId = originIds[n % TRANSFERS];
    const body = { id: `n-${n}`, data: { details: { originId } } };
    bank.book.notifier.send(freeNotification(EVENT_TYPE, body));
    await sleep(EVERY_MS);
  }
}

test('receiver and worker killed and PostgreSQL stopped in the middle: what was answered 200 is there, the rest is repeated, all are hinted', async () => {
  const { postgres, sql, engine, originIds, bank, startReceiver, startWorker } = await boot();
  const { records } = bank.book.notifier;
  const delivered = () => records.filter(({ deliveredAt }) => deliveredAt !== null).length;
  const attempts = () => records.flatMap((record) => record.attempts.map(({ httpStatus }) => httpStatus));
  const more = async (count: () => number, by: number) => {
    const before = count();
    await until(
      () => Promise.resolve(count()),
      (now) => now >= before + by,
    );
  };
  const failed = () => attempts().filter((status) => status === null).length;
  const refused = () => attempts().filter((status) => status === 503).length;
  const stored = async () =>
    new Set(
      (
        await sql<{ id: string }>(
          `select convert_from(body, 'UTF8')::jsonb ->> 'id' as id from giro.notification`,
        )
      ).map(({ id }) => id),
    );
  const expectAnsweredStored = async () => {
    const ids = answered();
    const there = await stored();
    expect(ids.filter((id) => !there.has(id))).toEqual([]);
  };
  const answered = () => records.flatMap(({ deliveredAt }, n) => (deliveredAt === null ? [] : [`n-${n}`]));

  const [first, doomed] = await Promise.all([startReceiver(), startWorker()]);
  const notifying = notifyAll(bank, originIds);
  await more(delivered, 50);
  await first.kill();
  await expectAnsweredStored();
  await more(failed, 10);
  await doomed.kill();
  await startWorker();
  const second = await startReceiver();
  await more(delivered, 50);
  await postgres.halt();
  await more(refused, 10);
  await postgres.resume();
  await expectAnsweredStored();
  await notifying;
  await until(
    () => Promise.resolve(delivered()),
    (count) => count === NOTIFICATIONS,
  );

  const counted = () =>
    sql<{ rows: number; ids: number; waiting: number }>(
      `select count(*)::int as rows, count(distinct convert_from(body, 'UTF8')::jsonb ->> 'id')::int as ids,
         (count(*) filter (where due_at is not null))::int as waiting
       from giro.notification`,
    );
  expect(await counted()).toEqual([expect.objectContaining({ rows: NOTIFICATIONS, ids: NOTIFICATIONS })]);
  // Notifications that the killed worker had leased would be due again after a minute: make them due now.
  await sql('update giro.notification set due_at = clock_timestamp() where due_at is not null');
  await until(counted, ([it]) => it?.waiting === 0);
  expect(
    await sql(`select distinct outcome from giro.notification where outcome not in ('hinted', 'merged')`),
  ).toEqual([]);
  for (const originId of originIds) {
    const { events } = await engine.workflow.getHandle(`transfer-${originId}`).fetchHistory();
    const hintedAtMs = (events ?? []).flatMap(
      ({ eventTime, workflowExecutionSignaledEventAttributes: signal }) =>
        signal?.signalName === 'movementHint'
          ? [Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1e6]
          : [],
    );
    const overMs = (hintedAtMs.at(-1) ?? 0) - (hintedAtMs[0] ?? 0);
    expect(hintedAtMs.length).toBeGreaterThan(0);
    // The gap is between grants. These are the times of signals, each a moment after its grant: hence the rounding.
    expect(hintedAtMs.length).toBeLessThanOrEqual(Math.round(overMs / HINT_GAP_MS) + 1);
  }
  expect(await second.stop()).toBe(0);
});
