import { Client } from '@temporalio/client';
import { until, stateOf } from '../../dev/giro-environment';
import { GiroClient, OriginIdConflictError, SealError, openReferenceJournal } from '../../src/client';
import { dataConverterOf } from '../../src/codec/data-converter';
import type { KeyRing } from '../../src/codec/key-ring';
import { decryptPayload } from '../../src/codec/payload-codec';
import { freshKeyRing } from '../codec/key-rings';
import { payloadsOf } from '../support/payloads';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { failureOf, startRaw } from './raw-start';

const ring = freshKeyRing('k1');
const environment = useEnvironment({
  keyRing: ring,
  rules: [
    { match: { description: 'Canario now' }, states: ['COMPLETED'] },
    { match: { description: 'Canario fails' }, states: ['CREATED', 'FAILED'] },
    { match: { description: 'Canario waits' }, states: ['DELAYED', 'COMPLETED'] },
  ],
});

/** Whatever of an order or a failure would be readable in the engine. */
const READABLE =
  /Canario|30714979732|20218346414|0009001600000000000017|9990001800000000000017|1500\.25|orderSha256/;

/** Search attributes; and which activity a marker belongs to, which the SDK's core writes. */
const NOT_OURS = /searchAttributes|\.markerRecordedEventAttributes\.details\.data\./i;

/** A client that holds no keys, as the engine sees things. */
const without = (): Client => new Client({ connection: environment().env.engine.connection });

const withRing = (keyRing: KeyRing): Client => {
  const dataConverter = dataConverterOf(keyRing, 'default');
  return new Client({
    connection: environment().env.engine.connection,
    ...(dataConverter && { dataConverter }),
  });
};

test.each(['COMPLETED', 'FAILED'])(
  'every payload of a transfer that ends %s is encrypted',
  async (status) => {
    const { env } = environment();
    const originId = nextOriginId();
    await env.skipping.startTransfer(orderOf(originId, status === 'FAILED' ? 'Canario fails' : 'Canario'));
    await env.transfer(originId).signal('movementHint', { source: 'Canario', eventId: '1' });
    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 60_000 })).toMatchObject({ status });

    const history = await without().workflow.getHandle(`transfer-${originId}`).fetchHistory();
    const payloads = payloadsOf(history);
    expect(payloads.length).toBeGreaterThan(5);
    expect(
      payloads.filter(({ encoding, where }) => encoding !== 'binary/encrypted' && !NOT_OURS.test(where)),
    ).toEqual([]);
    expect(JSON.stringify(history, readBytes)).not.toMatch(READABLE);
    // And the same, decrypted, would have been found.
    expect(JSON.stringify(await stateOf(env, originId))).toMatch(READABLE);
  },
);

test('a failure tells its message to those who have the keys', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  const order = { ...orderOf(originId, 'Canario'), extra: 'Canario' };
  const handle = await startRaw(environment(), { workflowId: `transfer-${originId}`, args: [order] });
  expect((await failureOf(env.engine.workflow.getHandle(handle.workflowId))).message).toContain('extra');
  const history = await without().workflow.getHandle(handle.workflowId).fetchHistory();
  const failed = history.events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  expect(failed).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
  expect(failed?.applicationFailureInfo?.type).toBe('InvalidTransferOrder');
});

test('a caller without the keys starts with plain JSON', async () => {
  const { env, taskQueue } = environment();
  const originId = nextOriginId();
  await without().workflow.start('transfer', {
    ...{ workflowId: `transfer-${originId}`, taskQueue, args: [orderOf(originId, 'Canario now')] },
  });
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 60_000 })).toMatchObject({
    status: 'COMPLETED',
  });
});

