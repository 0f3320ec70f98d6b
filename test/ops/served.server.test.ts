import { randomBytes, randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { highLevel } from '../../dev/bank-access';
import { lastingPort } from '../../dev/free-port';
import { startGiroEnvironment, until } from '../../dev/giro-environment';
import type { GiroEnvironment } from '../../dev/giro-environment';
import { madeUpOrder } from '../../dev/made-up-order';
import { startReceiverProcess } from '../../dev/receiver-process';
import { Scope } from '../../dev/scope';
import type { ServiceProcess } from '../../dev/service-process';
import { startWorkerProcess } from '../../dev/worker-process';
import { VERIFICATION_ENV } from '../../dev/demo/verifications';
import { giro } from '../commands/support/memory-io';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { alertRules, panelTargets, recordingRules, selectorsOf } from './expressions';
import { startPrometheus } from './prometheus-process';
import type { PrometheusProcess } from './prometheus-process';

/**
 * What a worker and a receiver serve after failures, an outage of the bank, a verification, a notification and a
 * reconciliation, judged by every panel and every rule. Needs Prometheus (PROMETHEUS_PATH, or on the PATH).
 */
const program = process.env['PROMETHEUS_PATH'] ?? 'prometheus';
const hasPrometheus = spawnSync(program, ['--version']).status === 0;
/** In place of what Grafana works out: four scrapes, and some more on a busy machine. */
const RATE_INTERVAL = '20s';

/** By description, what the bank does; everything here ends within seconds. */
const DESCRIPTIONS = [
  ...['ordinary', 'sandbox:completed', 'sandbox:failed', 'sandbox:no-details', 'sandbox:reversed'],
  ...['sandbox:lost-answer', 'sandbox:unknown-status', 'sandbox:stuck'],
];
const FIRST_ID = 8_001;

(hasPrometheus ? describe : describe.skip)('what is served (needs Prometheus)', () => {
  const scope = new Scope();
  let prometheus: PrometheusProcess;
  let beganMs = 0;

  beforeAll(async () => {
    beganMs = Date.now();
    const database = scope.own(await createTestDatabase(), (it) => it.drop());
    const bank = await highLevel();
    const taskQueue = `served-${randomUUID()}`;
    const where = { ...testServers(), databaseUrl: database.url, taskQueue };
    const env = scope.own(await startGiroEnvironment({ ...where, bankOptions: bank.bankOptions }), (it) =>
      it.close(),
    );
    const targets = {
      'giro-worker': `127.0.0.1:${await lastingPort()}`,
      'giro-receiver': `127.0.0.1:${await lastingPort()}`,
    };
    prometheus = await startPrometheus(scope, program, targets);
    const pathSecret = randomBytes(24).toString('hex');
    const access = bank.access(env.bank);
    const stopWith = (process: ServiceProcess) =>
      scope.own(process, async (it) => {
        await it.stop();
      });
    const worker = startWorkerProcess({
      ...{ ...where, access },
      env: {
        GIRO_HTTP_ADDRESS: targets['giro-worker'],
        ...VERIFICATION_ENV,
        ...{ POLL_ACTIVE: '1s', POLL_KYC: '1s', POLL_KYC_MAX: '1s' },
      },
    });
    const address = `127.0.0.1:${await lastingPort()}`;
    const receiver = startReceiverProcess({
      ...{ databaseUrl: database.url, address, pathSecret },
      httpAddress: targets['giro-receiver'],
    });
    await Promise.all([worker.then(stopWith), receiver.then(stopWith)]);
    // Each counter is seen at zero first: `rate` knows increases alone.
    await until(
      () => prometheus.range('giro_creates_total{outcome="unknown"} == 0', 10),
      (series) => series.length > 0,
    );
    await useIt(env, `http://${address}/webhooks/${pathSecret}`, taskQueue);
    const settings = { TEMPORAL_ADDRESS: where.temporalAddress, DATABASE_URL: database.url };
    const reconciled = await giro(['reconcile', 'run', '--json'], {
      env: { ...settings, GIRO_TASK_QUEUE: taskQueue },
    });
    expect(reconciled.code).not.toBe(1);
    // The journal computes statistics every 5 s; then a few more scrapes.
    await until(
      () => prometheus.range('giro_reconciliation_timestamp_seconds', 10),
      (series) => series.length > 0,
    );
    await until(
      () => prometheus.range('sum(increase(giro_webhook_notifications_total[1m]))', 10),
      (series) => series.some(({ values }) => values.some(([, value]) => Number(value) > 0)),
    );
  });

  afterAll(() => scope.release());

  /** The first sample that is a number, of any series in all that time. */
  const firstNumber = async (expr: string): Promise<string | undefined> => {
    const bound = expr.replaceAll('$__rate_interval', RATE_INTERVAL);
    const series = await prometheus.range(bound, Math.ceil((Date.now() - beganMs) / 1_000));
    return series.flatMap(({ values }) => values.map(([, value]) => value)).find((value) => value !== 'NaN');
  };

  it.each(panelTargets)('panel %s shows data: %s', async (_title, expr) => {
    expect(await firstNumber(expr)).toBeDefined();
  });

  it.each([...alertRules, ...recordingRules].map(({ name, expr }) => [name, selectorsOf(expr)] as const))(
    'rule %s asks for what is served',
    async (_name, selectors) => {
      const absent: string[] = [];
      for (const selector of selectors)
        if ((await firstNumber(`count(${selector})`)) === undefined) absent.push(selector);
      expect(absent).toEqual([]);
    },
  );

  it('Prometheus evaluates every rule', async () => {
    expect(await prometheus.brokenRules()).toEqual([]);
  });
});

/** Transfers of several kinds, a verification, a notification and its repeat, an outage, a workflow that has no code, a start that is refused. */
async function useIt(env: GiroEnvironment, webhookUrl: string, taskQueue: string): Promise<void> {
  const orders = DESCRIPTIONS.map((description, index) => madeUpOrder(FIRST_ID + index, description));
  await Promise.all(orders.map((order) => env.giro.startTransfer(order)));
  await env.giro.trackVerification('sandbox-rejected');
  await env.giro.trackVerification('sandbox-pending');
  const stray = await env.engine.workflow.start('no-such-workflow', {
    ...{ taskQueue, workflowId: `stray-${randomUUID()}` },
  });
  // Not of its originId: refused.
  await env.engine.workflow.start('transfer', {
    ...{ taskQueue, workflowId: `transfer-${randomUUID()}`, args: [madeUpOrder(FIRST_ID + 50, 'ordinary')] },
  });
  await env.giro.waitForTransfer(FIRST_ID + 2);
  const notification = JSON.stringify({ data: { originId: FIRST_ID + DESCRIPTIONS.length - 1 } });
  for (let repeat = 0; repeat < 2; repeat += 1)
    await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: notification,
    });
  // Long enough for the breaker to open: the transfer that never ends is asked each second.
  env.bank.setOutage('http-503');
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      env.giro.startTransfer(madeUpOrder(FIRST_ID + 100 + index, 'ordinary')),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  env.bank.setOutage('none');
  await stray.terminate('the test has seen its tasks fail');
}
