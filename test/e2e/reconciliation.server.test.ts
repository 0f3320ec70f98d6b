import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeReconciliationSchedule } from '../../src/doctor/schedule-checks';
import type { ReconciliationSchedule } from '../../src/engine/reconciliation-runs';
import type { Break } from '../../src/reconciliation/break';
import type { Report } from '../../src/reconciliation/report';
import { reconciliationWorkflowId, toSecond } from '../../src/reconciliation/run-window';
import type { SandboxRule } from '../../src/sandbox-bank';
import { giro as run } from '../commands/support/memory-io';
import { problemOfReport } from '../schemas/validate-report';
import { testServers } from '../support/servers';
import { until } from '../../dev/giro-environment';
import { corrupt as corruptBook } from './corrupt';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';
import { confirmedDebits } from '../journal/support/confirmed-debits';

/** Books that are right, then each of them corrupted in its own place, through the commands. */

const OTHER_CVU = '0009001600000000000024';
const STATES = ['CREATED', 'COMPLETED'];

/** Answer 1 is that of create, 2 that of the run's look-up, 3 that of the first reconciliation, 4 of the second. */
const wrong = (description: string, path: string, value: unknown): SandboxRule => ({
  match: { description },
  states: STATES,
  echo: [{ set: { [path]: value }, from: 3, until: 3 }],
});

const environment = useEnvironment({
  settings: { pollActiveMs: 200 },
  rules: [
    { match: { description: { prefix: 'fails' } }, states: ['CREATED', 'FAILED'] },
    { match: { description: { prefix: 'open' } }, states: ['CREATED'] },
    { match: { description: 'reversed' }, states: [...STATES, 'FAILED', 'COMPLETED'] },
    { match: { description: 'forgotten' }, states: STATES, query: ['ok', 'not-found', 'ok'] },
    { match: { description: 'unreadable' }, states: STATES, query: ['ok', 'http-500', 'ok'] },
    { match: { description: 'twin' }, states: STATES, id: '424242' },
    wrong('amount', 'details.amount', 1),
    wrong('currency', 'details.amountCurrency', '840'),
    wrong('destination', 'counterparty.accountRouting.address', OTHER_CVU),
    wrong('source', 'thisSubAccount.accountRouting.address', OTHER_CVU),
    { states: STATES },
  ],
});

let folder = '';
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'giro-reconciliation-'))));
afterAll(() => rm(folder, { recursive: true }));

/** Moments that no other run of this file speaks of: at most a second or two ahead of the clock. */
let lastAsOfMs = 0;
const nextAsOf = (): string => toSecond((lastAsOfMs = Math.max(Date.now(), lastAsOfMs + 1_000)));

const giro = (...args: string[]) => giroWith({}, ...args);

function giroWith(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { databaseUrl, taskQueue } = environment();
  return run(args, {
    env: {
      ...env,
      TEMPORAL_ADDRESS: testServers().temporalAddress,
      DATABASE_URL: databaseUrl,
      GIRO_TASK_QUEUE: taskQueue,
    },
  });
}

async function reconcile(asOf = nextAsOf(), ...more: string[]): Promise<{ code: number; report: Report }> {
  const { code, stdout, stderr } = await giro('reconcile', 'run', '--as-of', asOf, '--json', ...more);
  if (stdout === '') throw new Error(stderr);
  const report = JSON.parse(stdout) as Report;
  expect(problemOfReport(report)).toBeNull();
  return { code, report };
}

const corrupt = (table: string, text: string, originId: number): Promise<void> =>
  corruptBook(environment().databaseUrl, table, text, originId);

async function transferred(description: string): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, description));
  await env.giro.waitForTransfer(originId);
  return originId;
}

/** The requests of reconciliations and runs to the bank about it. */
const questions = (originId: number): number =>
  environment()
    .env.bank.book.requests(String(originId))
    .filter(({ service }) => service === 'get-movement').length;

