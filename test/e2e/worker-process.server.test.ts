import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { Scope } from '../../dev/scope';
import { findTemporalCli } from '../../dev/temporal-cli';
import { startWorkerProcess } from '../../dev/worker-process';
import type { WorkerProcess } from '../../dev/worker-process';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { giro } from '../commands/support/memory-io';
import { PERSONAL, order } from '../commands/support/orders';
import { textsBesideTheOrder } from '../support/history-texts';
import type { HistoryText } from '../support/history-texts';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { startTraceCollector } from '../support/trace-collector';
import type { CollectedSpan, TraceCollector } from '../support/trace-collector';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId } from './environment';

/** A drain takes at most BANK_TIMEOUT_CREATE + 10 s (docs/versioning.md). */
const AROUND_A_CREATE_MS = 10_000;
const FORCED_AFTER_MS = 15_000;
/**
 * Short, so that the drain ends soon, and Temporal soon gives an interrupted create to another worker. Long enough for
 * the first connection to the bank on a slow machine.
 */
const SHORT_CREATE_MS = 5_000;
/** The creates of the drained worker wait for the test, which a slow machine may hold up. */
const LONG_CREATE_MS = 240_000;
/** By then a process that gets a signal has ended, even on a slow machine. */
const SLACK_MS = 120_000;
const TEXT = 'Alquiler de María';
const BAGGAGE = 'Juana Molina';
const SLOW_CREATE = 'slow create';
const WAIT = ['--wait', '--timeout', '300s'];

const scope = new Scope();
const bankHeaders = new Set<string>();
let bank: SandboxBank;
let stuck: Promise<readonly [byTime: CutOff, bySignal: CutOff]>;
/** Makes the bank answer the creates with `SLOW_CREATE`. */
let answerSlowCreates: () => void = () => undefined;
let collector: TraceCollector;
let databaseUrl: string;
let taskQueue: string;
let env: Record<string, string>;
let startWorker: (more?: Readonly<Record<string, string>>) => Promise<WorkerProcess>;

beforeAll(async () => {
  const { temporalAddress } = testServers();
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  databaseUrl = database.url;
  collector = scope.own(await startTraceCollector(), (it) => it.close());
  const isAnswered = new Promise<void>((resolve) => {
    answerSlowCreates = resolve;
  });
  bank = scope.own(
    await startSandboxBank({
      token: BANK_TOKEN,
      verifySignature: async ({ headers, body }) => {
        for (const name of Object.keys(headers)) bankHeaders.add(name);
        if (body.includes(SLOW_CREATE)) await isAnswered;
        return true;
      },
      rules: [
        { match: { description: TEXT }, states: ['CREATED', 'COMPLETED'] },
        { match: { description: SLOW_CREATE }, states: ['CREATED', 'COMPLETED'] },
        { match: { description: 'polled' }, states: ['CREATED'] },
      ],
    }),
    (it) => it.close(),
  );
  taskQueue = `giro-process-${randomUUID()}`;
  env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  startWorker = async (more = {}) =>
    scope.own(
      await startWorkerProcess({
        ...{ temporalAddress, databaseUrl, taskQueue, access: tokenAccess(bank, BANK_TOKEN) },
        env: {
          POLL_ACTIVE: '500ms',
          GIRO_HTTP_ADDRESS: '127.0.0.1:0',
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SERVICE_NAME: 'giro-worker',
          ...more,
        },
      }),
      async (it) => {
        await it.stop();
      },
    );
  // It takes its whole time, so it begins before the others and is checked after them.
  stuck = cutOffTwice();
  stuck.catch(() => undefined);
});
afterAll(() => scope.release());

async function start(
  orders: readonly unknown[],
  more: Readonly<Record<string, string>> = {},
  ...options: string[]
): Promise<void> {
  const input = { env: { ...env, ...more }, stdin: JSON.stringify(orders) };
  const { code, stderr } = await giro(['transfer', 'start', '-', '--json', ...options], input);
  // With its output, in case it fails.
  expect({ code, stderr }).toEqual({ code: 0, stderr });
}

/** A page of the worker, or null when nobody answers. */
async function page(worker: WorkerProcess, path: string) {
  const http = worker.log().find(({ msg }) => msg === 'ready')?.['http'];
  return fetch(`http://${String(http)}${path}`).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => null,
  );
}

const requestsOf = (originId: number) => bank.book.requests(String(originId));

/** The next look-up brings the end. */
const complete = (originId: number) => bank.book.restate(String(originId), ['COMPLETED']);

