import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { until } from '../../dev/giro-environment';
import type { Env } from '../../src/config/env';
import type { SchemaName } from '../../dev/schemas/published';
import { validate } from '../schemas/validate';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { newNamespace } from '../support/new-namespace';
import { testServers } from '../support/servers';
import { giro as run } from './support/memory-io';
import { PERSONAL, freshOriginId, order, orderByReference } from './support/orders';
import { stubBank } from './support/stub-bank';
import { startTestWorker } from './support/test-worker';
import type { TestWorker } from './support/test-worker';

const json = JSON.stringify;
let database: TestDatabase;
let env: Env;

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    TEMPORAL_ADDRESS: testServers().temporalAddress,
    DATABASE_URL: database.url,
    GIRO_TASK_QUEUE: `commands-${randomUUID()}`,
    BANK_BASE_URL: 'http://127.0.0.1:1',
    BANK_TOKEN: 'none',
  };
});
afterAll(() => database.drop());

const giro = (line: string, stdin?: unknown, more: Env = {}) =>
  run(line.split(' '), {
    env: { ...env, ...more },
    ...(stdin === undefined ? {} : { stdin: typeof stdin === 'string' ? stdin : json(stdin) }),
  });

/** One check of doctor, as `ok|WRONG detail: remedy`. */
async function checked(check: string, more: Env = {}): Promise<string> {
  const { code, stdout } = await giro('doctor --json', undefined, more);
  expect(code).toBe(1); // No bank serves at the address of this file.
  const results = JSON.parse(stdout) as readonly Record<'check' | 'ok' | 'detail' | 'remedy', unknown>[];
  const { ok, detail, remedy } = results.find((one) => one.check === check) ?? {};
  return `${ok === true ? 'ok' : 'WRONG'} ${String(detail)}: ${String(remedy)}`;
}

/** What these commands print has a published schema: of one record, or of each of a list. */
const SCHEMA_OF: Readonly<Record<string, SchemaName>> = {
  'transfer start': 'started-transfer',
  'transfer show': 'transfer-report',
  'transfer list': 'transfer-report',
};

async function inJson(line: string, stdin?: unknown) {
  const { code, stdout } = await giro(`${line} --json`, stdin);
  const document = JSON.parse(stdout);
  const schema = SCHEMA_OF[line.split(' ').slice(0, 2).join(' ')];
  if (schema !== undefined)
    for (const record of [document].flat()) expect(validate(schema, record)).toBeNull();
  return { code, document };
}

describe('setup', () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await Connection.connect({ address: testServers().temporalAddress });
  });
  afterAll(() => connection.close());

  test('prepares an empty database and a new namespace, and a second run changes nothing', async () => {
    const empty = await createTestDatabase('empty');
    try {
      const fresh = { DATABASE_URL: empty.url, TEMPORAL_NAMESPACE: await newNamespace(connection) };
      // Wants the secret's file where addresses are compared; not here.
      const expecting = { ...fresh, WEBHOOKS_EXPECTED: 'A=https://pagos.example/webhooks/{secret}' };
      const before = await giro('worker', undefined, fresh);
      expect(before.code).toBe(2);
      expect(String(before.log[0]?.['msg'])).toMatch(/journal.*GiroStatus.*: run setup$/);
      expect(await giro('transfer list', undefined, fresh)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('run setup'),
      });
      expect(await checked('recovery', fresh)).toMatch(/^WRONG there is no schedule .*: run setup$/);
      expect(await checked('sending', fresh)).toMatch(/^WRONG the journal gave no answer/);

      const first = await giro('setup', undefined, expecting);
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toMatch(/journal: applied 0001.*\nsearch attributes: registered GiroStatus, /);
      expect(await giro('setup', undefined, expecting)).toMatchObject({
        code: 0,
        stdout:
          'journal: up to date\nsearch attributes: up to date\nschedule giro-recovery: up to date\n' +
          'schedule giro-webhook-check: up to date\n',
      });
      const client = new Client({ connection, namespace: fresh.TEMPORAL_NAMESPACE });
      const check = await client.schedule.getHandle('giro-webhook-check').describe();
      expect(check.action).toMatchObject({ workflowType: 'webhookCheck' });
      const { action, policies, spec } = await client.schedule.getHandle('giro-recovery').describe();
      expect(action).toMatchObject({ workflowType: 'recovery' });
      expect({ overlap: policies.overlap, every: spec.intervals?.map(({ every }) => every) }).toEqual({
        overlap: 'SKIP',
        every: [60_000],
      });
      expect(await checked('recovery', fresh)).toMatch(/^ok giro-recovery starts lost runs again/);
      expect(await checked('recovery', { ...fresh, GIRO_TASK_QUEUE: 'other' })).toMatch(
        /^WRONG .* task queue/,
      );
      await client.schedule.getHandle('giro-recovery').pause('a drill');
      await giro('setup', undefined, fresh);
      expect(await checked('recovery', fresh)).toMatch(/^WRONG giro-recovery is paused.* --unpause/);
      expect((await giro('setup --restored --start-from 5000', undefined, fresh)).stdout).toMatch(
        /originIds are chosen from 5000 on.*\njournal: marked as restored; .* looked up, not sent/,
      );
      expect(await giro('transfer list --json', undefined, fresh)).toMatchObject({ code: 0, stdout: '[]\n' });
    } finally {
      await empty.drop();
    }
  });

  test('a search attribute of another type is reported, and the journal is prepared all the same', async () => {
    const namespace = await newNamespace(connection);
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { GiroStatus: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT },
    });
    const { code, stdout, stderr } = await giro('setup', undefined, { TEMPORAL_NAMESPACE: namespace });
    expect(code).toBe(2);
    expect(stdout).toBe('journal: up to date\n');
    expect(stderr).toContain('GiroStatus is Int and must be Keyword');
  });

  test('a namespace that is not there: exit 4', async () => {
    expect(await giro('setup', undefined, { TEMPORAL_NAMESPACE: 'nowhere' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has no namespace "nowhere"'),
    });
  });

  test('--origin-id-from moves the sequence, never back', async () => {
    const from = freshOriginId();
    expect((await giro(`setup --origin-id-from ${from}`)).code).toBe(0);
    expect((await giro('setup --origin-id-from 1')).code).toBe(0);
    const { document } = await inJson('transfer start -', orderByReference(randomUUID()));
    expect(document.originId).toBeGreaterThanOrEqual(from);
  });
});

