import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import type { WorkerProcess } from '../../dev/worker-process';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { startAuditedSystem } from './audited-system';
import { arrivals } from './books';

/**
 * The clock of the whole process is wrong, the SDK's core and TLS included: `libfaketime` (Debian: `faketime`) shifts
 * the times that the operating system returns. Other tests shift only JavaScript's clock.
 */
const LIBRARY = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name, 'faketime', 'libfaketimeMT.so.1'))
  .find((path) => existsSync(path));
const AHEAD_S = 600;
const EACH = 8;

const scope = new Scope();
afterAll(() => scope.release(), 60_000);

/** How far the times in the worker's log are ahead of the machine's clock, in minutes. */
const aheadOf = (worker: WorkerProcess): number =>
  Math.round((Date.parse(String(worker.log()[0]?.['time'])) - Date.now()) / 60_000);

const faked = (aheadS: number) => ({
  LD_PRELOAD: LIBRARY ?? '',
  FAKETIME: `${aheadS < 0 ? '' : '+'}${aheadS}s`,
  // Timers measure durations; only the time of day is wrong.
  ...{ DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
});

(LIBRARY === undefined ? test.skip : test)(
  'workers whose processes are ten minutes ahead and behind keep every promise (needs libfaketime)',
  async () => {
    const database = scope.own(await createTestDatabase(), (it) => it.drop());
    const system = await startAuditedSystem(scope, {
      ...{ temporalAddress: testServers().temporalAddress, databaseUrl: database.url },
      rules: {
        completed: { states: ['CREATED', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'] },
        failed: { states: ['CREATED', 'DELAYED', 'DELAYED', 'FAILED'] },
        lost: { create: ['lost-answer'], states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'] },
      },
    });
    const ahead = await system.startWorker({ env: faked(AHEAD_S) });
    const behind = await system.startWorker({ env: faked(-AHEAD_S) });
    expect([ahead, behind].map(aheadOf)).toEqual([AHEAD_S / 60, -AHEAD_S / 60]);
    const originIds = [
      ...(await system.order('completed', EACH)),
      ...(await system.order('failed', EACH)),
      ...(await system.order('lost', EACH)),
    ];
    await until(
      () => Promise.resolve(originIds.map((originId) => arrivals(system, originId).length)),
      (counts) => counts.every((count) => count > 0),
    );
    // The other worker continues the runs, by a clock that is twenty minutes behind the first one.
    await ahead.kill();
    for (const originId of originIds) await system.env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    expect(await system.violations()).toEqual([]);
  },
  600_000,
);