test('a service without the keys: a repeat by reference is the same transfer, also of an annulled one', async () => {
  const { env, databaseUrl, taskQueue } = environment();
  const journal = openReferenceJournal(databaseUrl);
  const giro = new GiroClient({ client: without(), taskQueue, journal });
  const { originId: _, ...order } = orderOf(0, 'Canario fails');
  const withReference = { ...order, reference: `Canario ${nextOriginId()}` };
  try {
    const first = await giro.startTransfer(withReference);
    expect(await env.giro.waitForTransfer(first.originId, { timeoutMs: 60_000 })).toMatchObject({
      status: 'FAILED',
    });
    expect(await giro.startTransfer(withReference)).toEqual({ ...first, started: false });
    const other = { ...withReference, body: { ...order.body, amount: '2.00' } };
    await expect(giro.startTransfer(other)).rejects.toThrow(OriginIdConflictError);
    // Its result it cannot read, and is told why.
    await expect(giro.waitForTransfer(first.originId)).rejects.toThrow(SealError);
  } finally {
    await journal.close();
  }
});

test('a service without the keys cannot compare with an order that was sent encrypted', async () => {
  const { env, taskQueue } = environment();
  const order = orderOf(nextOriginId(), 'Canario now');
  await env.giro.startTransfer(order);
  const told: unknown = await new GiroClient({ client: without(), taskQueue })
    .startTransfer(order)
    .catch((error: unknown) => error);
  expect(told).toMatchObject({ name: 'SealError', message: expect.stringContaining('dataConverterOf') });
});

test('a payload under a key that the workers lack pauses the run; with the key it goes on', async () => {
  const current = environment();
  const { env, taskQueue } = current;
  const originId = nextOriginId();
  const theirs = freshKeyRing('k9');
  await withRing(theirs).workflow.start('transfer', {
    ...{ workflowId: `transfer-${originId}`, taskQueue, args: [orderOf(originId, 'Canario now')] },
  });
  const handle = without().workflow.getHandle(`transfer-${originId}`);
  const failed = await until(
    async () =>
      (await handle.fetchHistory()).events?.find((event) => event.workflowTaskFailedEventAttributes),
    (event) => event !== undefined,
  );
  const { message, encodedAttributes } = failed?.workflowTaskFailedEventAttributes?.failure ?? {};
  expect(message).toBe('Encoded failure');
  const text = Buffer.from(decryptPayload(ring, 'default', encodedAttributes ?? {}).data ?? []).toString();
  expect(text).toContain('no key k9 in the key ring: add it to CODEC_KEYS_FILE');
  expect(text).not.toMatch(READABLE);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  expect(env.bank.book.requests(String(originId))).toEqual([]);

  await current.worker.stop();
  const both = { active: 'k1', keys: new Map([...ring.keys, ...theirs.keys]) };
  current.worker = await env.startWorker({ keyRing: both });
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 60_000 })).toMatchObject({
    status: 'COMPLETED',
  });
}, 150_000);

test('keys are rotated while a transfer is open', async () => {
  const current = environment();
  const { env } = current;
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'Canario waits'));
  await until(
    () => stateOf(env, originId),
    ({ bankStatus }) => bankStatus === 'DELAYED',
  );
  await current.worker.stop();
  const rotated = { active: 'k2', keys: new Map([...freshKeyRing('k2').keys, ...ring.keys]) };
  current.worker = await env.startWorker({ keyRing: rotated });
  await env.transfer(originId).signal('movementHint', { source: 'test', eventId: '1' });
  const handle = withRing(rotated).workflow.getHandle(`transfer-${originId}`);
  const state = await until(
    () => handle.query<{ bankStatus: string }>('state'),
    () => true,
  );
  expect(state.bankStatus).toBe('DELAYED');
  const keyIds = payloadsOf(await handle.fetchHistory()).map(({ keyId }) => keyId);
  expect(keyIds).toContain('k1');
  // What the worker answers from now on is under the new key, which the old ring cannot read.
  await expect(env.transfer(originId).query('state')).rejects.toThrow('no key k2 in the key ring');
}, 150_000);

/** Buffers as the text they hold. */
function readBytes(this: unknown, _: string, value: unknown): unknown {
  const bytes = value as { type?: unknown; data?: unknown } | null;
  return bytes?.type === 'Buffer' ? Buffer.from(bytes.data as number[]).toString('latin1') : value;
}
