import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { heartbeat } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { until, stateOf } from '../../dev/giro-environment';
import { findTemporalCli } from '../../dev/temporal-cli';
import { GiroClient, OriginIdConflictError, SealError, openReferenceJournal } from '../../src/client';
import { startCodecServer } from '../../src/codec-server/start';
import { dataConverterOf } from '../../src/codec/data-converter';
import { parseKeyRing, keyRingText } from '../../src/codec/key-ring';
import type { KeyRing } from '../../src/codec/key-ring';
import { decryptPayload } from '../../src/codec/payload-codec';
import { createLogger } from '../../src/telemetry/logger';
import { freshKeyRing } from '../codec/key-rings';
import { giro } from '../commands/support/memory-io';
import { failedTasks } from '../support/failed-tasks';
import { MADE_UP_PARTY } from '../support/made-up-party';
import { payloadsOf } from '../support/payloads';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { failureOf, startRaw } from './raw-start';
import { sendDecision } from './send-decision';

const STAGE = temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;
const TOKEN = 'a-token-of-the-test';
const ring = freshKeyRing('k1');
const environment = useEnvironment({
  keyRing: ring,
  settings: { pollActiveMs: 1_000 },
  rules: [
    { match: { description: 'Canario now' }, states: ['COMPLETED'] },
    { match: { description: 'Canario fails' }, states: ['CREATED', 'FAILED'] },
    { match: { description: 'Canario moves' }, states: ['IN_PROGRESS'] },
    { match: { description: 'Canario odd' }, states: ['EN_DUDA'] },
  ],
});

/** Whatever of an order or a failure would be readable in the engine. */
const READABLE = new RegExp(`Canario|${MADE_UP_PARTY.source}|1500\\.25|orderSha256`);

/** Search attributes; and which activity a marker belongs to, which the SDK's core writes. */
const NOT_OURS = /searchAttributes|\.markerRecordedEventAttributes\.details\.data\./i;

const creates = (originId: number): number =>
  environment()
    .env.bank.book.requests(String(originId))
    .filter(({ service }) => service === 'transfer-request').length;

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
    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status });

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

test('a failure shows its message to those who have the keys', async () => {
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
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
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
    expect(await env.giro.waitForTransfer(first.originId, { timeoutMs: 300_000 })).toMatchObject({
      status: 'FAILED',
    });
    expect(await giro.startTransfer(withReference)).toEqual({ ...first, started: false });
    const other = { ...withReference, body: { ...order.body, amount: '2.00' } };
    await expect(giro.startTransfer(other)).rejects.toThrow(OriginIdConflictError);
    // It cannot read the result, and gets the reason.
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
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
    status: 'COMPLETED',
  });
});

test('keys are rotated by the command while a transfer is open; it ends, and each of the two files reads it', async () => {
  const current = environment();
  const { env } = current;
  const originId = nextOriginId();
  const folder = mkdtempSync(join(tmpdir(), 'giro-rotation-'));
  const file = join(folder, 'keys.json');
  const rotate = async (...step: string[]): Promise<KeyRing> => {
    expect(await giro(['codec', 'rotate', file, ...step])).toMatchObject({ code: 0 });
    const parsed = parseKeyRing(readFileSync(file, 'utf8'));
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.value;
  };
  const restartWorker = async (keyRing: KeyRing): Promise<void> => {
    await current.worker.stop();
    current.worker = await env.startWorker({ keyRing });
  };
  const giroWith = (keyRing: KeyRing) =>
    new GiroClient({ client: withRing(keyRing), taskQueue: current.taskQueue });
  writeFileSync(file, keyRingText(ring), { mode: 0o600 });
  try {
    await env.giro.startTransfer(orderOf(originId, 'Canario moves'));
    await until(
      () => stateOf(env, originId),
      ({ bankStatus }) => bankStatus === 'IN_PROGRESS',
    );
    const added = await rotate('--add');
    await restartWorker(added);
    // A receiver that has the third file already, with workers that have the second.
    const activated = await rotate('--activate', 'k2');
    await giroWith(activated).hintTransfer(originId, { source: 'Canario', eventId: '1' });
    await restartWorker(activated);
    // And a receiver that still has the second, with workers that have the third.
    await giroWith(added).hintTransfer(originId, { source: 'Canario', eventId: '2' });
    env.bank.book.restate(String(originId), ['COMPLETED']);
    for (const keyRing of [added, activated]) {
      expect(await giroWith(keyRing).waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
        ...{ originId, status: 'COMPLETED' },
      });
    }
    // The first file lacks the key of the result.
    await expect(env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).rejects.toThrow('no key k2');
    const history = await without().workflow.getHandle(`transfer-${originId}`).fetchHistory();
    const keyIds = new Set(payloadsOf(history).flatMap(({ keyId }) => keyId ?? []));
    expect([...keyIds].sort()).toEqual(['k1', 'k2']);
    expect(failedTasks(history)).toEqual([]);
    expect(creates(originId)).toBe(1);
  } finally {
    await restartWorker(ring);
    rmSync(folder, { recursive: true });
  }
});

