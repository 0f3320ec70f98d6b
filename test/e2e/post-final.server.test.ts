import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giro as run } from '../commands/support/memory-io';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** A bank that contradicts its earlier answer, seen through the commands. */

const environment = useEnvironment({
  settings: { pollActiveMs: 100 },
  rules: [{ states: ['CREATED', 'COMPLETED', 'COMPLETED', 'FAILED'] }],
});

let folder = '';
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'giro-post-final-'))));
afterAll(() => rm(folder, { recursive: true }));

async function giro(...args: string[]) {
  const { env, databaseUrl, taskQueue } = environment();
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, env.bank.caPem ?? '');
  return run(args, {
    env: {
      TEMPORAL_ADDRESS: testServers().temporalAddress,
      DATABASE_URL: databaseUrl,
      GIRO_TASK_QUEUE: taskQueue,
      GIRO_SANDBOX: '1',
      POLL_ACTIVE: '100ms',
      BANK_BASE_URL: env.bank.baseUrl,
      BANK_CA_FILE: caFile,
      BANK_TOKEN: 'sandbox-token',
      DECIDERS: 'ana,beto',
    },
  });
}

const inJson = async (...args: string[]): Promise<unknown> => {
  const { code, stdout } = await giro(...args, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

test('COMPLETED that turns FAILED later: an incident, no annulment, off the list when acknowledged', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'reversed'));
  const result = await env.giro.waitForTransfer(originId);
  expect(result.status).toBe('COMPLETED');

  const look = () => giro('movement', 'show', '--origin-id', String(originId), '--json');
  const agreeing = await look();
  expect(JSON.parse(agreeing.stdout)).toMatchObject({ answeredBy: 'bank', status: 'COMPLETED' });
  expect(agreeing.stderr).not.toContain('incident');
  expect(await inJson('transfer', 'list', '--needs-attention')).toEqual([]);

  const contradicting = await look();
  expect(contradicting.code).toBe(0);
  expect(JSON.parse(contradicting.stdout)).toMatchObject({ answeredBy: 'bank', status: 'FAILED' });
  expect(contradicting.stderr).toMatch(
    /incident [0-9a-f-]{36}, COMPLETED_THEN_FAILED: the bank said COMPLETED/,
  );
  expect((await look()).stderr).toContain('as recorded before: COMPLETED_THEN_FAILED');

  const incidents = (await inJson('incident', 'list', '--open')) as { id: string }[];
  expect(incidents).toMatchObject([{ originId, fact: 'COMPLETED_THEN_FAILED', acknowledged: null }]);
  const id = incidents[0]?.id ?? '';
  expect(await inJson('transfer', 'list', '--needs-attention')).toMatchObject([
    { originId, status: 'COMPLETED', needsAttention: true, attentionReasons: ['FINAL_CONTRADICTED'] },
  ]);
  expect(await inJson('transfer', 'show', String(originId))).toMatchObject({
    result,
    annulment: null,
    incidents,
  });
  expect((await giro('transfer', 'show', String(originId))).stdout).toContain('COMPLETED_THEN_FAILED');
  expect(await env.transfer(originId).result()).toEqual(result);
  expect(await inJson('annulment', 'list')).toEqual([]);

  const acknowledge = (operator: string) =>
    giro('incident', 'acknowledge', id, '--operator', operator, '--note', 'reversal booked by hand');
  expect(await acknowledge('carla')).toMatchObject({ code: 2, stderr: expect.stringContaining('DECIDERS') });
  expect(await acknowledge('ana')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is acknowledged'),
  });
  expect(await acknowledge('beto')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('ana acknowledged it before'),
  });
  expect(await inJson('transfer', 'list', '--needs-attention')).toEqual([]);
  expect((await giro('incident', 'list')).stdout).toContain('by ana: reversal booked by hand');
  expect(await inJson('events')).toMatchObject([
    { kind: 'final', originId, result },
    { kind: 'incident', originId, incident: { id, fact: 'COMPLETED_THEN_FAILED' } },
    { kind: 'incident-acknowledged', originId, incidentId: id, operator: 'ana' },
  ]);

  // Every inquiry of an operator kept its gap, also one in the raw format.
  const raw = await giro('movement', 'show', '--origin-id', String(originId), '--raw');
  expect(raw.code).toBe(0);
  const requests = env.bank.book
    .requests(String(originId))
    .filter(({ service }) => service === 'get-movement');
  const starts = requests.map(({ at }) => Date.parse(at));
  const ends = requests.map(({ finishedAt }) => Date.parse(finishedAt ?? ''));
  for (const [index, end] of ends.slice(0, -1).entries()) {
    expect((starts[index + 1] ?? 0) - end).toBeGreaterThanOrEqual(95);
  }
});
