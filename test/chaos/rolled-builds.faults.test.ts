import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { Scope } from '../../dev/scope';
import { supervise } from '../../dev/simulate/processes';
import type { SandboxRule } from '../../src/sandbox-bank';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { bundleWorkflows } from '../support/workflow-bundle';
import { startAuditedSystem } from './audited-system';
import { arrivals, createsOf } from './books';

/**
 * Two builds of the worker run side by side. The second has a patch in its workflow code that the first does not know.
 * The current build changes again and again while transfers are in flight, and workers are killed.
 */

const LONG = Array<string>(6).fill('IN_PROGRESS');
const RULES = {
  completed: { states: ['CREATED', ...LONG, 'COMPLETED'] },
  failed: { states: ['CREATED', ...LONG, 'FAILED'] },
  slow: { create: [{ fault: 'slow', delayMs: 3_000 }], states: ['CREATED', 'COMPLETED'] },
} as const satisfies Readonly<Record<string, SandboxRule>>;

/** The current build of each round. The last one is `two`: only that build can continue runs that it began. */
const ROUNDS = ['one', 'two', 'one', 'two', 'one', 'two'] as const;
type Build = (typeof ROUNDS)[number];
const ENDED_WITHIN_MS = 90_000;

const log = (line: string): void => console.error(line);
const scope = new Scope();
afterAll(() => scope.release(), 60_000);

test('two builds roll forth and back under load, with kills: nothing is lost, nothing is sent twice', async () => {
  const folder = scope.own(await mkdtemp(join(tmpdir(), 'giro-builds-')), (it) =>
    rm(it, { recursive: true }),
  );
  const second = await bundleWorkflows(join(folder, 'second.js'), {
    workflowsPath: join(__dirname, '..', 'workflows', 'fixtures', 'second-version.ts'),
  });
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const system = await startAuditedSystem(scope, {
    ...{ temporalAddress: testServers().temporalAddress, databaseUrl: database.url, rules: RULES },
  });
  const { env } = system;
  const deploymentName = `giro-test-${randomUUID()}`;
  const worker = (buildId: Build) => {
    const version = { GIRO_DEPLOYMENT_NAME: deploymentName, GIRO_BUILD_ID: buildId };
    const start = () =>
      buildId === 'one'
        ? system.startWorker({ env: version })
        : system.startWorker({
            env: { ...version, OTHER_BUNDLE: second },
            preloaded: [join(packageRoot, 'test', 'chaos', 'other-bundle.cjs')],
          });
    return supervise(scope, start, log);
  };
  const workers = { one: worker('one'), two: worker('two') };
  const buildOf = async (originId: number): Promise<string | null> => {
    const { raw } = await env.transfer(originId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
  };

  const given = { completed: [] as number[], failed: [] as number[] };
  /** Waits until new runs go to this build: the task queues learn of the change only after the call has returned. */
  const setCurrent = async (buildId: Build): Promise<void> => {
    // A build is known once its worker has polled.
    await until(
      () =>
        env.engine.workflowService.setWorkerDeploymentCurrentVersion({
          ...{ namespace: 'default', deploymentName, buildId, identity: 'test' },
        }),
      () => true,
    );
    await until(
      async () => {
        const [probe = 0] = await system.order('completed', 1);
        given.completed.push(probe);
        return until(
          () => buildOf(probe),
          (it) => it !== null,
        );
      },
      (it) => it === buildId,
    );
  };
  for (const [round, current] of ROUNDS.entries()) {
    await setCurrent(current);
    const [completed, failed] = await Promise.all([system.order('completed', 3), system.order('failed', 3)]);
    await until(
      () => Promise.resolve([...completed, ...failed]),
      (originIds) => originIds.every((originId) => arrivals(system, originId).length > 1),
    );
    for (const originId of [...completed, ...failed]) expect(await buildOf(originId)).toBe(current);
    // Kills a worker while creates are in flight: one of the current build, or one of the next.
    const slow = await system.order('slow', 2);
    await until(
      () => Promise.resolve(slow),
      (originIds) => originIds.every((originId) => createsOf(arrivals(system, originId)).length > 0),
    );
    if (round < ROUNDS.length - 1) workers[round % 3 === 0 ? current : ROUNDS[round + 1]!].strike();
    given.completed.push(...completed, ...slow);
    given.failed.push(...failed);
  }

  const ended = async (originIds: readonly number[]): Promise<readonly string[]> => {
    const results = originIds.map((originId) =>
      env.giro.waitForTransfer(originId, { timeoutMs: ENDED_WITHIN_MS }),
    );
    return [...new Set((await Promise.all(results)).map(({ status }) => status))];
  };
  expect(await ended(given.completed)).toEqual(['COMPLETED']);
  expect(await ended(given.failed)).toEqual(['FAILED']);
  expect(await system.violations(second)).toEqual([]);
  for (const originId of [...given.completed, ...given.failed])
    expect(createsOf(arrivals(system, originId))).toHaveLength(1);
}, 300_000);