interface CutOff {
  readonly queue: Readonly<Record<string, string>>;
  readonly originId: number;
  readonly end: { readonly code: number | null; readonly signal: string | null };
  readonly tookMs: number;
}

/** Two workers, each with a queue of its own and a create that the bank has taken and that never comes back. */
async function cutOffTwice(): Promise<readonly [byTime: CutOff, bySignal: CutOff]> {
  const hang = `--require ${join(packageRoot, 'test', 'support', 'hanging-create.cjs')}`;
  const inCreate = async () => {
    const queue = {
      GIRO_TASK_QUEUE: `giro-stuck-${randomUUID()}`,
      BANK_TIMEOUT_CREATE: `${SHORT_CREATE_MS}ms`,
    };
    const worker = await startWorker({ ...queue, NODE_OPTIONS: hang });
    const originId = nextOriginId();
    await start([order(originId, { description: TEXT })], queue);
    await until(
      () => Promise.resolve(requestsOf(originId)[0]?.finishedAt ?? null),
      (answeredAt) => answeredAt !== null,
    );
    return { worker, originId, queue };
  };
  /** The first signal, and more every half second when they are meant. */
  const end = async ({ worker, ...rest }: Awaited<ReturnType<typeof inCreate>>, again: boolean) => {
    const fromMs = Date.now();
    process.kill(worker.pid, 'SIGTERM');
    const more = setInterval(() => again && signalIfThere(worker.pid), 500);
    const { code, signal } = await worker.ended.finally(() => clearInterval(more));
    return { ...rest, end: { code, signal }, tookMs: Date.now() - fromMs };
  };
  const byTime = end(await inCreate(), false);
  const bySignal = end(await inCreate(), true);
  return Promise.all([byTime, bySignal]);
}

/** The process may have ended already. */
function signalIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

test('stopped in the middle of creates and look-ups: it ends what it began, and none is lost or sent twice', async () => {
  const first = await startWorker({ BANK_TIMEOUT_CREATE: `${LONG_CREATE_MS}ms` });
  const polled = Array.from({ length: 4 }, nextOriginId);
  const sent = Array.from({ length: 6 }, nextOriginId);
  await start(polled.map((id) => order(id, { description: 'polled' })));
  await until(
    () => Promise.resolve(polled.filter((id) => requestsOf(id).length < 2)),
    (left) => left.length === 0,
  );
  let stopping: Promise<number | null>;
  try {
    await start(sent.map((id) => order(id, { description: SLOW_CREATE })));
    await until(
      () => Promise.resolve(sent.filter((id) => requestsOf(id).length === 0)),
      (left) => left.length === 0,
    );
    const inFlight = sent.filter((id) => requestsOf(id)[0]?.finishedAt === null);
    expect(inFlight).toEqual(sent);

    stopping = first.stop();
    // It drains until the bank has answered the creates: alive all the while, and not ready.
    const draining = await until(
      () => Promise.all([page(first, '/readyz'), page(first, '/healthz')]),
      ([ready]) => ready?.status !== 200,
    );
    expect(draining).toMatchObject([
      { status: 503, text: expect.stringMatching(/^not ready: takes no tasks\n/) },
      { status: 200 },
    ]);
  } finally {
    // Whatever failed: unanswered creates would keep the worker and the bank.
    answerSlowCreates();
  }
  // It waited for the answers: a worker that cuts its creates off exits with 1.
  expect(await stopping).toBe(0);
  // Creates in flight ended with their answers: the journal has them.
  const atTheEnd = new Map([...polled, ...sent].map((id) => [id, requestsOf(id).length]));
  for (const id of sent) expect(requestsOf(id)[0]?.finishedAt).not.toBeNull();

  const second = await startWorker();
  for (const id of polled) complete(id);
  await start(
    [...polled, ...sent].map((id) =>
      order(id, { description: polled.includes(id) ? 'polled' : SLOW_CREATE }),
    ),
    {},
    ...WAIT,
  );
  for (const id of [...polled, ...sent]) {
    const requests = requestsOf(id);
    expect(requests.filter(({ service }) => service === 'transfer-request')).toHaveLength(1);
    expect(requests).toHaveLength((await claimedNumbers(databaseUrl, id)).length);
    expect(requests.length).toBeGreaterThanOrEqual(atTheEnd.get(id) ?? Infinity);
  }
  expect(await second.stop()).toBe(0);
});

test('one trace from the command through the workflow and its activities to the calls of the bank', async () => {
  const worker = await startWorker();
  const originId = nextOriginId();
  await start([order(originId, { description: TEXT })], {}, ...WAIT);
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
});

