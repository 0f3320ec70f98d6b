import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { stateOf, until } from '../../dev/giro-environment';
import type { Break } from '../../src/reconciliation/break';
import type { Report } from '../../src/reconciliation/report';
import { toSecond } from '../../src/reconciliation/run-window';
import { giro as run } from '../commands/support/memory-io';
import { testServers } from '../support/servers';
import { movement } from '../journal/support/transfers';
import { claimedNumbers } from './claimed-requests';
import { corrupt } from './corrupt';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** What goes wrong around a reconciliation: runs that are stuck, a bank that becomes unreachable, an endless list. */

const heldThen = (last: string) => ({
  states: ['CREATED', 'IN_PROGRESS', last],
  // Answer 2 is that of the run's first look-up: held, and asked again after ten and a half minutes.
  echo: [{ set: { 'details.amount': 1 }, from: 2, until: 2 }],
});

const environment = useEnvironment({
  // A long time-out: only the outage makes inquiries fail, not a busy machine.
  settings: { pollActiveMs: 200, lookupTimeoutMs: 60_000 },
  rules: [
    { match: { description: 'held' }, ...heldThen('FAILED') },
    { match: { description: 'reversed' }, states: ['CREATED', 'COMPLETED', 'FAILED'] },
    { states: ['CREATED', 'COMPLETED'] },
  ],
});

let lastAsOfMs = 0;
const nextAsOf = (): string => toSecond((lastAsOfMs = Math.max(Date.now(), lastAsOfMs + 1_000)));

async function giro(...args: string[]) {
  const { databaseUrl, taskQueue } = environment();
  const env = {
    TEMPORAL_ADDRESS: testServers().temporalAddress,
    DATABASE_URL: databaseUrl,
    GIRO_TASK_QUEUE: taskQueue,
  };
  return run(args, { env });
}

/** Under an id of its own: other test files use this server too, and may speak of the same moment. */
async function reconcile(asOf = nextAsOf()): Promise<Report> {
  const { env, taskQueue } = environment();
  const workflowId = `reconciliation-${asOf}-${taskQueue}`;
  await env.engine.workflow.execute('reconciliation', { workflowId, taskQueue, args: [{ asOf }] });
  const report = await env.journal.report(asOf);
  if (report === null) throw new Error(`no report as of ${asOf}`);
  return report;
}

const of = (breaks: readonly Break[], originId: number): string[] =>
  breaks.filter((one) => one.originId === originId).map((one) => `${one.class} ${one.subCase} ${one.state}`);

const lookUps = (originId: number): number =>
  environment()
    .env.bank.book.requests(String(originId))
    .filter(({ service }) => service === 'get-movement').length;

/** Held, so that it sleeps for longer than a test; then as if an hour had passed since its last request. */
async function stuckForAnHour(whileStuck: (originId: number) => Promise<void>): Promise<number> {
  const { env, databaseUrl } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'held'));
  await until(
    () => stateOf(env, originId),
    ({ phase }) => phase === 'held',
  );
  await whileStuck(originId);
  for (const [table, column] of [
    ['request', 'claimed_at'],
    ['answer', 'recorded_at'],
  ] as const) {
    const older = `update giro.${table} set ${column} = ${column} - interval '1 hour' where origin_id = $1`;
    await corrupt(databaseUrl, table, older, originId);
  }
  return originId;
}

describe('runs that are stuck', () => {
  test('one that should have asked long ago is compared, reported and hinted, and ends', async () => {
    const { env } = environment();
    const originId = await stuckForAnHour(() => Promise.resolve());
    const asked = lookUps(originId);
    const first = await reconcile();
    expect(first.outcome).toBe('PARTIAL');
    expect(first.notAsked).toEqual([{ originId, book: 'bank', reason: 'OVERDUE' }]);
    expect(of(first.breaks, originId)).toEqual(['AMOUNT_MISMATCH AMOUNT_AT_BANK open']);

    // Long before its own timer: it was hinted, and the bank's cadence allowed it.
    const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(result).toMatchObject({ status: 'FAILED', annulmentId: expect.any(String) as string });
    expect(lookUps(originId)).toBe(asked + 1);
    const second = await reconcile();
    expect(second).toMatchObject({ outcome: 'CLEAN', breaksResolved: 1 });
  });

  test('a FAILED that its run has missed is brought in, and its annulment recorded, by the run', async () => {
    const { env, databaseUrl } = environment();
    // As a worker leaves it that is killed after it has recorded an answer.
    const originId = await stuckForAnHour(async (stuck) => {
      const number = Math.max(...(await claimedNumbers(databaseUrl, stuck)).map((one) => one.number)) + 1;
      await env.journal.claimRequest({ originId: stuck, number, kind: 'lookup', runId: 'a killed worker' });
      const { movementId = null, networkId = null } = (await env.journal.transfer(stuck)) ?? {};
      const answer = movement('FAILED', { movementId, networkId });
      await env.journal.recordAnswer({ originId: stuck, number, answer, digest: 'of a killed worker' });
    });
    const asked = lookUps(originId);
    const first = await reconcile();
    expect(of(first.breaks, originId)).toEqual(['MISSING_ANNULMENT FAILED_ANSWER open']);
    expect(first.notAsked).toEqual([{ originId, book: 'bank', reason: 'OVERDUE' }]);

    const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(result).toMatchObject({ status: 'FAILED', decidedBy: 'bank' });
    const annulments = await env.journal.annulments({ since: null, after: null, limit: 1_000 });
    expect(annulments.filter((one) => one.originId === originId)).toMatchObject([
      { id: result.annulmentId, decidedBy: 'bank', bankStatus: 'FAILED' },
    ]);
    // The answer was there: nobody asked for it again.
    expect(lookUps(originId)).toBe(asked);
    expect(await reconcile()).toMatchObject({ outcome: 'CLEAN', breaksResolved: 1 });
  });
});

