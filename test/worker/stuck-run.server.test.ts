import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { Scope } from '../../dev/scope';
import { startWorkerProcess } from '../../dev/worker-process';
import { startSandboxBank } from '../../src/sandbox-bank';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';

const scope = new Scope();
afterAll(() => scope.release());

test('a worker with a run that it can no longer continue says so once, drains, and exits with an error', async () => {
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const bank = scope.own(await startSandboxBank({ token: BANK_TOKEN }), (it) => it.close());
  const worker = await startWorkerProcess({
    temporalAddress: testServers().temporalAddress,
    databaseUrl: database.url,
    taskQueue: `stuck-${randomUUID()}`,
    access: tokenAccess(bank, BANK_TOKEN),
    preloaded: [join(packageRoot, 'test', 'worker', 'core-warning.cjs')],
  });
  process.kill(worker.pid, 'SIGUSR2');
  expect(await worker.ended).toMatchObject({ code: 1, signal: null });
  const messages = worker.log().map(({ msg }) => msg);
  expect(
    messages.filter((it) => String(it).startsWith('this worker can no longer continue a run')),
  ).toHaveLength(1);
  expect(messages).toContain('draining');
  expect(messages).toContain('drained');
}, 90_000);