/** What a caller may put there: in an encoding of its own, or with words of its own. */
const HEADERS: readonly (readonly [string, Headers[string]])[] = [
  ['unreadable', { metadata: { encoding: Buffer.from('binary/x') }, data: Buffer.from('x') }],
  [
    'with baggage',
    defaultPayloadConverter.toPayload({
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      baggage: `user=${BAGGAGE}`,
    }),
  ],
];

test('a header of any tracer holds up no transfer, and nothing of it is passed on', async () => {
  const worker = await startWorker();
  const connection = scope.own(await Connection.connect({ address: testServers().temporalAddress }), (it) =>
    it.close(),
  );
  for (const [name, header] of HEADERS) {
    const tracer: WorkflowClientInterceptor = {
      startWithDetails: (input, next) =>
        next({ ...input, headers: { ...input.headers, '_tracer-data': header } }),
    };
    const client = new Client({ connection, interceptors: { workflow: [tracer] } });
    const originId = nextOriginId();
    const handle = await client.workflow.start('transfer', {
      ...{ taskQueue, workflowId: `transfer-${originId}` },
      args: [order(originId, { description: TEXT })],
    });
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
    const texts = textsBesideTheOrder(await handle.fetchHistory());
    const isOfTheStart = ({ where }: HistoryText) => where.startsWith('1.workflowExecutionStarted');
    const handedOn = texts.filter((each) => !isOfTheStart(each)).map(({ text }) => text);
    // The engine keeps what the caller wrote in the first event, and nothing of it anywhere else but the ids.
    expect(texts.some(({ text }) => text === '_tracer-data')).toBe(true);
    expect(handedOn.some((text) => text.includes('traceparent'))).toBe(name === 'with baggage');
    expect(handedOn.filter((text) => /baggage|Molina/.test(text))).toEqual([]);
  }
  // A run that fails because of an order with a name in it reveals no more.
  const refused = nextOriginId();
  const failing = new Client({ connection }).workflow.execute('transfer', {
    ...{ taskQueue, workflowId: `transfer-${refused}` },
    args: [{ ...order(refused, {}), to: { address: BAGGAGE, [BAGGAGE]: 1 } }],
  });
  await expect(failing).rejects.toMatchObject({ cause: { type: 'InvalidTransferOrder' } });
  expect(await worker.stop()).toBe(0);
  expect(collector.spans().map(({ attributes }) => attributes['temporalWorkflowId'])).toContain(
    `transfer-${refused}`,
  );
  const traces = new Set(collector.spans().map(({ traceId }) => traceId));
  expect(traces).toContain('0af7651916cd43dd8448eb211c80319c');
  expect(collector.texts.join()).not.toContain(BAGGAGE);
});

test('two builds in processes of their own, rolled out and back by the commands of docs/versioning.md', async () => {
  const deployment = `giro-${randomUUID()}`;
  const queue = { GIRO_TASK_QUEUE: `giro-builds-${randomUUID()}`, GIRO_DEPLOYMENT_NAME: deployment };
  const build = (id: string) => startWorker({ ...queue, GIRO_BUILD_ID: id });
  const { temporalAddress } = testServers();
  const program = await findTemporalCli({ env: process.env, log: () => undefined });
  const cli = async (...args: string[]): Promise<string> => {
    const command = ['worker', 'deployment', ...args, '--address', temporalAddress];
    return (await promisify(execFile)(program, command)).stdout;
  };
  const roll = (command: string, buildId: string, ...more: string[]) =>
    cli(command, '--deployment-name', deployment, '--build-id', buildId, ...more, '--yes');
  const connection = scope.own(await Connection.connect({ address: temporalAddress }), (it) => it.close());
  const { workflow } = new Client({ connection });
  const begin = async (description: string): Promise<number> => {
    const originId = nextOriginId();
    await start([order(originId, { description })], queue);
    return originId;
  };
  /** The build that did the run's last workflow task. */
  const buildOf = async (originId: number) => {
    const { raw } = await workflow.getHandle(`transfer-${originId}`).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
  };
  const result = (originId: number) => workflow.getHandle(`transfer-${originId}`).result();

  const [first, second] = await Promise.all([build('one'), build('two')]);
  const open = await begin('polled');
  // Both are ready, and neither is current: nobody has taken the task.
  expect(await buildOf(open)).toBeNull();
  expect(requestsOf(open)).toEqual([]);

  // The server knows a build some moments after its worker has begun to poll.
  await until(
    () => cli('describe', '--name', deployment).catch(() => ''),
    (described) => ['one', 'two'].every((id) => new RegExp(`\\b${id}\\b`).test(described)),
  );
  await roll('set-current-version', 'one');
  await until(
    () => Promise.resolve(requestsOf(open).length),
    (count) => count >= 2,
  );
  expect(await buildOf(open)).toBe('one');

  await roll('set-ramping-version', 'two', '--percentage', '100');
  const ramped = await begin(TEXT);
  expect(await result(ramped)).toMatchObject({ status: 'COMPLETED' });
  expect(await buildOf(ramped)).toBe('two');

  await roll('set-current-version', 'two');
  expect(await cli('describe', '--name', deployment)).toMatch(/CurrentVersionBuildID +two\n/);
  await until(
    () => buildOf(open),
    (id) => id === 'two',
  );
  complete(open);
  expect(await result(open)).toMatchObject({ status: 'COMPLETED' });
  expect(await buildOf(open)).toBe('two');
  expect(requestsOf(open).filter(({ service }) => service === 'transfer-request')).toHaveLength(1);
  expect(requestsOf(open)).toHaveLength((await claimedNumbers(databaseUrl, open)).length);

  await roll('set-current-version', 'one');
  const back = await begin(TEXT);
  expect(await result(back)).toMatchObject({ status: 'COMPLETED' });
  expect(await buildOf(back)).toBe('one');
  expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
});

