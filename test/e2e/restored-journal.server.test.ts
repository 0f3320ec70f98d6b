import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { GiroClient, OriginIdConflictError } from '../../src/client';
import { transferRuns } from '../../src/engine/runs';
import { recover } from '../../src/recovery/recover';
import { decideUpdate } from '../../src/workflows/messages';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/** A journal that is put back to an older copy of itself, while bank and engine go on from where they were. */
quietRuntime({ core: 'ERROR' });

const environment = useEnvironment({
  settings: { pollActiveMs: 2_000, pollDelayedMs: 4_000, createTimeoutMs: 3_000 },
  rules: [
    // For ever: the test ends these transfers, however long a busy machine takes.
    { match: { description: 'open' }, states: ['IN_PROGRESS'] },
    { match: { description: 'at once' }, states: ['COMPLETED'] },
  ],
});

const setSending = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'a backup is made' });

async function started(description: string, giro = environment().env.giro): Promise<number> {
  const originId = nextOriginId();
  await giro.startTransfer(orderOf(originId, description));
  return originId;
}

async function sees(originId: number, isThere: (view: Awaited<ReturnType<typeof stateOf>>) => boolean) {
  return until(() => stateOf(environment().env, originId), isThere);
}

const isAsked = ({ phase }: { readonly phase: string }) => phase === 'polling';
const isFlagged = ({ attentionReasons }: { readonly attentionReasons: readonly string[] }) =>
  attentionReasons.includes('JOURNAL_CONFLICT');

const resume = (originId: number) =>
  environment()
    .env.transfer(originId)
    .executeUpdate(decideUpdate, {
      args: [{ action: 'resume', operator: 'ana', reason: 'the journal was restored' }],
    });

