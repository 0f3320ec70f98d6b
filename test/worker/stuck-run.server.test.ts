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

test('a worker with a run that it can no longer continue says so once, drains, and exits with an error in any case', async () => {
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const bank = scope.own(await startSandboxBank({ token: BANK_TOKEN }), (it) => it.close());
  const worker = await startWorkerProcess({
    temporalAddress: testServers().temporalAddress,
    databaseUrl: database.url,
    taskQueue: `stuck-${randomUUID()}`,
    access: tokenAccess(bank, BANK_TOKEN),
    env: { BANK_TIMEOUT_CREATE: '1s' },
    preloaded: [join(packageRoot, 'test', 'worker', 'core-warning.cjs')],
  });
  process.kill(worker.pid, 'SIGUSR2');
  const { code, log } = await worker.ended;
  expect(code).toBe(1);
  expect(log.match(/"msg":"[^"]*(no longer continue a run|drain)[^"]*"/g)).toEqual([
    '"msg":"this worker can no longer continue a run, and ends so that another one does"',
    '"msg":"draining"',
    '"msg":"drained"',
  ]);
});
