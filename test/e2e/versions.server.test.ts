import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateOf, until } from '../../dev/giro-environment';
import { quietRuntime } from '../support/quiet-runtime';
import { bundleWorkflows } from '../support/workflow-bundle';
import { auditRequests, creates } from './audit';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId, orderOf, useEnvironment } from './environment';

// A failed workflow task is part of this.
beforeAll(() => quietRuntime({ core: 'ERROR' }));

const environment = useEnvironment({
  settings: { pollActiveMs: 1_000 },
  rules: [
    { match: { description: 'long' }, states: ['IN_PROGRESS'] },
    { match: { description: 'short' }, states: ['CREATED', 'COMPLETED'] },
  ],
});

const deploymentName = `giro-test-${randomUUID()}`;
const version = (buildId: string) => ({ deploymentName, buildId });

let folder: string;
let patchedCode: string;
let unpatchedCode: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'giro-versions-'));
  patchedCode = await bundleWorkflows(join(folder, 'second.js'), {
    workflowsPath: join(__dirname, '..', 'workflows', 'fixtures', 'second-version.ts'),
  });
  const code = await readFile(patchedCode, 'utf8');
  const unpatched = code.replace(/\(0,\s*[\w.]+\.patched\)\(['"]second-version['"]\)/, 'true');
  expect(unpatched).not.toBe(code);
  unpatchedCode = join(folder, 'unpatched.js');
  await writeFile(unpatchedCode, unpatched);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As `temporal worker deployment set-current-version` does it; a version is known once its worker has polled. */
const setCurrent = (buildId: string) =>
  until(
    () =>
      environment().env.engine.workflowService.setWorkerDeploymentCurrentVersion({
        ...{ namespace: 'default', deploymentName, buildId, identity: 'test' },
      }),
    () => true,
  );

/** The version that did the run's last workflow task. */
async function versionOf(originId: number): Promise<string | null> {
  const { raw } = await environment().env.transfer(originId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
}

const codeOf = async (originId: number): Promise<unknown> =>
  (await environment().env.transfer(originId).describe()).memo?.['code'];

const asked = (originId: number, count: number) =>
  until(
    () => stateOf(environment().env, originId),
    ({ polls }) => polls >= count,
  );

test('a rolling change of workflow code: open transfers move to the current version, and send nothing twice', async () => {
  const { env, databaseUrl } = environment();
  await environment().worker.stop();
  const first = await env.startWorker({ version: version('1') });
  // Started before the transfers. A slow start would give them time to continue as new, and a new run fits any code.
  const wrong = await env.startWorker({
    version: version('unpatched'),
    workflowBundlePath: unpatchedCode,
  });
  await setCurrent('1');

  const [open, bystander] = [nextOriginId(), nextOriginId()];
  await Promise.all([open, bystander].map((id) => env.giro.startTransfer(orderOf(id, 'long'))));
  await Promise.all([asked(open, 1), asked(bystander, 1)]);
  expect(await versionOf(open)).toBe('1');

  // Code that does not fit its history: the engine pauses the run, and repeats the task until other code takes it.
  await setCurrent('unpatched');
  await until(
    async () => (await env.transfer(open).describe()).raw.pendingWorkflowTask?.attempt ?? 0,
    (attempt) => attempt > 1,
  );
  const paused = auditRequests(env, open).length;

  const second = await env.startWorker({ version: version('2'), workflowBundlePath: patchedCode });
  await setCurrent('2');
  for (const id of [open, bystander]) {
    env.bank.book.restate(String(id), ['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED']);
  }
  await wrong.stop();
  const started = nextOriginId();
  await env.giro.startTransfer(orderOf(started, 'short'));
  for (const id of [open, bystander, started]) {
    expect(await env.giro.waitForTransfer(id, { timeoutMs: 300_000 })).toMatchObject({ status: 'COMPLETED' });
    const requests = auditRequests(env, id);
    expect(creates(requests)).toHaveLength(1);
    expect(requests).toHaveLength((await claimedNumbers(databaseUrl, id)).length);
    for (const { gapMs } of requests.slice(1)) expect(gapMs).toBeGreaterThanOrEqual(1_000);
    expect(await versionOf(id)).toBe('2');
  }
  expect(auditRequests(env, open).length).toBeGreaterThan(paused);
  // The patch is for runs that begin with it; those that were open keep to the path of their history.
  expect([await codeOf(open), await codeOf(started)]).toEqual([undefined, 'second version']);
  await first.stop();
  await second.stop();
});
