import { OPERATIONS, filters } from '../docs/filters';
import { stateOf, until } from '../../dev/giro-environment';
import type { TransferView } from '../../src/domain/transfer/view';
import { giro } from '../commands/support/memory-io';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { startRaw } from './raw-start';

const wrongAmount = [{ set: { 'details.amount': 1 } }];

/** Cadences at which a transfer is continued as new while it is DELAYED. */
const environment = useEnvironment({
  settings: { pollActiveMs: 250, pollDelayedMs: 250 },
  rules: [
    { match: { description: 'completed' }, states: ['COMPLETED'] },
    { match: { description: 'failed' }, states: ['FAILED'] },
    { match: { description: 'refused' }, create: ['http-422'] },
    { match: { description: 'long delayed' }, states: ['DELAYED', ...Array<string>(60).fill('DELAYED')] },
    { match: { description: 'was delayed' }, states: ['DELAYED', 'DELAYED', 'COMPLETED'] },
    { match: { description: 'mismatch' }, states: ['COMPLETED'], echo: wrongAmount },
    { match: { description: 'unknown word' }, states: ['RETURNED'] },
    {
      match: { description: 'looked up' },
      create: ['lost-answer'],
      query: [{ fault: 'http-500', times: 'always' }],
    },
    { kind: 'verification', match: { requestId: { prefix: 'ops-approved' } }, statuses: ['Aprobado'] },
    { kind: 'verification', match: { requestId: { prefix: 'ops-pending' } }, statuses: ['Pendiente'] },
    { kind: 'verification', match: { requestId: { prefix: 'ops-unmapped' } }, statuses: ['Otra palabra'] },
  ],
});

const NAMES = [
  ...['completed', 'failed', 'refused', 'long delayed', 'was delayed', 'mismatch', 'unknown word'],
  ...['looked up', 'withdrawn', 'invalid', 'later'],
] as const;
type Name = (typeof NAMES)[number];

const originIds = new Map<string, number>(NAMES.map((name) => [name, nextOriginId()]));
const originIdOf = (name: string): number => originIds.get(name) ?? 0;
const suffix = nextOriginId();
const idOf = (name: string): string =>
  originIds.has(name) ? `transfer-${originIdOf(name)}` : `kyc-${name}-${suffix}`;

/** Which of the data above each question finds; the rest is what it must not find. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'all transfers that are delayed': ['long delayed'],
  'all that need a person': ['mismatch', 'unknown word', 'ops-unmapped'],
  'all with one reason': ['mismatch'],
  'one by originId': ['completed'],
  'one by movement id': ['completed'],
  'one by network id': ['completed'],
  'open for more than a day': ['long delayed', 'mismatch', 'unknown word', 'looked up'],
  'failed today': ['failed'],
  'refused or withdrawn': ['refused', 'withdrawn'],
  'sent, outcome unknown': ['looked up'],
  'verifications that are pending': ['ops-pending', 'ops-unmapped'],
  'orders that broke a rule, runs that somebody terminated': ['invalid'],
};

/** What stands in the page as an example, by what this run has in its place. */
let examples: Readonly<Record<string, string>>;
let laterOpenedAt: string;

const view = (name: Name, isThere: (state: TransferView) => boolean) =>
  until(() => stateOf(environment().env, originIdOf(name)), isThere);

beforeAll(async () => {
  const current = environment();
  const { env } = current;
  const start = (name: Name) => env.giro.startTransfer(orderOf(originIdOf(name), name));
  await current.worker.stop();
  await start('withdrawn');
  await env.giro.cancelTransfer(originIdOf('withdrawn'));
  current.worker = await env.startWorker();

  for (const name of NAMES) if (!['withdrawn', 'invalid', 'later'].includes(name)) await start(name);
  const invalid = { ...orderOf(originIdOf('invalid'), 'invalid'), extra: true };
  await startRaw(current, { workflowId: idOf('invalid'), args: [invalid] });
  for (const id of ['ops-approved', 'ops-pending', 'ops-unmapped']) {
    await env.giro.trackVerification(`${id}-${suffix}`);
  }
  const flagged = ({ needsAttention }: TransferView) => needsAttention;
  await Promise.all([
    view('mismatch', flagged),
    view('unknown word', flagged),
    view('looked up', ({ phase }) => phase === 'looking-up'),
    ...(['failed', 'refused', 'was delayed', 'withdrawn'] as const).map((name) =>
      env.giro.waitForTransfer(originIdOf(name), { timeoutMs: 300_000 }),
    ),
    until(
      () => runsOf(`WorkflowId = '${idOf('long delayed')}'`),
      (runs) => runs.length > 1,
    ),
  ]);
  const startedAt = new Date().toISOString();
  await start('later');
  laterOpenedAt = startedAt;
  const { movementId, networkId } = await env.giro.waitForTransfer(originIdOf('completed'));
  examples = {
    "'4711'": `'${originIdOf('completed')}'`,
    "'9007199254740995'": `'${movementId}'`,
    "'012BDMJY5QQ0CWDMMEZPRU'": `'${networkId}'`,
    "'2026-05-11T15:00:00Z'": `'${laterOpenedAt}'`,
    "'2026-05-12T03:00:00Z'": "'2020-01-01T00:00:00Z'",
  };
});

