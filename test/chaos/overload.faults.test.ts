import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import type { WorkerProcess } from '../../dev/worker-process';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { startAuditedSystem } from './audited-system';
import { arrivals, createsOf } from './books';

/**
 * A worker that gets a ninth of a processor takes over 150 open transfers after a kill: each task replays its run, and
 * 150 replays take longer than the time-out of a workflow task (10 s). A worker that took all tasks at once would
 * complete all of them too late, again and again. The test pins processes to one processor with `taskset` (Linux).
 */
const TRANSFERS = 150;
const HOGS = 8;
const CADENCE_MS = 5_000;
/** How long the busy worker has for all of them; it took about a minute. */
const CAUGHT_UP_WITHIN_MS = 240_000;
const PROCESSOR = '0';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;
const scope = new Scope();
afterAll(() => scope.release(), 60_000);

const pin = ({ pid }: WorkerProcess): void => {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', PROCESSOR, String(pid)]);
  if (status !== 0) throw new Error(stderr.toString());
};

(hasTaskset ? test : test.skip)(
  'a worker that hardly gets a processor still continues every transfer (needs taskset)',
  async () => {
    const database = scope.own(await createTestDatabase(), (it) => it.drop());
    const system = await startAuditedSystem(scope, {
      ...{ temporalAddress: testServers().temporalAddress, databaseUrl: database.url },
      rules: { open: { states: ['CREATED', 'IN_PROGRESS'] } },
    });
    const start = () =>
      system.startWorker({ env: { POLL_ACTIVE: `${CADENCE_MS}ms`, BANK_TIMEOUT_CREATE: '60s' } });
    const first = await start();
    const originIds = await system.order('open', TRANSFERS);
    const counts = () => originIds.map((originId) => arrivals(system, originId).length);
    await until(
      () => Promise.resolve(counts()),
      (them) => them.every((count) => count > 1),
    );

    const hogs = Array.from({ length: HOGS }, () =>
      scope.own(spawn('taskset', ['-c', PROCESSOR, process.execPath, '-e', 'for (;;);']), (it) => {
        it.kill('SIGKILL');
      }),
    );
    await first.kill();
    const second = await start();
    pin(second);
    const before = counts();
    await until(
      () => Promise.resolve(counts()),
      (them) => them.every((count, i) => count > (before[i] ?? 0)),
      CAUGHT_UP_WITHIN_MS,
    );

    for (const hog of hogs) hog.kill('SIGKILL');
    await sleep(2 * CADENCE_MS);
    for (const originId of originIds) expect(createsOf(arrivals(system, originId))).toHaveLength(1);
    expect(await system.violations()).toEqual([]);
  },
  600_000,
);
