import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { startWorkerProcess } from '../../dev/worker-process';
import { nextOriginId, orderOf } from '../e2e/environment';
import { testServers } from '../support/servers';
import { expectSoundBooks } from './books';
import { useChaos } from './chaos-environment';

const chaos = useChaos([]);

/** Longer than the SDK's default limit for a step of workflow code (5 s). */
const STOPPED_MS = 7_000;

it('a process that is stopped in the middle of workflow code goes on, and so does its transfer', async () => {
  const { env, databaseUrl, scope } = chaos();
  const { taskQueue, giro } = chaos().ownQueue();
  const folder = scope.own(mkdtempSync(join(tmpdir(), 'giro-stopped-')), (it) =>
    rmSync(it, { recursive: true }),
  );
  const file = join(folder, 'stopped');
  const worker = scope.own(
    await startWorkerProcess({
      ...{ temporalAddress: testServers().temporalAddress, databaseUrl, taskQueue },
      access: tokenAccess(env.bank, BANK_TOKEN),
      preloaded: [join(packageRoot, 'test', 'chaos', 'stopped-in-workflow.cjs')],
      env: { POLL_ACTIVE: '1s', STOPPED_FILE: file },
    }),
    (it) => it.stop().then(() => undefined),
  );
  const originId = nextOriginId();
  await giro.startTransfer(orderOf(originId, 'any'));
  await until(
    () => Promise.resolve(existsSync(file)),
    (isStopped) => isStopped,
  );
  const pid = Number(readFileSync(file, 'utf8'));
  await sleep(STOPPED_MS);
  process.kill(pid, 'SIGCONT');

  expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status: 'COMPLETED' });
  // An orderly end: after a crash of Node, the exit code would be 1.
  expect(await worker.stop()).toBe(0);
  await expectSoundBooks(chaos(), originId, 'COMPLETED');
});