test('a bank that goes away in the middle: PARTIAL, with all of why; a later run finds everything', async () => {
  const { env } = environment();
  const names = [...Array<string>(60).fill('many'), 'reversed'];
  const originIds = names.map(() => nextOriginId());
  const reversed = originIds.at(-1)!;
  await Promise.all(
    originIds.map((originId, i) => env.giro.startTransfer(orderOf(originId, names[i] ?? ''))),
  );
  await Promise.all(originIds.map((originId) => env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })));
  // The outage begins when a request arrives: on a busy machine, a test that polls for the request may be too late.
  const { requestLog } = env.bank.book;
  const identified = requestLog.identified.bind(requestLog);
  let arrived = 0;
  const arrival = jest.spyOn(requestLog, 'identified').mockImplementation((...request) => {
    identified(...request);
    if (++arrived > 10) env.bank.setOutage('reset');
  });

  const asOf = nextAsOf();
  const first = await reconcile(asOf);
  arrival.mockRestore();
  env.bank.setOutage('none');
  expect(first.outcome).toBe('PARTIAL');
  expect(first.notAskedCount).toBeGreaterThan(20);
  expect(new Set(first.notAsked.map(({ reason }) => reason))).toEqual(
    new Set(['NO_ANSWER', 'BANK_UNREACHABLE']),
  );
  expect(first.notAsked.map(({ originId }) => originId)).toContain(reversed);
  expect(of(first.breaks, reversed)).not.toContain('STATE_MISMATCH COMPLETED_THEN_FAILED open');
  const listed = await giro('reconcile', 'show', asOf, '--not-asked', '--json');
  expect((JSON.parse(listed.stdout) as unknown[]).length).toBe(first.notAskedCount);

  const second = await reconcile();
  expect(second).toMatchObject({ outcome: 'BREAKS', notAskedCount: 0, breaksOpened: 1 });
  expect(of(second.breaks, reversed)).toEqual(['STATE_MISMATCH COMPLETED_THEN_FAILED open']);
  expect(second.breaks.filter((one) => one.class === 'QUERY_ERROR' && one.state === 'open')).toEqual([]);
  const [last, earlier] = JSON.parse((await giro('reconcile', 'list', '--json')).stdout) as unknown[];
  expect([last, earlier]).toMatchObject([
    { asOf: second.asOf, state: 'BREAKS', breaks: 1, breaksOpened: 1, notAsked: 0 },
    { asOf, state: 'PARTIAL', notAsked: first.notAskedCount },
  ]);
});

test('a run of many steps goes on as new: each step once and in order, its history bounded', async () => {
  const STEPS = 105;
  const { env } = environment();
  const { temporalAddress, workflowBundlePath } = testServers();
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const taskQueue = `giro-long-${randomUUID()}`;
  const done: number[] = [];
  const totals = {};
  const result = { asOf: '2026-03-05T09:00:00Z', outcome: 'CLEAN', totals, notAskedCount: 0, notAsked: [] };
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: workflowBundlePath },
    activities: {
      openReconciliation: () => Promise.resolve({ asOf: result.asOf, result: null }),
      reconcileStep: ({ step }: { step: number }) => {
        done.push(step);
        return Promise.resolve(step < STEPS);
      },
      endReconciliation: () => Promise.resolve({ ...result, breaksOpened: 0, breaksResolved: 0 }),
    },
  });
  try {
    await worker.runUntil(async () => {
      const workflowId = `reconciliation-long-${randomUUID()}`;
      const handle = await env.engine.workflow.start('reconciliation', { taskQueue, workflowId, args: [{}] });
      expect(await handle.result()).toMatchObject({ outcome: 'CLEAN' });
      expect(done).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
      const first = await env.engine.workflow.getHandle(workflowId, handle.firstExecutionRunId).describe();
      const last = await env.engine.workflow.getHandle(workflowId).describe();
      expect([first.status.name, last.status.name]).toEqual(['CONTINUED_AS_NEW', 'COMPLETED']);
      // 100 steps of six events, and what begins and ends it; the last has the five that are left.
      expect(first.historyLength).toBeLessThan(700);
      expect(last.historyLength).toBeLessThan(60);
    });
  } finally {
    await connection.close();
  }
});

test('a run that the engine has and the journal not yet: its window and statement apply, and the command says so', async () => {
  const { env, taskQueue } = environment();
  const asOf = '2001-02-03T04:05:06Z';
  // Its end is another run's report, so the command does not wait for a worker.
  await env.engine.workflow.execute('reconciliation', {
    ...{ workflowId: `reconciliation-${asOf}`, taskQueue, args: [{ asOf: nextAsOf() }] },
  });
  const late = await giro('reconcile', 'run', '--as-of', asOf, '--from', '2001-02-01');
  expect(late.stderr).toContain(`as of ${asOf} exists already: its window and statement apply`);
  const plain = await giro('reconcile', 'run', '--as-of', asOf);
  expect(plain.stderr).not.toContain('exists already');
});