test('books that agree are CLEAN; the same moment again is the same report, and nobody is asked again', async () => {
  const { env, taskQueue } = environment();
  const originIds = await Promise.all(['plain', 'plain', 'fails'].map(transferred));
  const before = originIds.map(questions);
  const asOf = nextAsOf();
  const { code, report } = await reconcile(asOf);
  expect(report).toMatchObject({ outcome: 'CLEAN', breaks: [], notAsked: [], breaksOpened: 0 });
  expect(report.totals).toMatchObject({
    transfers: { count: 3, amount: '4500.75' },
    journal: { COMPLETED: { count: 2 }, FAILED: { count: 1 } },
    bank: { COMPLETED: { count: 2 }, FAILED: { count: 1 } },
    engine: { COMPLETED: { count: 3 } },
    annulments: { count: 1, amount: '1500.25' },
  });
  expect(code).toBe(0);
  expect(originIds.map(questions)).toEqual(before.map((count) => count + 1));

  expect(await reconcile(asOf)).toEqual({ code, report });
  const handle = env.engine.workflow.getHandle(reconciliationWorkflowId(asOf));
  expect(await handle.result()).toMatchObject({ asOf, outcome: 'CLEAN', notAsked: [], breaksOpened: 0 });
  // The engine may have forgotten the run; the journal has its report.
  await env.engine.workflow.start('reconciliation', {
    ...{ taskQueue, workflowId: `${handle.workflowId}-again`, args: [{ asOf }] },
  });
  const again = env.engine.workflow.getHandle(`${handle.workflowId}-again`);
  expect(await again.result()).toEqual(await handle.result());
  expect(originIds.map(questions)).toEqual(before.map((count) => count + 1));
  expect((await giro('reconcile', 'show', asOf, '--json')).stdout).toBe(
    `${JSON.stringify(report, null, 2)}\n`,
  );
  expect((await giro('reconcile', 'show', asOf, '--format', 'html')).stdout).toMatch(/^<!doctype html>/i);
  await keepHistory('reconciliation', handle, taskQueue);
});