describe('before a worker runs', () => {
  test('a transfer is started, shown from the engine, and waited for in vain', async () => {
    const originId = freshOriginId();
    const { code, document } = await inJson('transfer start -', order(originId));
    expect({ code, document }).toEqual({
      code: 0,
      document: {
        originId,
        reference: null,
        workflowId: `transfer-${originId}`,
        runId: expect.any(String),
        started: true,
      },
    });
    expect(await inJson('transfer start - --wait --timeout 200ms', order(originId))).toMatchObject({
      code: 5,
      document: { originId, started: false, result: null },
    });
    expect(await inJson(`transfer show ${originId}`)).toMatchObject({
      code: 0,
      document: { originId, phase: 'received', status: null, orderSha256: expect.any(String), live: false },
    });
  });

  test('a transfer that no worker has taken up is in the list', async () => {
    const originId = freshOriginId();
    expect((await giro('transfer start -', order(originId))).code).toBe(0);
    const listed = async (line: string) =>
      ((await inJson(line)).document as { originId: number }[]).filter((it) => it.originId === originId);
    // The engine's index lags behind.
    while ((await listed('transfer list')).length === 0) await new Promise((end) => setTimeout(end, 100));
    expect(await listed('transfer list --status received')).toMatchObject([
      { originId, phase: 'received', status: null, live: false, openedAt: expect.stringMatching(/Z$/) },
    ]);
    expect(await listed('transfer list --status COMPLETED')).toEqual([]);
    expect(await listed('transfer list --needs-attention')).toEqual([]);
  });

  test('an unknown transfer: exit 2', async () => {
    expect(await giro(`transfer show ${freshOriginId()} --json`)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('with a worker', () => {
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await startTestWorker(database.url, env['GIRO_TASK_QUEUE']!);
  });
  afterAll(() => worker.stop());

  test('sending stop, show, go: waiting transfers show it and are notified; each has its audit line', async () => {
    const stopped = await inJson('sending stop --operator ana --reason drill');
    expect(stopped).toMatchObject({
      code: 0,
      document: { stopped: true, operator: 'ana', reason: 'drill', waiting: 0, createsInFlight: 0 },
    });
    const originId = freshOriginId();
    await giro('transfer start -', order(originId));
    await until(
      async () => (await giro(`transfer show ${originId}`)).stdout,
      (text) => / by ana: drill$/m.test(text),
    );
    expect((await inJson('sending show')).document).toMatchObject({ stopped: true });
    expect((await giro('setup')).stdout).toContain('sending: STOPPED since');
    expect((await inJson('transfer list --status sending')).document).toContainEqual(
      expect.objectContaining({ originId, phase: 'sending' }),
    );
    expect(await checked('sending')).toMatch(/^WRONG stopped since .* by ana: drill: .*sending go/);
    expect((await inJson('recover')).document).toMatchObject({ recovered: [], failed: [], more: false });
    expect((await giro('sending go --reason over --operator luis')).stdout).toMatch(/^sending: on, since /);
    expect(await inJson('transfer start - --wait --timeout 5m', order(originId))).toMatchObject({
      code: 0,
      document: { result: { status: 'COMPLETED' } },
    });
    expect(worker.bank.creates.filter((body) => body.includes(String(originId)))).toHaveLength(1);
    expect(await checked('sending')).toBe('ok creates go out: null');
    const cut = await giro('transfer list --limit 1');
    expect(cut.stderr).toContain('there are more than these 1');
    expect(cut.stdout.trim().split('\n')).toHaveLength(2);
  });

  test.each([
    ['no reason', 'sending stop'],
    ['an account number in the reason', 'sending stop --reason 0009001600000000000017'],
  ])('%s: exit 2, nothing changes', async (_, line) => {
    expect((await giro(line)).code).toBe(2);
    expect((await inJson('sending show')).document).toMatchObject({ stopped: false });
  });

  const [completed, failed, delayed] = [freshOriginId(), freshOriginId(), freshOriginId()];

  test('a file of orders, waited for: the highest code, one element for each', async () => {
    const input = [order(completed), order(failed, { description: 'FAILED' })]
      .map((it) => json(it))
      .join('\n');
    const { code, document } = await inJson('transfer start - --wait --timeout 5m', input);
    expect(code).toBe(3);
    expect(document).toMatchObject([
      { originId: completed, started: true, result: { status: 'COMPLETED', networkId: `N${completed}` } },
      { originId: failed, started: true, result: { status: 'FAILED', annulmentId: expect.any(String) } },
    ]);
    expect((await inJson('transfer start - --wait', order(completed))).code).toBe(0);
  });

  test('--skip-invalid starts the others and still ends with 2', async () => {
    const originId = freshOriginId();
    const { code, document } = await inJson('transfer start - --skip-invalid', [order(originId), order(0)]);
    expect({ code, document }).toMatchObject({ code: 2, document: [{ originId, started: true }] });
  });

  test('a conflicting order: exit 2, the others start', async () => {
    const other = freshOriginId();
    const { code, stdout, stderr } = await giro('transfer start - --json', [
      order(completed, { amount: '7.77' }),
      order(other),
    ]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { originId: completed, runId: null, started: false, error: { type: 'OriginIdConflictError' } },
      { originId: other, started: true },
    ]);
    expect(stderr).toContain('order 1, line 1: originId');
    for (const value of [...PERSONAL, '7.77']) expect(stdout + stderr).not.toContain(value);
  });

  test('show prints what journal and worker know', async () => {
    const { document } = await inJson(`transfer show ${failed}`);
    expect(document).toMatchObject({
      originId: failed,
      phase: 'ended',
      bankStatus: 'FAILED',
      status: 'FAILED',
      needsAttention: false,
      attentionReasons: [],
      polls: 0,
      nextPollAt: null,
      cancelRequested: false,
      history: [{ status: 'FAILED', at: expect.stringMatching(/Z$/) }],
      result: { status: 'FAILED' },
      annulment: { originId: failed, amount: '1500.25', decidedBy: 'bank' },
      attempts: [{ number: 1, outcome: 'answered' }],
      proposals: [],
      live: true,
    });
    const { stdout } = await giro(`transfer show ${failed}`);
    expect(stdout).toMatch(/^transfer: +\d+\n/);
    for (const value of PERSONAL) expect(stdout).not.toContain(value);
  });

  test('an open transfer: live in the list, and its movement is shown without asking the bank', async () => {
    expect((await giro('transfer start -', order(delayed, { description: 'DELAYED' }))).code).toBe(0);
    const openOnes = async () =>
      (await inJson('transfer list --status DELAYED')).document as { originId: number; live: boolean }[];
    while ((await openOnes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await openOnes()).toMatchObject([
      { originId: delayed, live: true, phase: 'polling', status: null, nextPollAt: expect.any(String) },
    ]);

    const before = worker.bank.lookups;
    const bank = stubBank();
    const { code, stdout, stderr } = await run(
      ['movement', 'show', '--origin-id', String(delayed), '--json'],
      {
        env,
        overrides: { bank },
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      answeredBy: 'journal',
      status: 'DELAYED',
      networkId: `N${delayed}`,
    });
    expect(stderr).toContain('the bank was not asked');
    expect([bank.lookups, worker.bank.lookups]).toEqual([0, before]);
  });

  test('a transfer whose order the worker refused: show prints why', async () => {
    const originId = freshOriginId();
    const connection = await Connection.connect({ address: testServers().temporalAddress });
    try {
      const run = await new Client({ connection }).workflow.start('transfer', {
        workflowId: `transfer-${originId}`,
        taskQueue: worker.taskQueue,
        args: [order(originId, { amount: '0' })],
      });
      await run.result().catch(() => undefined);
    } finally {
      await connection.close();
    }
    const { code, stdout, stderr } = await giro(`transfer show ${originId} --json`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`transfer ${originId} was refused, nothing was sent`);
    expect(stderr).toMatch(/InvalidTransferOrder: .*body\.amount/);
    for (const value of PERSONAL) expect(stderr).not.toContain(value);
  });

  test('list: newest first, limited, by status', async () => {
    const { document } = await inJson('transfer list --limit 2');
    expect(document).toHaveLength(2);
    expect(document[0].openedAt >= document[1].openedAt).toBe(true);
    const byStatus = await inJson('transfer list --status FAILED');
    expect(byStatus.document).toMatchObject([{ originId: failed, status: 'FAILED' }]);
    expect((await inJson('transfer list --needs-attention')).document).toEqual([]);
    expect((await giro('transfer list')).stdout).toMatch(/^ORIGIN ID +STATUS/);
  });

  test('the movement of an ended transfer is asked from the bank; one it does not know: exit 2', async () => {
    const show = (...args: string[]) =>
      run(['movement', 'show', ...args], {
        env: { ...env, GIRO_SANDBOX: '1', POLL_ACTIVE: '10ms' },
        overrides: { bank: worker.bank },
      });
    const ended = await show('--origin-id', String(completed), '--json');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      answeredBy: 'bank',
      status: 'COMPLETED',
      originId: String(completed),
    });
    expect((await show('--origin-id', String(completed), '--raw')).stdout).toBe('{\n  "operacion": "x"\n}\n');
    expect(await show('--debin-id', 'D1')).toMatchObject({
      code: 2,
      stderr: 'giro: the bank knows no such movement\n',
    });
    expect((await giro('movement show --debin-id D1')).code).toBe(4);
  });

  test('annulments: one for the failed transfer', async () => {
    const { document } = await inJson('annulment list');
    expect(document).toMatchObject([{ originId: failed, amount: '1500.25', from: { address: PERSONAL[0] } }]);
    expect((await inJson('annulment list --since 2999-01-01')).document).toEqual([]);
    const { stdout } = await giro('annulment list');
    expect(stdout).toContain(String(failed));
    for (const value of PERSONAL) expect(stdout).not.toContain(value);
  });

  test('its health and its metrics are served', async () => {
    const get = async (path: string) => {
      const response = await fetch(`http://${worker.httpAddress}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    // On a busy machine a server may seem away for a moment.
    const { text: ready } = await until(
      () => get('/readyz'),
      ({ status }) => status === 200,
    );
    expect(ready).toMatch(/^ready\ntemporal: reachable\njournal: reachable\nbank: answered \d+ s ago\n$/);
    const metrics = (await get('/metrics')).text;
    expect(metrics).toContain('temporal_worker_start_total');
    expect(metrics).toMatch(/^giro_creates_total\{outcome="answered"\} [1-9]/m);
    expect(metrics).toContain('giro_transfers_ended_total{status="FAILED"} 1');
    expect(metrics).toContain('giro_annulments_total 1');
    for (const server of ['temporal', 'journal', 'bank']) {
      expect(metrics).toContain(`giro_server_up{server="${server}"} 1`);
    }
    // Of the engine's core: what alerts ask it for.
    expect(metrics).toMatch(/^temporal_workflow_task_queue_poll_succeed_total\{.*\} [1-9]/m);
    expect(metrics).toMatch(
      /^temporal_worker_task_slots_available\{.*worker_type="LocalActivityWorker".*\} /m,
    );
    expect(metrics).toMatch(/^temporal_workflow_task_schedule_to_start_latency_seconds_bucket\{.*\} [1-9]/m);
    expect((await get('/other')).status).toBe(404);
  });
});
