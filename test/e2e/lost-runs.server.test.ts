import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import type { EnvironmentWorker } from '../../dev/giro-environment';
import { transferRuns } from '../../src/engine/runs';
import { recover } from '../../src/recovery/recover';
import type { RecoveryOptions, RecoveryReport } from '../../src/recovery/recover';
import { validate } from '../schemas/validate';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { auditRequests, creates } from './audit';
import { corrupt } from './corrupt';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { startRaw } from './raw-start';

/** Runs that are gone while the journal has their transfer open (contract 4.8). */

// Runs are ended in the middle of their tasks, which the worker's core warns of.
quietRuntime({ core: 'ERROR' });

const POLL_ACTIVE_MS = 2_000;
/** The bank fails so many look-ups of `unclear` that no test sees the last of them. */
const FAILING_LOOKUPS = 1_000;

const environment = useEnvironment({
  settings: { createTimeoutMs: 3_000, pollActiveMs: POLL_ACTIVE_MS },
  rules: [
    { match: { description: 'at once' }, states: ['COMPLETED'] },
    { match: { description: 'open' }, states: ['IN_PROGRESS'] },
    {
      match: { description: 'unclear' },
      create: ['lost-answer'],
      query: [{ fault: 'http-500', times: FAILING_LOOKUPS }],
    },
    { match: { description: 'slow' }, states: ['DELAYED', 'DELAYED', 'DELAYED', 'COMPLETED'] },
  ],
});

async function opened(description: string, phase: 'polling' | 'looking-up' = 'polling'): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, description));
  await until(
    () => stateOf(env, originId),
    (view) => view.phase === phase,
  );
  return originId;
}

function recoverNow(rest: Partial<RecoveryOptions> = {}): Promise<RecoveryReport> {
  const { env, taskQueue } = environment();
  const runs = transferRuns(env.engine, taskQueue);
  return recover({ journal: env.journal, runs, checksMax: 1_000, startsMax: 1_000, ...rest });
}

/** As the schedule does it: the workflow, on the worker of the task queue. */
async function recoverByWorkflow(): Promise<RecoveryReport> {
  const { env, taskQueue } = environment();
  const workflowId = `giro-recovery-${nextOriginId()}`;
  const report: unknown = await env.engine.workflow.execute('recovery', { workflowId, taskQueue });
  expect(validate('recovery-result', report)).toBeNull();
  return report as RecoveryReport;
}

async function terminate(originId: number): Promise<void> {
  await environment().env.transfer(originId).terminate('lost, for the test');
}

async function forget(originId: number): Promise<void> {
  const { env } = environment();
  const { namespace } = env.engine.options;
  const workflowExecution = { workflowId: `transfer-${originId}` };
  await until(
    async () => {
      // A deletion that comes before the engine has filed the close of the run is passed over.
      await env.engine.workflowService
        .deleteWorkflowExecution({ namespace, workflowExecution })
        .catch(() => null);
      return env
        .transfer(originId)
        .describe()
        .then(
          () => 'there',
          () => 'gone',
        );
    },
    (found) => found === 'gone',
  );
}

/**
 * A transfer that completed before a failover to a PostgreSQL that lacks the last commits: the journal knows the order
 * alone.
 */
async function completedAndLost(): Promise<number> {
  const { env, databaseUrl } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'at once'));
  await env.giro.waitForTransfer(originId);
  for (const table of ['result', 'answer', 'request'] as const)
    await corrupt(databaseUrl, table, `delete from giro.${table} where origin_id = $1`, originId);
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner
    .query(
      `insert into giro.open_transfer (origin_id, opened_at)
       select origin_id, opened_at from giro.transfer where origin_id = $1`,
      [originId],
    )
    .finally(() => owner.end());
  return originId;
}

