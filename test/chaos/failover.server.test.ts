import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import type { SandboxRule } from '../../src/sandbox-bank';
import { testServers } from '../support/servers';
import { startAuditedSystem } from './audited-system';
import type { AuditedSystem } from './audited-system';
import { arrivals, createsOf } from './books';
import { startReplicatedJournal } from './replicated-journal';

/** PostgreSQL fails over to a streaming standby, in the midst of transfers. */

const LONG = Array<string>(8).fill('IN_PROGRESS');
const RULES = {
  completed: { states: ['CREATED', ...LONG, 'COMPLETED'] },
  failed: { states: ['CREATED', ...LONG, 'FAILED'] },
  slow: { create: [{ fault: 'slow', delayMs: 4_000 }], states: ['CREATED', 'COMPLETED'] },
} as const satisfies Readonly<Record<string, SandboxRule>>;

const ENDED_WITHIN_MS = 90_000;

const scope = new Scope();
afterAll(() => scope.release(), 60_000);

const isAsked =
  (system: AuditedSystem) =>
  (originId: number): boolean =>
    arrivals(system, originId).some(({ service }) => service === 'get-movement');
const isBeingSent =
  (system: AuditedSystem) =>
  (originId: number): boolean =>
    createsOf(arrivals(system, originId)).some(({ finishedAt }) => finishedAt === null);
const every = (originIds: readonly number[], isThere: (originId: number) => boolean) =>
  until(() => Promise.resolve(originIds.every(isThere)), Boolean);

test('a synchronous standby is promoted: nothing is lost, nothing is sent twice, every transfer ends', async () => {
  const journal = await startReplicatedJournal(scope, { isSynchronous: true });
  const system = await startAuditedSystem(scope, {
    ...{ temporalAddress: testServers().temporalAddress, databaseUrl: journal.url, rules: RULES },
  });
  await system.startWorker();

  const [completed, failed] = await Promise.all([system.order('completed', 10), system.order('failed', 10)]);
  await every([...completed, ...failed], isAsked(system));
  const slow = await system.order('slow', 8);
  await every(slow, isBeingSent(system));
  await journal.killPrimary();
  const meanwhile = await system.order('completed', 6);
  await journal.promote();

  const ended = async (originIds: readonly number[]): Promise<readonly string[]> =>
    Promise.all(
      originIds.map(async (originId) => {
        const result = await system.env.giro.waitForTransfer(originId, { timeoutMs: ENDED_WITHIN_MS });
        return result.status;
      }),
    );
  expect(new Set(await ended([...completed, ...slow, ...meanwhile]))).toEqual(new Set(['COMPLETED']));
  expect(new Set(await ended(failed))).toEqual(new Set(['FAILED']));
  expect(await system.violations()).toEqual([]);
  for (const originId of [...completed, ...failed, ...slow, ...meanwhile])
    expect(createsOf(arrivals(system, originId))).toHaveLength(1);
}, 240_000);
