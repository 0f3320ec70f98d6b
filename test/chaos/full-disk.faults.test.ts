import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { startPostgres } from '../../dev/postgres';
import { Scope } from '../../dev/scope';
import { registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import { ServerUnreachableError } from '../../src/client';
import { migrateJournal } from '../../src/journal/migrate';
import type { SandboxRule } from '../../src/sandbox-bank';
import type { WorkerProcess } from '../../dev/worker-process';
import { testServers } from '../support/servers';
import { startAuditedSystem } from './audited-system';
import type { AuditedSystem } from './audited-system';
import { arrivals, createsOf } from './books';
import { mayMount, mountSmallDisk } from './small-disk';
import type { SmallDisk } from './small-disk';

/** The disk of a server is full for a while, while transfers are in flight. */

const LONG = Array<string>(8).fill('IN_PROGRESS');
const RULES = {
  completed: { states: ['CREATED', ...LONG, 'COMPLETED'] },
  failed: { states: ['CREATED', ...LONG, 'FAILED'] },
  slow: { create: [{ fault: 'slow', delayMs: 4_000 }], states: ['CREATED', 'COMPLETED'] },
} as const satisfies Readonly<Record<string, SandboxRule>>;

const ENDED_WITHIN_MS = 120_000;
const RESTART_AFTER_MS = 500;
const log = (line: string): void => console.error(line);

let scope: Scope;
beforeEach(() => (scope = new Scope()));
afterEach(() => scope.release(), 60_000);

const isAsked = (system: AuditedSystem, originId: number): boolean =>
  arrivals(system, originId).some(({ service }) => service === 'get-movement');
const isBeingSent = (system: AuditedSystem, originId: number): boolean =>
  createsOf(arrivals(system, originId)).some(({ finishedAt }) => finishedAt === null);

/**
 * Fills the disk while transfers are in flight, and frees it when `isMet` reports that a write has failed. `open`: one
 * of the open transfers.
 */
async function play(
  system: AuditedSystem,
  disk: SmallDisk,
  isMet: (worker: WorkerProcess, open: number) => Promise<boolean>,
): Promise<void> {
  const { env } = system;
  const worker = await system.startWorker();
  const [completed, failed] = await Promise.all([system.order('completed', 10), system.order('failed', 10)]);
  await until(
    () => Promise.resolve([...completed, ...failed].every((originId) => isAsked(system, originId))),
    Boolean,
  );
  const slow = await system.order('slow', 8);
  await until(() => Promise.resolve(slow.every((originId) => isBeingSent(system, originId))), Boolean);
  disk.fill();
  const meanwhile = system.order('completed', 4);
  meanwhile.catch(() => undefined);
  await until(
    () => isMet(worker, slow[0]!),
    (met) => {
      // Fills what the server has freed meanwhile.
      disk.fill();
      return met;
    },
  );
  disk.free();

  const ended = async (originIds: readonly number[]): Promise<readonly string[]> => {
    const results = originIds.map((originId) =>
      env.giro.waitForTransfer(originId, { timeoutMs: ENDED_WITHIN_MS }),
    );
    return [...new Set((await Promise.all(results)).map(({ status }) => status))];
  };
  expect(await ended([...completed, ...slow, ...(await meanwhile)])).toEqual(['COMPLETED']);
  expect(await ended(failed)).toEqual(['FAILED']);
  expect(await system.violations()).toEqual([]);
  for (const originId of [...completed, ...failed, ...slow])
    expect(createsOf(arrivals(system, originId))).toHaveLength(1);
}

/** Whether the worker has logged a failure whose reason contains this text. */
const logs = (worker: WorkerProcess, text: string): boolean =>
  worker.log().some(({ reason }) => typeof reason === 'string' && reason.includes(text));

const demanded = process.env['GIRO_TRY_FULL_DISK'] === '1';
const describeOnDisk = demanded || mayMount() ? describe : describe.skip;

describeOnDisk('a full disk (needs leave to mount; GIRO_TRY_FULL_DISK=1 demands it)', () => {
  test.each([
    { of: 'the tables', sql: null, inLog: 'SQLSTATE 53100' },
    // The write-ahead log needs a new segment: PostgreSQL ends all sessions, and restarts again and again.
    { of: 'the tables and the log', sql: 'select pg_switch_wal()', inLog: 'PostgreSQL at' },
  ])(
    'of the journal, $of: nothing is lost, nothing is sent that is not written, every transfer ends',
    async ({ sql, inLog }) => {
      const disk = mountSmallDisk(scope, 192);
      const postgres = scope.own(
        await startPostgres({
          ...{ log, durable: true, within: disk.folder, restartAfterMs: RESTART_AFTER_MS },
        }),
        (it) => it.stop(),
      );
      const databaseUrl = await postgres.createDatabase('giro');
      await migrateJournal(databaseUrl);
      const system = await startAuditedSystem(scope, {
        ...{ temporalAddress: testServers().temporalAddress, databaseUrl, rules: RULES },
      });
      await play(system, disk, async (worker) => {
        if (sql !== null) await failing(postgres.adminUrl, sql);
        return logs(worker, inLog);
      });
    },
    300_000,
  );

  test("of Temporal's store: nothing is lost, nothing is sent twice, every transfer ends", async () => {
    const disk = mountSmallDisk(scope, 64);
    const temporal = scope.own(
      await startTemporalServer({
        ...{ ui: false, onDisk: true, within: disk.folder, restartAfterMs: RESTART_AFTER_MS, log },
      }),
      (it) => it.stop(),
    );
    await registerSearchAttributes(temporal.address);
    const postgres = scope.own(await startPostgres({ log, durable: true }), (it) => it.stop());
    const databaseUrl = await postgres.createDatabase('giro');
    await migrateJournal(databaseUrl);
    const system = await startAuditedSystem(scope, {
      ...{ temporalAddress: temporal.address, databaseUrl, rules: RULES },
    });
    await play(system, disk, (_, open) =>
      system.env.giro.hintTransfer(open, { source: 'test', eventId: 'disk' }).then(
        () => false,
        (error: unknown) => error instanceof ServerUnreachableError,
      ),
    );
  }, 300_000);
});

/** Runs a statement, and logs its failure: the server may be away. */
async function failing(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } catch (error) {
    log(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}
