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
 * A worker takes over 150 open transfers after a kill, and for some minutes gets only a thirteenth of a processor, far
 * less than it needs. Workflow tasks outlast their time-out of 10 s, and Temporal gives them out again. Nothing may be
 * sent twice, and once the worker gets a processor again, it must reach every transfer. The test pins processes to one
 * processor with `taskset` (Linux).
 */
const TRANSFERS = 150;
const HOGS = 12;
const CADENCE_MS = 5_000;
const STARVED_MS = 150_000;
/** Longer than Temporal's wait before it gives out a task that was lost many times (`workflowTaskRetryMaxInterval`). */
const CAUGHT_UP_WITHIN_MS = 90_000;
const PROCESSOR = '0';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;
const scope = new Scope();
afterAll(() => scope.release(), 60_000);

const pin = ({ pid }: WorkerProcess): void => {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', PROCESSOR, String(pid)]);
  if (status !== 0) throw new Error(stderr.toString());
};

/** In a separate session: Linux divides a processor among sessions first, then among the processes of a session. */
const startHog = () =>
  scope.own(
    spawn('taskset', ['-c', PROCESSOR, process.execPath, '-e', 'for (;;);'], {
      detached: true,
      stdio: 'ignore',
    }),
    (it) => {
      it.kill('SIGKILL');
    },
  );

(hasTaskset ? test : test.skip)(
  'a worker that hardly gets a processor sends nothing twice, and catches up when it gets one (needs taskset)',
  async () => {
    const database = scope.own(await createTestDatabase(), (it) => it.drop());
    const system = await startAuditedSystem(scope, {
      ...{ temporalAddress: testServers().temporalAddress, databaseUrl: database.url },
      rules: { open: { states: ['CREATED', 'IN_PROGRESS'] } },
      pollActiveMs: CADENCE_MS,
    });
    const start = () => system.startWorker({ env: { BANK_TIMEOUT_CREATE: '60s' } });
    const first = await start();
    const originIds = await system.order('open', TRANSFERS);
    const counts = () => originIds.map((originId) => arrivals(system, originId).length);
    const allAskedSince = (before: readonly number[], withinMs?: number) =>
      until(
        () => Promise.resolve(counts()),
        (now) => now.every((count, i) => count > (before[i] ?? 0)),
        withinMs,
      );
    await allAskedSince(originIds.map(() => 1));

    const hogs = Array.from({ length: HOGS }, startHog);
    await first.kill();
    const second = await start();
    pin(second);
    await sleep(STARVED_MS);
    const starved = counts();
    for (const hog of hogs) hog.kill('SIGKILL');
    await allAskedSince(starved, CAUGHT_UP_WITHIN_MS);

    for (const originId of originIds) expect(createsOf(arrivals(system, originId))).toHaveLength(1);
    expect(await system.violations()).toEqual([]);
  },
  900_000,
);
