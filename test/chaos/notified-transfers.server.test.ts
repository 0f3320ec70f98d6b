import { randomBytes } from 'node:crypto';
import { Client as Sql } from 'pg';
import { until } from '../../dev/giro-environment';
import type { SandboxRule } from '../../src/sandbox-bank';
import { freeNotification } from '../../src/sandbox-bank/notifications/notification';
import { nextOriginId, orderOf } from '../e2e/environment';
import { startTestHinting } from '../webhooks/support/test-hinting';
import { startTestReceiver } from '../webhooks/support/test-receiver';
import type { TestReceiver } from '../webhooks/support/test-receiver';
import { arrivals, createsOf, expectSoundBooks } from './books';
import { useChaos } from './chaos-environment';

const MONEY = 'NEW_MONEY_MOVEMENT';
const KYC = 'IDENTITY_VERIFICATION';
const KEY = `whsec_${randomBytes(32).toString('base64')}`;

/** How the bank notifies, by the order's description. */
const WAYS: Readonly<Record<string, NonNullable<SandboxRule['notify']>>> = {
  early: 'early',
  late: { mode: 'late', delayMs: 1_500 },
  lost: 'lost',
  doubled: 'doubled',
  'out of order': 'out-of-order',
  'wrongly signed': 'wrong-signature',
  'flat, by network id': { shape: 'flat', ids: ['networkId'] },
  'by movement id': { ids: ['movementId'] },
};

const chaos = useChaos(
  [
    ...Object.entries(WAYS).map(([description, notify]) => ({
      ...{ match: { description }, states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'], notify },
      // Delays the create's answer, so that the notification comes first, on a busy machine too.
      ...(notify === 'early' ? { create: [{ fault: 'slow' as const, delayMs: 15_000 }] } : {}),
    })),
    // Held: the next look-up comes after ten minutes, unless a hint brings it forward.
    { match: { description: 'held' }, states: ['CREATED'], echo: [{ set: { 'details.amount': 1 } }] },
  ],
  { createTimeoutMs: 30_000 },
);

let receiver: TestReceiver;
let sql: Sql;
let ids: ReadonlyMap<string, number>;

beforeAll(async () => {
  const { env, databaseUrl, scope } = chaos();
  sql = scope.own(new Sql({ connectionString: databaseUrl }), (it) => it.end());
  await sql.connect();
  receiver = scope.own(
    await startTestReceiver(databaseUrl, { WEBHOOK_VERIFY: 'standard' }, { WEBHOOK_SECRET_FILE: KEY }),
    (it) => it.stop(),
  );
  scope.own(await startTestHinting(databaseUrl), (it) => it.stop());
  env.bank.book.subscriptions.replaceAll(
    [MONEY, KYC].map((eventType) => ({
      ...{ eventType, endpoint: receiver.url, info: '' },
      ...{ secretKey: KEY, signature: 'standard' as const },
    })),
  );
  ids = new Map([...Object.keys(WAYS), 'held'].map((way) => [way, nextOriginId()]));
  for (const [way, originId] of ids) await env.giro.startTransfer(orderOf(originId, way));
});

const notifications = (originId: number) =>
  chaos().env.bank.book.notifier.records.filter((it) => it.originId === String(originId));

async function hintsOf(workflowId: string): Promise<number> {
  const { events } = await chaos().env.engine.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal != null)
    .length;
}

test.each(Object.keys(WAYS))('notified %s: the transfer ends as ever, with every gap kept', async (way) => {
  const originId = ids.get(way) ?? 0;
  const { giro } = chaos().env;
  expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status: 'COMPLETED' });
  expect(createsOf(arrivals(chaos(), originId))).toHaveLength(1);
  await expectSoundBooks(chaos(), originId, 'COMPLETED');
  expect(notifications(originId)).toHaveLength(3);
});

test('a notification that was there before the answer of create is a hint already', async () => {
  const originId = ids.get('early') ?? 0;
  const [create] = arrivals(chaos(), originId);
  const [first] = notifications(originId);
  expect(Date.parse(first?.deliveredAt ?? '')).toBeLessThan(Date.parse(create?.finishedAt ?? ''));
  expect(await hintsOf(`transfer-${originId}`)).toBeGreaterThan(0);
});

test('lost and wrongly signed ones hint nothing', async () => {
  for (const way of ['lost', 'wrongly signed']) {
    const originId = ids.get(way) ?? 0;
    expect(await hintsOf(`transfer-${originId}`)).toBe(0);
  }
  const attempts = notifications(ids.get('wrongly signed') ?? 0).flatMap((it) => it.attempts);
  expect(new Set(attempts.map(({ httpStatus }) => httpStatus))).toEqual(new Set([401]));
  const { rows } = await sql.query(
    `select outcome from giro.notification where outcome in ('orphan', 'unreadable')`,
  );
  expect(rows).toEqual([]);
});

test('a held transfer is asked for when its notification comes, not ten minutes later', async () => {
  const originId = ids.get('held') ?? 0;
  const { bank, giro } = chaos().env;
  await until(
    () => giro.transferState(originId, { timeoutMs: 5_000 }),
    ({ phase }) => phase === 'held',
  );
  const before = arrivals(chaos(), originId).length;
  expect(bank.book.restate(String(originId), ['IN_PROGRESS'])).toBe(true);
  await until(
    () => Promise.resolve(arrivals(chaos(), originId).length),
    (count) => count > before,
  );
});

test('a verification is hinted by its requestId', async () => {
  const { bank, giro } = chaos().env;
  const requestId = `req-${nextOriginId()}`;
  await giro.trackVerification(requestId);
  await until(
    () => giro.verificationState(requestId, { timeoutMs: 5_000 }),
    ({ status }) => status === 'Pendiente',
  );
  bank.book.notifier.send(freeNotification(KYC, { event: KYC, requestId, status: 'Aprobado' }));
  await until(
    () => hintsOf(`kyc-${requestId}`),
    (hints) => hints === 1,
  );
  // The content of the notification is not trusted.
  expect(await giro.verificationState(requestId, { timeoutMs: 300_000 })).toMatchObject({ outcome: null });
  await giro.stopVerification(requestId);
});
