import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { highLevel } from '../../dev/bank-access';
import type { BankAccess } from '../../dev/bank-access';
import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { startWorkerProcess } from '../../dev/worker-process';
import type { WorkerProcess } from '../../dev/worker-process';
import { GiroClient } from '../../src/client';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank, SandboxBankOptions, SignatureVerifier } from '../../src/sandbox-bank';
import { inParallel } from '../../src/activities/in-parallel';
import { giro } from '../commands/support/memory-io';
import { nextOriginId, orderOf } from '../e2e/environment';
import { textsBesideTheOrder } from '../support/history-texts';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { CANARIES, PERSONAL, SECRETS, leaks } from './canaries';
import type { Source } from './canaries';
import { FAULTS, SCENARIOS, VERIFICATION } from './faults';

/**
 * Every fault of the sandbox bank at its highest level (mutual TLS, token service, signatures), through the worker as it
 * runs in production, with canaries as secrets, order and answers. Nothing of them may be anywhere but in the order
 * itself: the workflow's input, the journal and the annulment.
 */
const POLL_ACTIVE_MS = 300;
const AT_ONCE = 8;
const QUERIED_EACH = 8;
const scope = new Scope();
const taskQueue = `giro-leaks-${randomUUID()}`;
const amountOf = (i: number): string => `7.${String(i + 1).padStart(2, '0')}`;
const runs = SCENARIOS.map((scenario, i) => ({ ...scenario, amount: amountOf(i), originId: 0 }));
const requestId = `kyc-${randomUUID()}`;

/** Secrets that are made while the test runs: tokens and signatures as they arrived, the private key. */
const made = new Map<string, string>();
let bank: SandboxBank;
let worker: WorkerProcess;
let client: Client;
let env: Record<string, string>;

beforeAll(async () => {
  const { temporalAddress } = testServers();
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const level = await highLevel({
    tokenRequest: JSON.stringify({ client_secret: SECRETS.clientSecret }),
    hmacSecret: SECRETS.hmacSecret,
  });
  made.set('private key', level.client.keyPem.split('\n')[1] ?? '');
  bank = scope.own(
    await startSandboxBank({
      ...level.bankOptions,
      verifySignature: remembering(level.bankOptions.verifySignature),
      rules: [VERIFICATION, ...runs.map(({ rule, amount }) => ({ ...rule, match: { amount } }))],
    }),
    (it) => it.close(),
  );
  const { settings, files: accessFiles } = level.access(bank);
  const files = { ...accessFiles, 'headers.json': JSON.stringify({ 'X-Api-Key': SECRETS.apiKey }) };
  const access = { files, settings: { ...settings, BANK_HEADERS_FILE: 'headers.json' } };
  env = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    GIRO_SANDBOX: '1',
    ...inFolder(access),
  };
  worker = await startWorkerProcess({
    ...{ temporalAddress, databaseUrl: database.url, taskQueue, access },
    env: {
      // A pointer that meets a tax id in a refusal.
      BANK_REFUSED_CODE_POINTER: '/code',
      BANK_REFUSED_CODES: 'NO_FUNDS',
      BANK_TIMEOUT: '5s',
      BANK_TIMEOUT_CREATE: '1s',
      GIRO_HTTP_ADDRESS: '127.0.0.1:0',
      LOG_LEVEL: 'debug',
      POLL_ACTIVE: `${POLL_ACTIVE_MS}ms`,
      POLL_DELAYED: `${2 * POLL_ACTIVE_MS}ms`,
      POLL_KYC: `${POLL_ACTIVE_MS}ms`,
      KYC_STATUS_MAP: 'Aprobado=approved',
    },
  });
  scope.own(worker, async (it) => {
    await it.stop();
  });
  const connection = scope.own(await Connection.connect({ address: temporalAddress }), (it) => it.close());
  client = new Client({ connection });
  const starter = new GiroClient({ client, taskQueue });
  await starter.trackVerification(requestId);
  await inParallel(runs, AT_ONCE, async (run) => {
    run.originId = nextOriginId();
    await starter.startTransfer(canaryOrder(run.originId, run.amount));
  });
  let open = runs;
  await until(
    async () => {
      const left: typeof runs = [];
      await inParallel(open, AT_ONCE, async (run) => {
        if (await isOpen(run.originId)) left.push(run);
      });
      open = left;
      return left.map(({ name }) => name);
    },
    (names) => names.length === 0,
  );
  await starter.waitForVerification(requestId, { timeoutMs: 300_000 });
});
afterAll(() => scope.release());

/** Not ended, and not held for operators. */
async function isOpen(originId: number): Promise<boolean> {
  const { status, typedSearchAttributes } = await client.workflow
    .getHandle(`transfer-${originId}`)
    .describe();
  return status.name === 'RUNNING' && !JSON.stringify(typedSearchAttributes).includes('ECHO_');
}