test('the head of the report is handed to a program, and audits the books later', async () => {
  const [kept, keep] = [join(folder, 'kept'), join(folder, 'keep')];
  await writeFile(keep, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${kept}\n`, { mode: 0o755 });
  const asOf = nextAsOf();
  const env = { RECONCILE_HEAD_COMMAND: JSON.stringify([keep, '--to', 'elsewhere']) };
  const { stdout } = await giroWith(env, 'reconcile', 'run', '--as-of', asOf, '--json');
  const head = (JSON.parse(stdout) as Report).chain?.sha256 ?? '';
  expect((await readFile(kept, 'utf8')).split('\n')).toEqual(['--to', 'elsewhere', asOf, head, '']);

  expect(await giro('audit', 'verify', '--expect', head)).toMatchObject({ code: 0 });
  expect((await giro('audit', 'verify', '--expect', 'ab'.repeat(32))).code).not.toBe(0);
});

test('each corruption of a book is one break; the next run resolves those that are corrected', async () => {
  const { env } = environment();
  const names = [
    ...['reversed', 'forgotten', 'unreadable', 'amount', 'currency', 'destination', 'source'],
    ...['twin', 'late', 'fails without annulment', 'annulled', 'edited', 'lost from the journal'],
  ];
  const of: Record<string, number> = {};
  await Promise.all(names.map(async (name) => (of[name] = await transferred(name))));
  of['second twin'] = await transferred('twin');
  const open = async (name: string): Promise<void> => {
    const originId = nextOriginId();
    of[name] = originId;
    await env.giro.startTransfer(orderOf(originId, name));
    await until(
      () => env.journal.transfer(originId),
      (record) => record?.bankStatus === 'CREATED',
    );
  };
  await Promise.all(['open and unknown', 'open and lost'].map(open));
  const id = (name: string): number => of[name] ?? 0;

  // The journal: by its owner, with every guard lifted.
  await corrupt(
    'annulment',
    'delete from giro.annulment where origin_id = $1',
    id('fails without annulment'),
  );
  await corrupt(
    'annulment',
    `insert into giro.annulment (origin_id, movement_id, amount, currency, bank_status, decided_by, operators)
     select $1, result ->> 'movementId', 1500.25, '032', 'FAILED', 'bank', '{}' from giro.result where origin_id = $1`,
    id('annulled'),
  );
  await corrupt(
    'result',
    `update giro.result set result = jsonb_set(result, '{amount,value}', '"1500.26"') where origin_id = $1`,
    id('edited'),
  );
  await corrupt(
    'transfer',
    `update giro.transfer set opened_at = opened_at - interval '1 hour' where origin_id = $1`,
    id('late'),
  );
  await corrupt(
    'flags',
    `insert into giro.flags (origin_id, seq, reasons, recorded_at)
     values ($1, 1, '{OUTCOME_UNKNOWN}', now() - interval '2 days')`,
    id('open and unknown'),
  );
  for (const table of ['answer', 'request', 'result', 'transfer']) {
    await corrupt(table, `delete from giro.${table} where origin_id = $1`, id('lost from the journal'));
  }
  // The engine.
  await env.transfer(id('open and lost')).terminate('corrupted by the test');
  // The bank reports a debit that nobody ordered.
  await confirmedDebits(env.journal, [
    {
      ...{ deliveryKey: 'orphan-1', movementType: 'DEBIT_TRANSFER_SENT_CVU', originIds: [] },
      ...{ movementIds: ['777'], networkIds: [] },
    },
  ]);

  const first = await reconcile();
  const asRows = (breaks: readonly Break[]) =>
    breaks.map((one) => `${one.class} ${one.subCase} ${String(one.originId)}`).sort();
  const expected = [
    `STATE_MISMATCH COMPLETED_THEN_FAILED ${id('reversed')}`,
    `MISSING_AT_BANK COMPLETED_NOT_FOUND ${id('forgotten')}`,
    `QUERY_ERROR NO_ANSWER ${id('unreadable')}`,
    `AMOUNT_MISMATCH AMOUNT_AT_BANK ${id('amount')}`,
    `CURRENCY_MISMATCH CURRENCY_AT_BANK ${id('currency')}`,
    `COUNTERPARTY_MISMATCH DESTINATION_AT_BANK ${id('destination')}`,
    `SOURCE_MISMATCH SOURCE_AT_BANK ${id('source')}`,
    `DUPLICATE SAME_MOVEMENT_ID ${Math.max(id('twin'), id('second twin'))}`,
    `LATE FINAL_LATE ${id('late')}`,
    `MISSING_ANNULMENT FAILED_RESULT ${id('fails without annulment')}`,
    `ANNULMENT_WITHOUT_FAILED RESULT_IS_NOT_FAILED ${id('annulled')}`,
    `AMOUNT_MISMATCH AMOUNT_IN_RESULT ${id('edited')}`,
    `MISSING_IN_JOURNAL MOVEMENT_WITHOUT_ENTRY ${id('lost from the journal')}`,
    `UNKNOWN_OUTCOME FLAGGED_OVER_A_DAY ${id('open and unknown')}`,
    `RUN_LOST RUN_STOPPED ${id('open and lost')}`,
    'ORPHAN_AT_BANK NOTIFIED_DEBIT null',
  ];
  expect(asRows(first.report.breaks)).toEqual([...expected].sort());
  expect(first.report).toMatchObject({
    outcome: 'PARTIAL',
    breaksOpened: expected.length,
    notAsked: [{ originId: id('unreadable'), book: 'bank', reason: 'NO_ANSWER' }],
  });
  expect(first.code).toBe(3);
  // A contradicted final is an incident as well.
  expect(await env.journal.incidents({ open: true, limit: 10 })).toContainEqual(
    expect.objectContaining({ originId: id('reversed'), fact: 'COMPLETED_THEN_FAILED' }),
  );

  // People resolve one of each kind by hand; the bank and the journal are right again.
  const settled = await giro(
    ...['reconcile', 'resolve', `LATE:FINAL_LATE:${id('late')}`],
    ...['--operator', 'ana', '--reason', 'asked the bank, 17'],
  );
  expect(settled.code).toBe(0);
  const acknowledged = await giro(
    ...['reconcile', 'acknowledge', 'ORPHAN_AT_BANK:MOVEMENT:777'],
    ...['--operator', 'ana', '--note', 'claim 42'],
  );
  expect(acknowledged).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is acknowledged') as string,
  });
  await corrupt('annulment', 'delete from giro.annulment where origin_id = $1', id('annulled'));
  await corrupt(
    'flags',
    `insert into giro.flags (origin_id, seq, reasons) values ($1, 2, '{}')`,
    id('open and unknown'),
  );
  await until(
    async () => (await env.transfer(id('open and lost')).describe()).status.name,
    (status) => status === 'RUNNING',
  );

  const second = await reconcile();
  const still = expected.filter((row) =>
    /^(DUPLICATE|LATE|MISSING_ANNULMENT|AMOUNT_MISMATCH AMOUNT_IN|MISSING_IN|ORPHAN)/.test(row),
  );
  expect(asRows(second.report.breaks)).toEqual([...still].sort());
  expect(second.report).toMatchObject({
    outcome: 'BREAKS',
    breaksOpened: 0,
    breaksResolved: expected.length - still.length,
  });
  const states = new Map(second.report.breaks.map((one) => [one.class, one.state]));
  expect([states.get('LATE'), states.get('ORPHAN_AT_BANK')]).toEqual(['resolved', 'acknowledged']);
  const unresolved = JSON.parse((await giro('reconcile', 'breaks', '--open', '--json')).stdout) as Break[];
  expect(asRows(unresolved)).toEqual(still.filter((row) => !row.startsWith('LATE')).sort());
  const history = await env.journal.breakHistory(`RUN_LOST:RUN_STOPPED:${id('open and lost')}`);
  expect(history.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  for (const name of ['open and unknown', 'open and lost']) await env.transfer(id(name)).terminate();
});

test("with a bank's statement: our debits are matched, others are reported with suggested transfers", async () => {
  const { env } = environment();
  const [byOurId, byMovement, doubled] = await Promise.all(['plain', 'plain', 'plain'].map(transferred));
  const bankId = (await env.journal.transfer(byMovement ?? 0))?.movementId ?? '';
  const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const [file, mapping] = [join(folder, 'statement.csv'), join(folder, 'mapping.json')];
  const lines = [
    `${today};OP-${String(byOurId)};;1500,25;0,00`,
    `${today};;${bankId};1500,25;0,00`,
    `${today};OP-${String(doubled)};;1500,25;0,00`,
    `${today};OP-${String(doubled)};;1500,25;0,00`,
    `${today};;990099;1500,25;0,00`,
    `${today};;;0,00;20000,00`,
  ];
  await writeFile(file, ['fecha;referencia;movimiento;debito;credito', ...lines].join('\n'));
  const columns = { bookedAt: 'fecha', originId: 'referencia', movementId: 'movimiento' };
  await writeFile(
    mapping,
    JSON.stringify({
      ...{ delimiter: ';', decimal: ',', date: 'yyyy-MM-dd', originIdPrefix: 'OP-' },
      columns: { ...columns, debit: 'debito', credit: 'credito' },
    }),
  );
  expect((await giro('reconcile', 'run', '--statement', file)).code).toBe(2);
  const { report } = await reconcile(nextAsOf(), '--statement', file, '--mapping', mapping);
  const orphan = report.breaks.find(({ key }) => key === 'ORPHAN_AT_BANK:MOVEMENT:990099');
  expect(orphan).toMatchObject({ subCase: 'DEBIT_ON_STATEMENT', amount: { value: '1500.25' } });
  expect(orphan?.detail).toContain('line 6');
  expect(orphan?.detail).toMatch(/may be \d/);
  expect(orphan?.detail).not.toContain(String(byOurId));
  expect(report.breaks).toContainEqual(
    expect.objectContaining({ originId: doubled, class: 'DUPLICATE', subCase: 'DEBITED_TWICE' }),
  );
  expect(report.totals.statement).toEqual({ DEBIT: { count: 4, amount: '6001.00' } });
  expect(report.breaks.filter(({ originId }) => originId === byOurId || originId === byMovement)).toEqual([]);
});

describe('a schedule of its own', () => {
  const handle = () => environment().env.engine.schedule.getHandle('giro-reconciliation');
  const standing = async () =>
    JSON.parse((await giro('reconcile', 'schedule', '--json')).stdout) as ReconciliationSchedule;
  afterAll(() => handle().delete());

  test('is made and changed by command, and skips and catches up as configured', async () => {
    expect((await giro('reconcile', 'schedule')).stdout).toContain('there is no schedule');
    expect(await giro('reconcile', 'schedule', '--cron', 'every day')).toMatchObject({
      code: 2,
      stderr: 'giro: --cron: CronString does not have 5-7 fields\n',
    });
    const made = await giro('reconcile', 'schedule', '--cron', '0 6 * * *', '--json');
    const [next] = (JSON.parse(made.stdout) as ReconciliationSchedule).next;
    // Six in the morning at UTC−3.
    expect(next).toMatch(/T09:00:00/);
    const { policies, action } = await handle().describe();
    // None that a lost key could close.
    expect(action).toMatchObject({ args: [] });
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 2 * 3_600_000 });
    expect((await giro('reconcile', 'schedule', '--cron', '30 5 * * 1-5')).stdout).toContain('30 5 * * 1-5');
    expect((await giro('reconcile', 'schedule')).stdout).toMatch(/missed: +0/);
    await giro('reconcile', 'schedule', '--cron', '0 6 * * *');
  });

  test('its run has the scheduled time as asOf; no other run starts while one is in progress', async () => {
    const test = environment();
    const { env, taskQueue } = test;
    // Yesterday's, as the engine catches it up: it starts now.
    const day = 86_400_000;
    const meant = new Date(Math.floor(Date.now() / day) * day - day + 9 * 3_600_000);
    const asOf = toSecond(meant.getTime());
    await handle().backfill({
      start: new Date(meant.getTime() - 60_000),
      end: new Date(meant.getTime() + 60_000),
      overlap: 'ALLOW_ALL',
    });
    await until(
      () => env.journal.report(asOf),
      (report) => report !== null,
    );
    expect(await env.journal.report(asOf)).toMatchObject({ asOf });
    expect((await giro('reconcile', 'show', asOf)).code).toBe(0);

    await test.worker.stop();
    await handle().trigger('SKIP');
    await until(
      () => handle().describe(),
      ({ info }) => info.runningActions.length === 1,
    );
    await handle().trigger('SKIP');
    await until(standing, ({ skipped }) => skipped === 1);
    expect((await giro('reconcile', 'schedule')).stdout).toMatch(/left out: +1 \(one was in progress\)/);
    const [running] = (await handle().describe()).info.runningActions;
    test.worker = await env.startWorker();
    const started = env.engine.workflow.getHandle(running?.workflow.workflowId ?? '');
    // That of the trigger: to the second, and the moment that the report is kept under.
    const result = (await started.result()) as { asOf: string };
    expect(Math.abs(Date.parse(result.asOf) - Date.now())).toBeLessThan(120_000);
    expect(await env.journal.report(result.asOf)).toMatchObject({ asOf: result.asOf });

    expect(await judgeReconciliationSchedule(env.engine, taskQueue)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/last run 2.*, next 2/) as string,
    });
    expect(await judgeReconciliationSchedule(env.engine, 'another')).toMatchObject({ ok: false });
    await handle().pause('a drill');
    expect(await judgeReconciliationSchedule(env.engine, taskQueue)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('is paused') as string,
      remedy: expect.stringContaining('--unpause') as string,
    });
  });
});