it("the worker's start-up log warns: without a key ring a forged row can be paid; without DECIDERS nobody can decide", async () => {
  const said = async (more = {}) => (await startWorker(more)).log().map(({ msg }) => msg);
  const noDeciders = 'neither DECIDERS nor DECIDERS_FILE is set: nobody can decide what takes two operators';
  expect(await said({ DECIDERS: 'ana,luis', GIRO_SANDBOX: '', POLL_ACTIVE: '5s' })).not.toContain(noDeciders);
  const bare = await said({ DECIDERS: '', GIRO_SANDBOX: '', POLL_ACTIVE: '5s' });
  expect(bare).toContain(noDeciders);
  expect(bare).toContain(
    'CODEC_KEYS_FILE is not set: orders are in clear in Temporal and in the journal; without ORDER_SIGNERS_FILE, a forged row of the journal is paid if it keeps the limits on orders',
  );
});

test('Temporal goes away between the two connections of a start: exit code 4', async () => {
  const { temporalAddress } = testServers();
  let connections = 0;
  const proxy = createServer((caller) => {
    caller.on('error', () => undefined);
    connections += 1;
    if (connections > 1) {
      caller.destroy();
      return;
    }
    const server = connect(Number(temporalAddress.split(':')[1]), '127.0.0.1');
    server.on('error', () => undefined);
    caller.pipe(server).pipe(caller);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  scope.own(proxy, (it) => void it.close());
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await expect(startWorker({ TEMPORAL_ADDRESS: address })).rejects.toThrow(
    new RegExp(`code 4\\)[^]*Temporal at ${address} cannot be reached \\(Failed to call`),
  );
  expect(connections).toBeGreaterThan(1);
});

test('a step that outlasts the time is cut off, as by a second signal; the next worker asks the bank for the outcome', async () => {
  const [byTime, bySignal] = await stuck;
  expect(byTime.end).toEqual({ code: 1, signal: null });
  const grace = SHORT_CREATE_MS + AROUND_A_CREATE_MS;
  expect(byTime.tookMs).toBeGreaterThanOrEqual(grace);
  expect(byTime.tookMs).toBeLessThan(grace + FORCED_AFTER_MS + SLACK_MS);
  // The signal itself ended this one: its time had not come.
  expect(bySignal.end).toEqual({ code: null, signal: 'SIGTERM' });
  expect(bySignal.tookMs).toBeLessThan(byTime.tookMs);

  const asksOn = async ({ queue, originId: id }: CutOff) => {
    const next = await startWorker(queue);
    await start([order(id, { description: TEXT })], queue, ...WAIT);
    const [first, ...later] = requestsOf(id).map(({ service }) => service);
    expect(first).toBe('transfer-request');
    expect(later.length).toBeGreaterThan(0);
    expect(later).not.toContain('transfer-request');
    expect(requestsOf(id)).toHaveLength((await claimedNumbers(databaseUrl, id)).length);
    expect(await next.stop()).toBe(0);
  };
  await Promise.all([asksOn(byTime), asksOn(bySignal)]);
});
