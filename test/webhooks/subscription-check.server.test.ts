import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { openBankClient } from '../../dev/bank-client';
import { Scope } from '../../dev/scope';
import { webhookCheckActivities } from '../../src/activities/check-webhooks';
import type { WebhookCheckReport } from '../../src/activities/check-webhooks';
import { tellWebhookCheck } from '../../src/activities/tell-webhook-check';
import type { ExpectedWebhook } from '../../src/domain/webhook-subscriptions';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { createLogger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { keepHistory } from '../e2e/keep-history';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';

const TOKEN = 'webhook-token';
const OURS = 'https://pagos.example/webhooks/s3cret-s3cret';
const taskQueue = `giro-webhook-check-${randomUUID()}`;

const scope = new Scope();
const metrics = createMetrics();
let db: TestJournal;
let bank: SandboxBank;
let engine: Client;
let expected: readonly ExpectedWebhook[] = [];
let log = '';

beforeAll(async () => {
  quietRuntime();
  const { temporalAddress: address, workflowBundlePath } = testServers();
  db = scope.own(await openTestJournal(), (it) => it.close());
  bank = scope.own(await startSandboxBank({ token: TOKEN }), (it) => it.close());
  const client = openBankClient(bank, TOKEN, { createTimeoutMs: 20_000, lookupTimeoutMs: 20_000 });
  scope.own(client, (it) => it.close());
  engine = new Client({ connection: scope.own(await Connection.connect({ address }), (it) => it.close()) });
  const connection = scope.own(await NativeConnection.connect({ address }), (it) => it.close());
  const logger = createLogger({ level: 'info', destination: { write: (line: string) => (log += line) } });
  const worker = await Worker.create({
    ...{ connection, taskQueue },
    workflowBundle: { codePath: workflowBundlePath },
    activities: webhookCheckActivities({
      ...{ bank: client, journal: db.journal, expected: () => expected },
      onCheck: tellWebhookCheck(logger, metrics.webhooks),
    }),
  });
  const running = worker.run();
  scope.own({ running }, async () => {
    worker.shutdown();
    await running;
  });
});
afterAll(() => scope.release());
beforeEach(() => (log = ''));

async function check(path?: string): Promise<WebhookCheckReport> {
  const workflowId = `webhook-check-${randomUUID()}`;
  const handle = await engine.workflow.start('webhookCheck', { taskQueue, workflowId, args: [] });
  const report = (await handle.result()) as WebhookCheckReport;
  if (path !== undefined) await keepHistory(path, handle, taskQueue);
  return report;
}

const subscribe = (...subscriptions: readonly (readonly [eventType: string, endpoint: string])[]) =>
  bank.book.subscriptions.replaceAll(
    subscriptions.map(([eventType, endpoint]) => ({
      ...{ eventType, endpoint, info: '' },
      ...{ secretKey: null, signature: 'standard' as const },
    })),
  );

const recorded = async () =>
  (await db.sql('select findings from giro.webhook_check order by record_id')).rows.map(
    ({ findings }) => findings,
  );

test('nothing expected: nothing is asked, which is reported', async () => {
  expect(await check()).toEqual({ outcome: 'nothing-expected' });
  expect(log).toContain('subscriptions are not checked');
  expect(await metrics.registry.getSingleMetricAsString('giro_webhook_checks_total')).toContain(
    'nothing-expected"} 1',
  );
  expect(await recorded()).toEqual([]);
});

test('missing and foreign ones are logged with each check and recorded when they change', async () => {
  expected = ['A', 'B'].map((eventType) => ({ eventType, endpoints: [OURS] }));
  subscribe(['A', OURS], ['B', OURS]);
  expect(await check()).toEqual({ outcome: 'as-expected' });
  expect([log, await recorded()]).toEqual(['', []]);

  subscribe(['A', 'https://elsewhere.example/x']);
  const findings = [
    { eventType: 'A', standing: 'foreign' },
    { eventType: 'B', standing: 'missing' },
  ];
  expect(await check('webhook-check')).toEqual({ outcome: 'findings', findings });
  expect(await check()).toEqual({ outcome: 'findings', findings });
  expect(await recorded()).toEqual([findings]);
  expect(log.match(/subscriptions at the bank are not as expected/g)).toHaveLength(2);

  subscribe(['A', OURS], ['B', OURS]);
  await check();
  expect(await recorded()).toEqual([findings, []]);
  expect(log).toContain('subscriptions at the bank are as expected again');
  expect(log).not.toMatch(/s3cret|elsewhere/);
  expect(await metrics.registry.getSingleMetricAsString('giro_webhook_checks_total')).toMatch(
    /as-expected"} 2\n.*findings"} 2/,
  );
});

test('a bank that does not answer is reported, and does not change the earlier result', async () => {
  const before = await recorded();
  bank.setOutage('http-503');
  expect(await check()).toMatchObject({ outcome: 'no-answer', httpStatus: 503 });
  expect(log).toContain('subscriptions could not be checked');
  expect(await recorded()).toEqual(before);
});
