import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { ourBank } from '../../src/bank/our-bank';
import { parseKeyRing } from '../../src/codec/key-ring';
import type { TransferOrder } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import type { DecisionAction } from '../../src/client';
import type { UnbelievedOrder } from '../../src/domain/transfer/answers';
import { transferRuns } from '../../src/engine/runs';
import { recover } from '../../src/recovery/recover';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import type { TestEnvironment } from './environment';

/** A login that may only write rows of the journal can pay within the limits, and only without a key ring. */

const FAST = { pollActiveMs: 300, pollDelayedMs: 300 };
const THEFT = '9999999.00';
const limited = useEnvironment({ settings: FAST, orderLimits: { amountMax: '10.00' } });
const encrypted = useEnvironment({
  settings: FAST,
  keyRing: ringOf({ active: 'k1', keys: { k1: Buffer.alloc(32, 7).toString('base64') } }),
});

function ringOf(json: object) {
  const parsed = parseKeyRing(JSON.stringify(json));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

/** As a login with the rights of a worker writes it. */
async function insert(
  { databaseUrl }: TestEnvironment,
  stored: TransferOrder,
  claimed: { readonly orderSha256: string; readonly bodySha256: string },
  /** What lies in the row. Default: the order, in clear. */
  text = JSON.stringify(stored),
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set role giro_runtime');
    await client.query(
      'insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256) values ($1, $2, $3, $4)',
      [stored.originId, claimed.orderSha256, text, claimed.bodySha256],
    );
  } finally {
    await client.end();
  }
}

const fingerprintsOf = (order: TransferOrder) => ({
  orderSha256: orderFingerprint(order),
  bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
});

/** Started as recovery does, with the order of the journal, or as a backend does with its own. */
async function expectHeld(
  current: TestEnvironment,
  order: TransferOrder,
  code: UnbelievedOrder,
): Promise<void> {
  const { env, taskQueue } = current;
  const { originId } = order;
  await env.engine.workflow.start('transfer', {
    ...{ taskQueue, workflowId: `transfer-${originId}`, args: [order] },
  });
  await expectHeldNow(current, originId, code);
}

async function expectHeldNow(
  { env }: TestEnvironment,
  originId: number,
  code: UnbelievedOrder,
): Promise<void> {
  const state = await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.includes('ORDER_TAMPERED'),
  );
  expect(state).toMatchObject({ lastError: { code }, sends: 0, nextPollAt: null });
  expect(state.mayDecide.map(({ action, operators }) => [action, operators])).toEqual([
    ['resume', 1],
    ['accept-not-taken', 2],
  ]);
  expect(auditRequests(env, originId)).toEqual([]);
}

/** No request reached the bank, and the transfer ends by people alone. */
async function expectEnd({ env }: TestEnvironment, originId: number, status: string): Promise<void> {
  const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  expect(result.status).toBe(status);
  expect(auditRequests(env, originId)).toEqual([]);
}

/** As the command and the schedule do. */
const recoverNow = ({ env, taskQueue }: TestEnvironment) =>
  recover({
    journal: env.journal,
    runs: transferRuns(env.engine, taskQueue),
    ...{ checksMax: 1_000, startsMax: 1_000 },
  });

it('without a key ring a consistent row within the limits is paid, by recovery alone', async () => {
  const forged = orderOf(nextOriginId(), 'completed', '9.99');
  await insert(limited(), forged, fingerprintsOf(forged));
  const { env } = limited();
  expect((await recoverNow(limited())).recovered).toEqual([forged.originId]);
  const result = await env.giro.waitForTransfer(forged.originId, { timeoutMs: 300_000 });
  expect(result).toMatchObject({ status: 'COMPLETED', amount: { value: '9.99' } });
  expect(creates(auditRequests(env, forged.originId))).toHaveLength(1);
});

it('with a key ring the same row is held, whoever starts it', async () => {
  const forged = orderOf(nextOriginId(), 'completed', '9.99');
  await insert(encrypted(), forged, fingerprintsOf(forged));
  expect((await recoverNow(encrypted())).recovered).toEqual([forged.originId]);
  await expectHeldNow(encrypted(), forged.originId, 'IN_CLEAR');
});