test('answer of a query, outcome of an update and heartbeat are ciphertext on the wire', async () => {
  const current = environment();
  const { env } = current;
  const { workflowService } = env.engine.connection;
  const originId = nextOriginId();
  const execution = { workflowId: `transfer-${originId}` };
  await env.giro.startTransfer(orderOf(originId, 'Canario odd'));
  await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.includes('STATUS_UNKNOWN'),
  );
  const { queryResult } = await workflowService.queryWorkflow({
    ...{ namespace: 'default', execution, query: { queryType: 'state' } },
  });
  await sendDecision(
    env.transfer(originId),
    { action: 'resume', operator: 'ana', reason: 'Canario' },
    'canary',
  );
  const { outcome } = await workflowService.pollWorkflowExecutionUpdate({
    namespace: 'default',
    updateRef: { workflowExecution: execution, updateId: 'canary' },
    waitPolicy: { lifecycleStage: STAGE.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED },
  });
  expect([queryResult, outcome?.success].map((message) => payloadsOf(message))).toEqual([
    [expect.objectContaining({ encoding: 'binary/encrypted', keyId: 'k1' })],
    [expect.objectContaining({ encoding: 'binary/encrypted', keyId: 'k1' })],
  ]);

  // Our activities send heartbeats without details; details would be ciphertext.
  const beating = nextOriginId();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await current.worker.stop();
  current.worker = await env.startWorker({
    change: (parts) => ({
      ...parts,
      bank: {
        ...parts.bank,
        createTransfer: async (...args: Parameters<typeof parts.bank.createTransfer>) => {
          // Repeated, because the activity's own heartbeats come without details and replace these.
          const beats = setInterval(() => heartbeat({ account: 'Canario' }), 50);
          await released;
          clearInterval(beats);
          return parts.bank.createTransfer(...args);
        },
      },
    }),
  });
  try {
    await env.giro.startTransfer(orderOf(beating, 'Canario now'));
    const details = await until(
      async () => {
        const { pendingActivities } = await workflowService.describeWorkflowExecution({
          ...{ namespace: 'default', execution: { workflowId: `transfer-${beating}` } },
        });
        return payloadsOf(pendingActivities[0]?.heartbeatDetails);
      },
      (found) => found.length > 0,
    );
    expect(details).toEqual([expect.objectContaining({ encoding: 'binary/encrypted', keyId: 'k1' })]);
  } finally {
    release();
  }
});

test('the Temporal CLI shows a history through the codec server, and ciphertext without', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'Canario now'));
  await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  const lines: Record<string, unknown>[] = [];
  const codecServer = await startCodecServer({
    ...{ host: '127.0.0.1', port: 0, keyRing: ring, token: TOKEN, origins: [], namespace: 'other' },
    ...{ namespaces: ['default'], encodeToken: null },
    ...{ requestsPerMinute: 600, trustedHops: 0, operatorHeader: null },
    logger: createLogger({
      level: 'info',
      destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
  });
  const codec = ['--codec-endpoint', `http://${codecServer.address}`, '--codec-auth', `Bearer ${TOKEN}`];
  const cli = async (command: string, ...more: string[]): Promise<string> => {
    const program = await findTemporalCli({ env: process.env, log: () => undefined });
    const named = ['--workflow-id', `transfer-${originId}`, '--address', testServers().temporalAddress];
    const args = ['workflow', command, ...named, '--disable-config-file', ...more];
    return (await promisify(execFile)(program, args)).stdout;
  };
  try {
    // The history has the order and the result, the description the summary of the run.
    expect(dataOf(await cli('show', '--output', 'json', ...codec))).toContain(
      orderOf(originId, '').from.address,
    );
    expect(dataOf(await cli('show', '--output', 'json'))).not.toMatch(READABLE);
    expect(await cli('result', ...codec)).toContain('COMPLETED');
    expect(await cli('describe', ...codec)).toContain(`transfer ${originId}`);
    expect(await cli('describe')).not.toContain(`transfer ${originId}`);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'payloads decoded',
        turn: 'decode',
        namespace: 'default',
        origin: null,
      }),
    );
  } finally {
    await codecServer.close();
  }
});

/** The CLI's JSON has the bytes of payloads in base64. */
const dataOf = (history: string): string =>
  [...history.matchAll(/"data": "([A-Za-z0-9+/=]+)"/g)]
    .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
    .join('\n');

/** Buffers as the text they hold. */
function readBytes(this: unknown, _: string, value: unknown): unknown {
  const bytes = value as { type?: unknown; data?: unknown } | null;
  return bytes?.type === 'Buffer' ? Buffer.from(bytes.data as number[]).toString('latin1') : value;
}