async function asAdmin(work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: testServers().postgresAdminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

const name = (url: string): string => new URL(url).pathname.slice(1);

/** Ends every session of the database first: a copy wants it to itself. */
async function alone(admin: Client, database: string, statement: string): Promise<void> {
  await admin.query(`alter database ${database} with allow_connections false`);
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
  await until(
    () => admin.query('select 1 from pg_stat_activity where datname = $1', [database]),
    ({ rowCount }) => rowCount === 0,
  );
  await admin.query(statement);
}

const backupName = `giro_backup_${randomUUID().slice(0, 8)}`;

async function backUp(): Promise<void> {
  const database = name(environment().databaseUrl);
  await asAdmin(async (admin) => {
    await alone(admin, database, `create database ${backupName} template ${database}`);
    await admin.query(`alter database ${database} with allow_connections true`);
  });
}

async function restore(): Promise<void> {
  const database = name(environment().databaseUrl);
  await asAdmin(async (admin) => {
    await alone(admin, database, `drop database ${database}`);
    await admin.query(`alter database ${backupName} rename to ${database}`);
    await admin.query(`alter database ${database} with allow_connections true`);
  });
}

const sendsOf = (originId: number) => creates(auditRequests(environment().env, originId)).length;

it('sends nothing again: open transfers are looked up, runs ahead of it wait for a person, the echo decides the rest', async () => {
  const { env, taskQueue } = environment();
  const { journal } = env;

  // What the backup has: a transfer that is being asked, and three of which nothing was sent.
  const ahead = await started('open');
  await sees(ahead, isAsked);
  await setSending(true);
  // On a queue whose worker is away while sending goes on; otherwise it would be retried.
  const away = `giro-test-${randomUUID()}`;
  const itsWorker = await env.startWorker({ taskQueue: away });
  const [lost, endedRun, waiting] = [
    await started('open'),
    await started('at once'),
    await started('at once', new GiroClient({ client: env.engine, taskQueue: away })),
  ];
  for (const originId of [lost, endedRun, waiting])
    await sees(originId, (view) => view.sendingStopped !== null);
  await Promise.all([itsWorker.stop(), environment().worker.stop()]);
  await backUp();

  // What only the bank and the engine know of afterwards.
  environment().worker = await env.startWorker();
  await setSending(false);
  for (const originId of [lost, endedRun])
    await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
  await sees(lost, isAsked);
  await env.giro.waitForTransfer(endedRun, { timeoutMs: 300_000 });
  const unknown = await started('open');
  await sees(unknown, isAsked);
  const { originId: _, ...withoutId } = orderOf(0, 'at once');
  const payroll = { reference: randomUUID(), ...withoutId };
  const bound = await env.giro.startTransfer(payroll);
  await env.giro.waitForTransfer(bound.originId, { timeoutMs: 300_000 });
  await sees(ahead, ({ polls }) => polls >= 2);
  await environment().worker.stop();
  await env.transfer(lost).terminate('lost, for the test');
  await restore();

  // As in the runbook: sending is stopped, as in the backup; the restoration is recorded; work resumes. Only the
  // sequence is not raised yet.
  await journal.recordRestoration();
  environment().worker = await env.startWorker();
  const report = await recover({
    ...{ journal, checksMax: 1_000, startsMax: 1_000 },
    runs: transferRuns(env.engine, taskQueue),
  });
  expect(report.recovered.toSorted((a, b) => a - b)).toEqual([lost, endedRun].toSorted((a, b) => a - b));
  expect(report.failed).toEqual([]);

  // The bank knows them: they are taken over.
  await sees(lost, isAsked);
  await until(
    () => journal.transfer(endedRun),
    (record) => record?.result?.status === 'COMPLETED',
  );
  expect([lost, endedRun].map(sendsOf)).toEqual([1, 1]);

  // Runs that know more than the journal are held, until a person has them go on.
  for (const originId of [ahead, unknown]) {
    await sees(originId, isFlagged);
    expect(await resume(originId)).toMatchObject({ state: 'resumed' });
    const polls = (await stateOf(env, originId)).polls;
    await sees(originId, (view) => isAsked(view) && view.polls > polls);
    expect(sendsOf(originId)).toBe(1);
    expect(await journal.transfer(originId)).toMatchObject({ originId, bankStatus: 'IN_PROGRESS' });
  }

  // Its run is open, and by it nothing was ever claimed; the journal may have lost what another run claimed. It is
  // looked up, and people decide.
  await setSending(false);
  const itsWorkerAgain = await env.startWorker({ taskQueue: away });
  await env.giro.hintTransfer(waiting, { source: 'test', eventId: '2' });
  const unsent = await sees(waiting, ({ attentionReasons }) => attentionReasons.includes('OUTCOME_UNKNOWN'));
  expect(unsent).toMatchObject({ phase: 'held', sends: 1, sendingStopped: null });
  expect(unsent.mayDecide.map(({ action }) => action)).not.toContain('resend');
  expect(sendsOf(waiting)).toBe(0);
  await itsWorkerAgain.stop();

  // Temporal knows which reference the journal has lost: the same order is the same transfer, and is not paid again.
  expect(await env.giro.startTransfer(payroll)).toMatchObject({ originId: bound.originId, started: false });
  expect(sendsOf(bound.originId)).toBe(1);
  // The sequence hands out no originId of a lost binding.
  const other = { ...withoutId, body: { ...withoutId.body, amount: '77.00' } };
  const fresh = await env.giro.startTransfer({ reference: randomUUID(), ...other });
  expect(fresh.originId).not.toBe(bound.originId);
  expect((await env.giro.waitForTransfer(fresh.originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');

  // A new order under an originId that the bank knows as another payment. The engine reports the conflict while it
  // remembers…
  const taken = { originId: bound.originId, ...other };
  await expect(env.giro.startTransfer(taken)).rejects.toThrow(OriginIdConflictError);
  // …and when it does not, the bank's old movement comes back, and the echo holds the new one.
  await until(
    async () => {
      await env.engine.workflowService
        .deleteWorkflowExecution({
          namespace: env.engine.options.namespace,
          workflowExecution: { workflowId: bound.workflowId },
        })
        .catch(() => null);
      return env
        .transfer(bound.originId)
        .describe()
        .then(
          () => 'there',
          () => 'gone',
        );
    },
    (found) => found === 'gone',
  );
  const again = await env.giro.startTransfer(taken);
  const held = await sees(again.originId, ({ attentionReasons }) =>
    attentionReasons.includes('ECHO_MISMATCH'),
  );
  expect(held.phase).toBe('held');
  expect((await journal.transfer(again.originId))?.result).toBeNull();

  // With the sequence above all that was used, the next one is new to the bank.
  const from = nextOriginId() + 1_000;
  await journal.advanceSequence(from);
  const next = await env.giro.startTransfer({ reference: randomUUID(), ...other });
  expect(next.originId).toBeGreaterThanOrEqual(from);
  expect((await env.giro.waitForTransfer(next.originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
  await Promise.all(
    [lost, ahead, unknown, waiting].map((originId) => env.transfer(originId).terminate('end of the test')),
  );
  // A run that was ahead of its journal, and one of which the restored journal had nothing.
  await keepHistory('journal-behind-resumed', env.transfer(ahead), taskQueue);
  await keepHistory('journal-without-it-resumed', env.transfer(unknown), taskQueue);
  await keepHistory('known-to-the-bank-held', env.transfer(again.originId), taskQueue);
});