function remembering(verify: SandboxBankOptions['verifySignature']): SignatureVerifier {
  return (request) => {
    const { authorization = 'none', 'x-signature': signature } = request.headers;
    made.set(`token ${authorization.slice(0, 4)}`, authorization);
    // A few stand for all: each is looked for in every line.
    if (made.size < SIGNATURES_MAX && typeof signature === 'string')
      made.set(`signature ${signature.slice(0, 8)}`, signature);
    return verify?.(request) ?? false;
  };
}

const SIGNATURES_MAX = 20;

/** The access of a process of its own, for commands in this one. */
function inFolder({ files, settings }: BankAccess): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'giro-leaks-'));
  scope.own(folder, () => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value in files ? join(folder, value) : value]),
  );
}

function canaryOrder(originId: number, amount: string) {
  const { from, to, body } = orderOf(originId, PERSONAL.description, amount);
  return {
    originId,
    from: { ...from, address: PERSONAL.fromAccount, owner: { ...from.owner, personId: PERSONAL.payer } },
    to: { ...to, address: PERSONAL.toAccount, owner: { ...to.owner, personId: PERSONAL.payee } },
    body,
  };
}

/** Told by the source itself that it is the real one; a canary planted in it must be found. */
function expectClean(sources: readonly Source[], telling: string): void {
  const values = { ...CANARIES, ...Object.fromEntries(made) };
  expect(sources.some(({ text }) => text.includes(telling))).toBe(true);
  expect(leaks(sources, values)).toEqual([]);
  const [first] = sources;
  for (const [what, value] of Object.entries(values)) {
    const planted = [{ name: 'planted', text: `${first?.text ?? ''}${JSON.stringify({ deep: { value } })}` }];
    expect(leaks(planted, values)).toEqual([`planted: ${what}`]);
  }
}

it('each fault happened, and the bank received the canaries', () => {
  const requests = runs.flatMap(({ originId }) => bank.book.requests(String(originId)));
  const happened = new Set(requests.map(({ service, outcome }) => `${service} ${outcome}`));
  const missed = Object.entries(FAULTS).flatMap(([service, words]) =>
    words.map((word) => `${service} ${word}`).filter((fault) => !happened.has(fault)),
  );
  expect(missed).toEqual([]);
  const asked = bank.book.verificationRequests(requestId).map(({ outcome }) => outcome);
  // Both statuses, too. An answer that comes too late is asked for again: the bank repeats its last one.
  const again = Array<string>(Math.max(0, asked.length - 4)).fill('ok');
  expect(asked).toEqual(['http-500', 'not-found', 'ok', 'ok', ...again]);
});

it('the log: the worker’s own lines and those of the engine’s core', () => {
  const lines = worker
    .log()
    .map((line, i) => ({ name: `line ${i + 1} (${String(line['msg'])})`, text: JSON.stringify(line) }));
  expectClean(lines, 'the bank gave no readable answer');
  // One line for each change: sent, news, ended, with the ids that tie them together.
  const of = runs.find(({ name }) => name === 'FAILED')?.originId;
  const ofFailed = worker.log().filter(({ originId }) => originId === of);
  const ofCreate = ofFailed.filter(({ request }) => request === 'create');
  const sent = ofCreate.filter(({ level }) => level === 'info');
  // On a busy machine an answer may come too late: a warning, and the create is sent again only if it was not sent.
  const late = ofCreate.filter((line) => !sent.includes(line));
  expect(late.filter((line) => line['level'] !== 'warn' || typeof line['code'] !== 'string')).toEqual([]);
  expect(sent).toEqual(
    late.at(-1)?.['code'] === 'TIMEOUT' && sent.length === 0
      ? []
      : [expect.objectContaining({ msg: 'sent to the bank', status: 'CREATED' })],
  );
  const told = ofFailed.filter((line) => line['level'] === 'info' && !ofCreate.includes(line));
  expect(told.map(({ msg, status }) => [msg, status])).toEqual([
    ['news from the bank', 'FAILED'],
    ['transfer ended', 'FAILED'],
  ]);
});

it('metrics', async () => {
  const ready = worker.log().find(({ msg }) => msg === 'ready');
  const response = await fetch(`http://${String(ready?.['http'])}/metrics`);
  const text = await response.text();
  expect(text).toContain('temporal_');
  expectClean([{ name: 'metrics', text }], 'giro_bank_request_errors_total{request="create",code="TIMEOUT"}');
  // Bounded: no label carries an id.
  for (const { originId } of runs) expect(text).not.toContain(String(originId));
});

it('histories, decoded, and all that the engine shows of a run', async () => {
  const sources: Source[] = [];
  await inParallel(runs, AT_ONCE, async ({ name, originId }, i) => {
    const handle = client.workflow.getHandle(`transfer-${originId}`);
    const { raw, memo, typedSearchAttributes } = await handle.describe();
    const history = await handle.fetchHistory();
    // Decoded they are: the order, which is left out, is found.
    const start = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const order = { name: 'order', text: Buffer.from(start ?? []).toString('utf8') };
    expect(leaks([order])).toContain('order: payee');
    // A query of an ended run replays its whole history, so only some runs are queried.
    const views =
      i % QUERIED_EACH === 0
        ? [await handle.query('state'), await handle.query('__temporal_workflow_metadata')]
        : [];
    sources.push(
      { name: `${name}: description`, text: JSON.stringify([raw, memo, typedSearchAttributes]) },
      { name: `${name}: queries`, text: JSON.stringify(views) },
      ...textsBesideTheOrder(history).map(({ where, text }) => ({ name: `${name}: ${where}`, text })),
    );
  });
  const handle = client.workflow.getHandle(`kyc-${requestId}`);
  sources.push(...(await toldOfVerification(handle)));
  expectClean(sources, '"kind":"answer"');
});