async function runsOf(filter: string) {
  const { env, taskQueue } = environment();
  const query = `(${filter}) AND TaskQueue = '${taskQueue}'`;
  const runs = [];
  for await (const run of env.engine.workflow.list({ query })) runs.push(run);
  return runs;
}

const found = async (filter: string): Promise<string[]> =>
  [...new Set((await runsOf(filter)).map(({ workflowId }) => workflowId))].sort();

const withExamples = (filter: string, values: Readonly<Record<string, string>>): string =>
  filter.replaceAll(/'[^']*'/g, (text) => values[text] ?? text);

test('the questions are those of the page', () => {
  expect([...filters().keys()]).toEqual(Object.keys(EXPECTED));
});

test.each([...filters()])('%s', async (question, filter) => {
  const expected = (EXPECTED[question] ?? []).map(idOf).sort();
  const actual = await until(
    () => found(withExamples(filter, examples)),
    (ids) => ids.join() === expected.join(),
  ).catch((error: unknown) => (error as Error).message);
  expect(actual).toEqual(expected);
});

test('a filter by time separates earlier from later ones', async () => {
  const { env } = environment();
  const { closeTime } = await env.transfer(originIdOf('failed')).describe();
  const after = new Date((closeTime?.getTime() ?? 0) + 1).toISOString();
  const failed = filters().get('failed today') ?? '';
  expect(await found(withExamples(failed, { "'2026-05-12T03:00:00Z'": `'${after}'` }))).toEqual([]);
  const open = filters().get('open for more than a day') ?? '';
  expect(await found(withExamples(open, { "'2026-05-11T15:00:00Z'": "'2020-01-01T00:00:00Z'" }))).toEqual([]);
});

test('without the condition on the run, the earlier runs of a long transfer are listed too', async () => {
  const id = idOf('long delayed');
  const count = (runs: Awaited<ReturnType<typeof runsOf>>, name: string) =>
    runs.filter(({ status }) => status.name === name).length;
  // After a continue-as-new, the index may lack the new run or still list the old one as running.
  const runs = await until(
    () => runsOf(`WorkflowId = '${id}' AND GiroStatus = 'DELAYED'`),
    (listed) => count(listed, 'RUNNING') === 1,
  );
  expect(count(runs, 'CONTINUED_AS_NEW')).toBeGreaterThan(0);
});

test('the first run has a summary; the details of a later one suffice to show what may be done', async () => {
  const { env } = environment();
  const later = env.transfer(originIdOf('long delayed'));
  expect(await later.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: expect.stringMatching(/waits for[^]*`movementHint` `\{"source":"…","eventId":"…"\}`/),
  });
  const described = await env.transfer(originIdOf('completed')).describe();
  expect(await described.staticSummary()).toBe(`transfer ${originIdOf('completed')}`);
});

test('the commands of the page are there, with these options', async () => {
  const commands = [...OPERATIONS.matchAll(/`giro ([a-z][^`]*)`/g)].map(([, line = '']) => line);
  expect(commands.length).toBeGreaterThan(3);
  for (const line of commands) {
    const words = line.split(' ').filter((word) => /^[a-z]/.test(word));
    const { code, stdout } = await giro([...words.slice(0, 2), '--help']);
    expect(`${line}: ${code}`).toBe(`${line}: 0`);
    for (const option of line.match(/--[a-z-]+/g) ?? []) expect(stdout).toContain(option);
  }
});