it('a sealed row that was altered is held too, and can still be withdrawn', async () => {
  const order = orderOf(nextOriginId(), 'completed', '9.99');
  const sealed = `k1:${Buffer.alloc(80, 1).toString('base64')}`;
  await insert(encrypted(), order, fingerprintsOf(order), JSON.stringify(sealed));
  await expectHeld(encrypted(), order, 'ANOTHER_ORDER');
  await encrypted().env.engine.workflow.getHandle(`transfer-${order.originId}`).cancel();
  await expectEnd(encrypted(), order.originId, 'WITHDRAWN');
});

it.each([
  ['accounts', { fromAccounts: ['0000003100000000000001'] }],
  ['concepts', { concepts: ['ZZZ'] }],
])('%s that are tightened between receipt and send hold it', async (_what, tightened) => {
  const current = limited();
  const { env } = current;
  const setSending = (stopped: boolean) =>
    env.journal.setSending({ stopped, operator: 'ana', reason: 'limits change' });
  const order = orderOf(nextOriginId(), 'completed', '1.00');
  await setSending(true);
  await env.giro.startTransfer(order);
  await until(
    () => stateOf(env, order.originId),
    ({ sendingStopped }) => sendingStopped !== null,
  );
  await current.worker.stop();
  current.worker = await env.startWorker({
    change: (parts) => ({ ...parts, orderLimits: { ...parts.orderLimits, ...tightened } }),
  });
  try {
    await setSending(false);
    // As `giro sending go` does, so that the transfer need not wait for its next attempt.
    await env.giro.hintTransfer(order.originId, { source: 'sending go', eventId: String(order.originId) });
    await expectHeldNow(current, order.originId, 'BEYOND_LIMITS');
  } finally {
    await current.worker.stop();
    current.worker = await env.startWorker();
  }
});

it('a consistent row beyond AMOUNT_MAX is not sent', async () => {
  const forged = orderOf(nextOriginId(), 'completed', THEFT);
  await insert(limited(), forged, fingerprintsOf(forged));
  await expectHeld(limited(), forged, 'BEYOND_LIMITS');
  // A cancel needs no trusted order.
  await limited().env.giro.cancelTransfer(forged.originId);
  await expectEnd(limited(), forged.originId, 'WITHDRAWN');
});

it('a row under the fingerprint of a good order is not sent when that order comes', async () => {
  const good = orderOf(nextOriginId(), 'completed', '1.00');
  const forged = orderOf(good.originId, 'completed', '9.99');
  await insert(limited(), forged, { ...fingerprintsOf(forged), orderSha256: orderFingerprint(good) });
  await expectHeld(limited(), good, 'ANOTHER_ORDER');
  const { giro } = limited().env;
  const decide = (action: DecisionAction, operator: string) =>
    giro.decide(good.originId, { action, operator, reason: 'forged' });
  // Checked again, and still not trusted.
  await decide('resume', 'ana');
  await until(
    () => stateOf(limited().env, good.originId),
    ({ attentionReasons, mayDecide }) =>
      attentionReasons.includes('ORDER_TAMPERED') && mayDecide.length === 2,
  );
  await decide('accept-not-taken', 'ana');
  await decide('accept-not-taken', 'luis');
  await expectEnd(limited(), good.originId, 'REFUSED');
});

it('with a key ring no row in clear is sent', async () => {
  const forged = orderOf(nextOriginId(), 'completed', THEFT);
  await insert(encrypted(), forged, fingerprintsOf(forged));
  await expectHeld(encrypted(), forged, 'IN_CLEAR');
});

it('an order that another build rendered otherwise at its receipt is not sent', async () => {
  const { env } = limited();
  const order = orderOf(nextOriginId(), 'completed', '1.00');
  const body = ourBank.movements.createBody(order).replace('"amount":', '"amount" :');
  await env.journal.openTransfer({
    ...{ order, orderSha256: orderFingerprint(order), bodySha256: bodyFingerprint(body) },
  });
  await expectHeld(limited(), order, 'ANOTHER_BODY');
});