/** Its newest run timed out: someone started it with a time-out where no worker could refuse that. */
async function timeOut(originId: number): Promise<void> {
  const run = await startRaw(
    { ...environment(), taskQueue: `nobody-${originId}` },
    {
      ...{ workflowId: `transfer-${originId}`, workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
      ...{ workflowExecutionTimeout: '1s', args: [orderOf(originId, 'open')] },
    },
  );
  await runIs(originId, 'TIMED_OUT', run.firstExecutionRunId);
}

/** Its newest run failed: someone started another order under its id. */
async function fail(originId: number): Promise<void> {
  const run = await startRaw(environment(), {
    ...{ workflowId: `transfer-${originId}`, workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
    args: [orderOf(originId, 'open', '1500.26')],
  });
  await runIs(originId, 'FAILED', run.firstExecutionRunId);
}

/** `runId`: default the newest run, which another test's recovery may have started meanwhile. */
async function runIs(originId: number, status: string, runId?: string): Promise<void> {
  const handle = environment().env.engine.workflow.getHandle(`transfer-${originId}`, runId);
  await until(
    async () => (await handle.describe()).status.name as string,
    (name) => name === status,
  );
}

/** Workflow code that waits for nothing when a look-up is due. */
function strandingBundle(): string {
  const path = testServers().workflowBundlePath;
  const code = readFileSync(path, 'utf8');
  const due = /case 'lookup':\s+return lookUp\(step\.number, running\);/g;
  expect(code.match(due)).toHaveLength(1);
  const stranding = join(dirname(path), 'stranding-bundle.js');
  writeFileSync(stranding, code.replace(due, `case 'lookup': return new Promise(() => {});`));
  return stranding;
}

/** The bank completes it, and from now on answers its look-ups. */
function complete(originId: number): void {
  const { book } = environment().env.bank;
  const dossier = book.find({ originId: String(originId) });
  for (let step = 0; step < FAILING_LOOKUPS; step += 1) dossier?.nextQueryStep();
  expect(book.restate(String(originId), ['COMPLETED'])).toBe(true);
}

/** One create, and every gap of it kept, whichever run made the request. */
async function expectGoesOn(originId: number, seenBefore: number): Promise<void> {
  const { env } = environment();
  const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  expect(result.status).toBe('COMPLETED');
  const requests = auditRequests(env, originId);
  expect(creates(requests)).toHaveLength(1);
  expect(requests.length).toBeGreaterThan(seenBefore);
  for (const { gapMs } of requests.slice(1)) expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
}

describe('a run that is gone is started again, goes on by look-up and sends nothing', () => {
  it.concurrent.each([
    ['terminated', 'open', 'polling', terminate],
    ['terminated while the create was unclear', 'unclear', 'looking-up', terminate],
    ['deleted, or forgotten by retention', 'open', 'polling', forget],
    ['timed out', 'open', 'polling', timeOut],
    ['failed by a conflicting start', 'open', 'polling', fail],
  ] as const)('%s', async (_, description, phase, lose) => {
    const originId = await opened(description, phase);
    await lose(originId);
    const seenBefore = auditRequests(environment().env, originId).length;
    // Others of this file may be lost at the same moment, and another test's recovery may be first.
    const { startTime } = await until(
      async () => {
        await recoverByWorkflow();
        return environment().env.transfer(originId).describe();
      },
      ({ status }) => status.name === 'RUNNING',
    );
    complete(originId);
    await expectGoesOn(originId, seenBefore);
    // A look-up of the lost run may have been on its way.
    const first = auditRequests(environment().env, originId).find(({ atMs }) => atMs > startTime.getTime());
    expect(first!.atMs - startTime.getTime()).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
  });

  it.concurrent('reset: its new run is open, and is left alone', async () => {
    const { env } = environment();
    const originId = await opened('open');
    const { runId } = await env.transfer(originId).describe();
    const { events } = await env.transfer(originId).fetchHistory();
    const firstTask = events?.find((event) => event.workflowTaskCompletedEventAttributes != null);
    const reset = await env.engine.workflowService.resetWorkflowExecution({
      namespace: env.engine.options.namespace,
      workflowExecution: { workflowId: `transfer-${originId}`, runId },
      reason: 'for the test',
      ...(firstTask?.eventId == null ? {} : { workflowTaskFinishEventId: firstTask.eventId }),
      requestId: String(originId),
    });
    expect((await recoverNow()).recovered).not.toContain(originId);
    expect((await env.transfer(originId).describe()).runId).toBe(reset.runId);
    complete(originId);
    expect((await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });
});

describe('a run that is open, and that nothing continues', () => {
  /** Its run ends the task of its first look-up without a command. */
  async function stranded(taskQueue: string): Promise<{ originId: number; worker: EnvironmentWorker }> {
    const { env } = environment();
    const originId = nextOriginId();
    const worker = await env.startWorker({ taskQueue, workflowBundlePath: strandingBundle() });
    await startRaw(
      { ...environment(), taskQueue },
      { workflowId: `transfer-${originId}`, args: [orderOf(originId, 'open')] },
    );
    await until(
      () => recoverNow({ dryRun: true, quietAfterMs: 0 }),
      ({ recovered }) => recovered.includes(originId),
    );
    return { originId, worker };
  }

  it('is hinted after a quiet time; another worker repeats the lost step, and asks the bank', async () => {
    const { env } = environment();
    const taskQueue = `stranded-${nextOriginId()}`;
    const { originId, worker } = await stranded(taskQueue);
    await worker.stop();
    const seenBefore = auditRequests(env, originId).length;
    expect((await recoverNow()).recovered).not.toContain(originId);
    expect((await recoverNow({ quietAfterMs: 0 })).recovered).toContain(originId);
    const another = await env.startWorker({ taskQueue });
    complete(originId);
    await expectGoesOn(originId, seenBefore);
    await another.stop();
  });

  it('is reported if the hint did not help', async () => {
    const { originId, worker } = await stranded(`stranded-${nextOriginId()}`);
    expect((await recoverNow({ quietAfterMs: 0 })).recovered).toContain(originId);
    const { recovered } = await until(
      () => recoverNow({ quietAfterMs: 0 }),
      ({ failed }) => failed.some((it) => it.originId === originId && it.reason === 'STRANDED'),
    );
    expect(recovered).not.toContain(originId);
    await worker.stop();
    await terminate(originId);
  });
});

describe('a run that completed, with an end that the journal has lost', () => {
  it('is looked up by a new run, which sends nothing; a login that may not record the loss starts no run', async () => {
    const { env } = environment();
    const originId = await completedAndLost();
    const failed = { originId, reason: 'RUN_ENDED' };
    expect((await recoverNow()).failed).toContainEqual(failed);
    expect(await env.journal.unfinishedTransfer(originId)).toMatchObject({ isDoubted: false });

    expect((await recoverByWorkflow()).recovered).toContain(originId);
    expect((await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
    expect((await env.journal.transfer(originId))?.result).toMatchObject({ status: 'COMPLETED' });
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });

  it('is not sent again once Temporal has forgotten the run', async () => {
    const { env } = environment();
    const originId = await completedAndLost();
    await env.journal.recordLostRequests(originId);
    await forget(originId);
    expect((await recoverByWorkflow()).recovered).toContain(originId);
    expect((await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });
});

describe('what recovery leaves alone', () => {
  it('open, ended and withdrawn transfers', async () => {
    const { env } = environment();
    const open = await opened('slow');
    const ended = nextOriginId();
    await env.giro.startTransfer(orderOf(ended, 'at once'));
    await env.giro.waitForTransfer(ended);
    await forget(ended);
    await environment().worker.stop();
    const withdrawn = nextOriginId();
    await env.giro.startTransfer(orderOf(withdrawn, 'at once'));
    await env.giro.cancelTransfer(withdrawn);
    environment().worker = await env.startWorker();
    await env.giro.waitForTransfer(withdrawn);

    const { recovered, failed } = await recoverNow();
    for (const originId of [open, ended, withdrawn]) expect(recovered).not.toContain(originId);
    expect(failed).toEqual([]);
    await expect(env.transfer(ended).describe()).rejects.toThrow();
    await terminate(open);
  });

  it('a dry run starts nothing; the real one starts all, once, however many recover at a time', async () => {
    const { env } = environment();
    const originIds = await Promise.all(Array.from({ length: 30 }, () => opened('slow')));
    await Promise.all(originIds.map(terminate));

    const dry = await recoverNow({ dryRun: true });
    expect(dry.recovered).toEqual(expect.arrayContaining(originIds));
    await runIs(originIds[0]!, 'TERMINATED');

    const reports = await Promise.all([recoverNow(), recoverNow(), recoverByWorkflow()]);
    const recovered = reports.flatMap((report) => report.recovered).filter((id) => originIds.includes(id));
    expect(recovered.toSorted((a, b) => a - b)).toEqual(originIds.toSorted((a, b) => a - b));
    for (const originId of originIds) {
      expect((await env.transfer(originId).describe()).status.name).toBe('RUNNING');
    }
    expect((await recoverNow()).recovered.filter((id) => originIds.includes(id))).toEqual([]);
    expect(originIds.flatMap((originId) => creates(auditRequests(env, originId)))).toHaveLength(30);
    await Promise.all(originIds.map(terminate));
  });

  it('no more than the bounds at a time; the rest is first in turn the next time', async () => {
    const originIds = await Promise.all(Array.from({ length: 12 }, () => opened('slow')));
    await Promise.all(originIds.map(terminate));
    const seen: number[] = [];
    for (let round = 0; seen.length < 12 && round < 20; round += 1) {
      const { recovered, more } = await recoverNow({ startsMax: 5 });
      expect(recovered.length).toBeLessThanOrEqual(5);
      if (recovered.length === 5) expect(more).toBe(true);
      seen.push(...recovered.filter((id) => originIds.includes(id)));
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(originIds.toSorted((a, b) => a - b));
    await Promise.all(originIds.map(terminate));
  });
});
