import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '../../dev/giro-environment';
import { GiroClient, openReferenceJournal } from '../../src/client';
import type { Env } from '../../src/config/env';
import { temporaryFiles } from '../config/temporary-files';
import { ringOf } from '../codec/key-rings';
import { useEnvironment } from '../e2e/environment';
import { testServers } from '../support/servers';
import { giro as run } from './support/memory-io';

/** `kyc track|show|list` against a worker that keeps full answers; the bank is the sandbox bank. */

const keys = { k1: randomBytes(32).toString('base64') };
const ring = ringOf('k1', keys);
const tag = randomUUID().slice(0, 8);
const files = temporaryFiles();
afterAll(() => {
  files.remove();
});

const environment = useEnvironment({
  keyRing: ring,
  verifications: { pollMs: 1_000 },
  rules: [
    {
      kind: 'verification',
      match: { requestId: { prefix: 'good' } },
      statuses: ['Aprobado'],
      person: 'natural',
    },
    { kind: 'verification', match: { requestId: { prefix: 'bad' } }, statuses: ['Pendiente', 'Rechazado'] },
    { kind: 'verification', match: { requestId: { prefix: 'open' } }, statuses: ['En revisión'] },
  ],
});
const id = (name: string): string => `${name}-${tag}`;

function giro(line: string, more: Env = {}, stdin?: string) {
  const { databaseUrl, taskQueue } = environment();
  const env = {
    TEMPORAL_ADDRESS: testServers().temporalAddress,
    DATABASE_URL: databaseUrl,
    GIRO_TASK_QUEUE: taskQueue,
    CODEC_KEYS_FILE: files.write('keys.json', JSON.stringify({ active: 'k1', keys })),
    ...more,
  };
  return run(line.split(' '), { env, ...(stdin === undefined ? {} : { stdin }) });
}

test('track --wait: 0 approved, 3 when one was rejected, 5 when one is still open; tracked twice is tracked once', async () => {
  const approved = await giro(`kyc track ${id('good')} --wait --timeout 5m --json`);
  expect(approved.code).toBe(0);
  expect(JSON.parse(approved.stdout)).toMatchObject({
    ...{ requestId: id('good'), workflowId: `kyc-${id('good')}`, started: true },
    result: { requestId: id('good'), outcome: 'approved', status: 'Aprobado' },
  });
  const list = `\n${id('good')}\n${id('bad')}\r\n${id('good')}\n`;
  const mixed = await giro('kyc track --file - --wait --timeout 5m --json', {}, list);
  expect(mixed.code).toBe(3);
  expect(JSON.parse(mixed.stdout)).toMatchObject([
    { requestId: id('good'), started: false, result: { outcome: 'approved' } },
    { requestId: id('bad'), started: true, result: { outcome: 'rejected' } },
  ]);
  // Because of the open one it waits for the whole time. By then it must know the outcome of the rejected one.
  const open = await giro(`kyc track ${id('bad')} ${id('open')} --wait --timeout 10s`);
  expect(open.code).toBe(5);
  expect(open.stdout).toMatch(/bad-\S+ +already there +rejected +Rechazado/);
  expect(open.stdout).toMatch(/open-\S+ +started +open/);
});

test('show and list print what journal and worker know, and nothing about the person', async () => {
  await until(
    () => environment().env.journal.verification(id('open')),
    (record) => record?.attentionReasons.includes('STATUS_UNKNOWN') === true,
  );
  const shown = await giro(`kyc show ${id('open')} --json`);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    ...{ requestId: id('open'), status: 'En revisión', outcome: null, tracked: true, live: true },
    attentionReasons: ['STATUS_UNKNOWN'],
  });
  const listed = await giro('kyc list --json');
  const reports = JSON.parse(listed.stdout) as { requestId: string; outcome: string | null }[];
  expect(reports.map(({ requestId, outcome }) => [requestId, outcome])).toEqual([
    [id('open'), null],
    [id('bad'), 'rejected'],
    [id('good'), 'approved'],
  ]);
  for (const [filter, found] of [
    ['--needs-attention', [id('open')]],
    ['--open', [id('open')]],
    ['--status Rechazado', [id('bad')]],
    ['--limit 1', [id('open')]],
  ] as const) {
    const { stdout } = await giro(`kyc list ${filter} --json`);
    expect((JSON.parse(stdout) as typeof reports).map(({ requestId }) => requestId)).toEqual(found);
  }
  const texts = [shown, listed, await giro('kyc list'), await giro(`kyc show ${id('good')}`)];
  for (const { stdout, stderr } of texts) expect(stdout + stderr).not.toMatch(/Ñandubay|27361705039/);
  expect(await giro('kyc show nobody')).toMatchObject({ code: 2 });
});

test('show --full opens the sealed answer, after a line in the audit trail', async () => {
  const { env, databaseUrl } = environment();
  const trail = (subject: string) => env.journal.auditEntries({ action: 'kyc show', subject, limit: 10 });
  const { code, stdout } = await giro(`kyc show ${id('good')} --full --operator ana --reason claim --json`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    answer: { requestedPerson: { taxNumber: 27361705039, birthDate: '1991-02-28T00:00:00' } },
  });
  expect(await trail(id('good'))).toMatchObject([{ operator: 'ana', reason: 'claim' }]);
  // A failure leaves its line too: someone wanted to read.
  const others = { active: 'k2', keys: { k2: randomBytes(32).toString('base64') } };
  const without = await giro(`kyc show ${id('good')} --full --operator luis`, {
    CODEC_KEYS_FILE: files.write('others.json', JSON.stringify(others)),
  });
  expect(without).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('CODEC_KEYS_FILE') });
  expect(await trail(id('good'))).toMatchObject([{ operator: 'luis' }, { operator: 'ana' }]);
  expect(await giro(`kyc show ${id('good')} --operator ana`)).toMatchObject({ code: 2 });

  const journal = openReferenceJournal(databaseUrl, ring);
  try {
    const client = new GiroClient({ client: env.engine, journal });
    const kept = await client.keptVerification(id('bad'), { operator: 'service' });
    expect(kept?.verification).toMatchObject({
      status: 'Rechazado',
      requestedPerson: { owners: [{ ownershipPercentage: '60.5', birthDate: '1991-02-28' }] },
    });
    expect(await client.keptVerification(id('none'), { operator: 'service' })).toBeNull();
    expect(await trail(id('bad'))).toMatchObject([{ operator: 'service', reason: null }]);
  } finally {
    await journal.close();
  }
});

test('bad requestIds start nothing', async () => {
  const bad = await giro('kyc track --file - --json', {}, `${id('fine')}\nJuan Nadie\n`);
  expect(bad).toMatchObject({ code: 2, stdout: '' });
  expect(bad.stderr).toMatch(/line 2: a requestId must be/);
  expect(bad.stderr).not.toContain('Juan');
  expect(await environment().env.journal.verification(id('fine'))).toBeNull();
});