/** All of it: its argument names no person. */
async function toldOfVerification(handle: WorkflowHandle): Promise<Source[]> {
  const { raw, memo, typedSearchAttributes } = await handle.describe();
  const views = [await handle.query('state'), await handle.query('__temporal_workflow_metadata')];
  const texts = textsBesideTheOrder(await handle.fetchHistory());
  expect(texts.some(({ text }) => text.includes('"kind":"outcome"'))).toBe(true);
  return [
    { name: 'verification: description', text: JSON.stringify([raw, memo, typedSearchAttributes]) },
    { name: 'verification: queries', text: JSON.stringify(views) },
    ...texts.map(({ where, text }) => ({ name: `verification: ${where}`, text })),
  ];
}

it('the journal, of a verification: no answer is kept unless configured, and nothing else is personal', async () => {
  const journal = new Postgres({ connectionString: env['DATABASE_URL'] });
  await journal.connect();
  try {
    const { rows: tables } = await journal.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'giro' and table_name like '%verification%'`,
    );
    const sources: Source[] = [];
    for (const { name } of tables) {
      const { rows } = await journal.query<{ all: unknown }>(
        `select jsonb_agg(to_jsonb(t)) as all from giro.${name} t`,
      );
      sources.push({ name, text: JSON.stringify(rows[0]?.all) });
    }
    expect(sources).toContainEqual({ name: 'verification_answer', text: 'null' });
    expectClean(sources, requestId);
  } finally {
    await journal.end();
  }
});

it('what commands print, and what they say when something is wrong', async () => {
  const [first] = runs;
  const id = String(first?.originId);
  const failing = runs.find(({ name }) => name.endsWith('query http-500'));
  const wrong = { ...canaryOrder(1, 'not an amount'), surprise: PERSONAL.description };
  const outputs: Source[] = [];
  const run = async (name: string, line: readonly string[], stdin?: string) => {
    const { stdout, stderr, log } = await giro(line, { env, ...(stdin === undefined ? {} : { stdin }) });
    // An annulment is the whole order by contract.
    const printed = line.includes('--json') ? withoutAnnulments(stdout) : stdout;
    outputs.push({ name, text: [printed, stderr, JSON.stringify(log)].join('\n') });
    return stdout;
  };
  await run('show', ['transfer', 'show', id]);
  await run('show --json', ['transfer', 'show', id, '--json']);
  const held = String(runs.find(({ name }) => name === 'other parties')?.originId);
  expect(await run('show held', ['transfer', 'show', held])).toMatch(
    /^reported: +-, currency -$[^]*destination\.personId.*: not kept/m,
  );
  await run('show held --json', ['transfer', 'show', held, '--json']);
  await run('show held --reveal', ['transfer', 'show', held, '--reveal', '--reason', 'a look']);
  await run('show held, misused', ['transfer', 'show', held, '--reveal', '--reason', PERSONAL.payee]);
  await run('list', ['transfer', 'list', '--json']);
  await run('events', ['events', '--json']);
  await run('annulments', ['annulment', 'list']);
  await run('kyc show', ['kyc', 'show', requestId]);
  await run('kyc show --full', ['kyc', 'show', requestId, '--full', '--operator', PERSONAL.payee]);
  await run('kyc list', ['kyc', 'list', '--json']);
  await run('kyc track', ['kyc', 'track', `${PERSONAL.bankName} ${PERSONAL.payee}`]);
  await run('doctor', ['doctor']);
  const findings = JSON.parse(await run('doctor --json', ['doctor', '--json'])) as Readonly<
    Record<string, unknown>
  >[];
  // The tests' engine has no schedule of this task queue, and their PostgreSQL need not survive a power cut.
  expect(findings.filter(({ ok }) => ok !== true).map(({ check }) => check)).toEqual([
    'recovery',
    'durability',
  ]);
  await run('movement', ['movement', 'show', '--origin-id', String(failing?.originId)]);
  await run('bad order', ['transfer', 'start', '-'], JSON.stringify(wrong));
  await run('no JSON', ['transfer', 'start', '-'], `{"originId": 1, "from": "${PERSONAL.fromAccount}`);
  const conflict = JSON.stringify(canaryOrder(first?.originId ?? 0, '9.99'));
  await run('conflict', ['transfer', 'start', '-'], conflict);
  expectClean(outputs, `originId ${id} belongs to another order`);
});

const withoutAnnulments = (json: string): string =>
  JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === 'annulment' ? null : value)));
