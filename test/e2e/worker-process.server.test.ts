import { randomUUID } from 'node:crypto';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { startWorkerProcess } from '../../dev/worker-process';
import type { WorkerProcess } from '../../dev/worker-process';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { giro } from '../commands/support/memory-io';
import { PERSONAL, order } from '../commands/support/orders';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { startTraceCollector } from '../support/trace-collector';
import type { CollectedSpan, TraceCollector } from '../support/trace-collector';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId } from './environment';

const CREATE_MS = 1_500;
const TEXT = 'Alquiler de María';

const scope = new Scope();
const bankHeaders = new Set<string>();
let bank: SandboxBank;
let collector: TraceCollector;
let databaseUrl: string;
let env: Record<string, string>;
let startWorker: () => Promise<WorkerProcess>;

beforeAll(async () => {
  const { temporalAddress } = testServers();
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  databaseUrl = database.url;
  collector = scope.own(await startTraceCollector(), (it) => it.close());
  bank = scope.own(
    await startSandboxBank({
      token: BANK_TOKEN,
      verifySignature: ({ headers }) => {
        for (const name of Object.keys(headers)) bankHeaders.add(name);
        return true;
      },
      rules: [
        { match: { description: TEXT }, states: ['CREATED', 'COMPLETED'] },
        {
          match: { description: 'slow create' },
          create: [{ fault: 'slow', delayMs: CREATE_MS }],
          states: ['CREATED', 'COMPLETED'],
        },
        { match: { description: 'polled' }, states: [...Array<string>(6).fill('CREATED'), 'COMPLETED'] },
      ],
    }),
    (it) => it.close(),
  );
  const taskQueue = `giro-process-${randomUUID()}`;
  env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  startWorker = async () =>
    scope.own(
      await startWorkerProcess({
        ...{ temporalAddress, databaseUrl, taskQueue, access: tokenAccess(bank, BANK_TOKEN) },
        env: {
          POLL_ACTIVE: '500ms',
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SERVICE_NAME: 'giro-worker',
        },
      }),
      async (it) => {
        await it.stop();
      },
    );
}, 150_000);
afterAll(() => scope.release(), 60_000);

async function start(orders: readonly unknown[], ...options: string[]): Promise<void> {
  const input = { env, stdin: JSON.stringify(orders) };
  const { code, stderr } = await giro(['transfer', 'start', '-', '--json', ...options], input);
  // With what it said, should it fail.
  expect({ code, stderr }).toEqual({ code: 0, stderr });
}

const requestsOf = (originId: number) => bank.book.requests(String(originId));

test('stopped in the middle of creates and look-ups: it ends what it began, and none is lost or sent twice', async () => {
  const first = await startWorker();
  const polled = Array.from({ length: 4 }, nextOriginId);
  const sent = Array.from({ length: 6 }, nextOriginId);
  await start(polled.map((id) => order(id, { description: 'polled' })));
  await until(
    () => Promise.resolve(polled.filter((id) => requestsOf(id).length < 2)),
    (left) => left.length === 0,
  );
  await start(sent.map((id) => order(id, { description: 'slow create' })));
  await until(
    () => Promise.resolve(sent.filter((id) => requestsOf(id).length === 0)),
    (left) => left.length === 0,
  );
  const underWay = sent.filter((id) => requestsOf(id)[0]?.finishedAt === null).length;
  expect(underWay).toBeGreaterThan(0);

  expect(await first.stop()).toBe(0);
  // Creates that were under way ended with their answers: what the bank said is in the journal.
  const atTheEnd = new Map([...polled, ...sent].map((id) => [id, requestsOf(id).length]));
  for (const id of sent) expect(requestsOf(id)[0]?.finishedAt).not.toBeNull();

  const second = await startWorker();
  await start(
    [...polled, ...sent].map((id) =>
      order(id, { description: polled.includes(id) ? 'polled' : 'slow create' }),
    ),
    '--wait',
    '--timeout',
    '60s',
  );
  for (const id of [...polled, ...sent]) {
    const requests = requestsOf(id);
    expect(requests.filter(({ service }) => service === 'transfer-request')).toHaveLength(1);
    expect(requests).toHaveLength((await claimedNumbers(databaseUrl, id)).length);
    expect(requests.length).toBeGreaterThanOrEqual(atTheEnd.get(id) ?? Infinity);
  }
  expect(await second.stop()).toBe(0);
}, 120_000);

test('one trace from the command through the workflow and its activities to the calls of the bank', async () => {
  const worker = await startWorker();
  const originId = nextOriginId();
  await start([order(originId, { description: TEXT })], '--wait', '--timeout', '30s');
  expect(await worker.stop()).toBe(0);

  const spans = collector.spans();
  const started = spans.find(
    ({ name, attributes }) =>
      name === 'StartWorkflow:transfer' && attributes['temporalWorkflowId'] === `transfer-${originId}`,
  );
  expect(started).toMatchObject({ service: 'giro', parentSpanId: '' });
  const trace = spans.filter(({ traceId }) => traceId === started?.traceId);
  const parentOf = ({ parentSpanId }: CollectedSpan) => trace.find(({ spanId }) => spanId === parentSpanId);
  const line = (span: CollectedSpan | undefined): string[] =>
    span === undefined ? [] : [...line(parentOf(span)), `${span.service} ${span.name}`];
  const lines = trace.map((span) => line(span).join(' > '));
  for (const [activity, call] of [
    ['createTransfer', 'bank create'],
    ['lookUpMovement', 'bank get-movement'],
  ]) {
    expect(lines).toContain(
      `giro StartWorkflow:transfer > giro-worker RunActivity:${activity} > giro-worker ${call}`,
    );
  }
  expect(trace.find(({ name }) => name === 'bank create')?.attributes).toEqual({
    'giro.outcome': 'answered',
  });

  // Nothing of a person, in any of the exports; nothing of the trace at the bank.
  const all = collector.texts.join('\n');
  expect(all).toContain(String(originId));
  for (const secret of [...PERSONAL, TEXT, 'María', BANK_TOKEN]) expect(all).not.toContain(secret);
  expect([...bankHeaders]).toContain('authorization');
  expect([...bankHeaders].filter((name) => /trace|baggage|b3|uber/.test(name))).toEqual([]);
}, 150_000);
