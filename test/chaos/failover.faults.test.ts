import { setTimeout } from 'node:timers/promises';
import { stateOf, until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { transferRuns } from '../../src/engine/runs';
import { recover } from '../../src/recovery/recover';
import type { SandboxRule } from '../../src/sandbox-bank';
import { testServers } from '../support/servers';
import { nextOriginId } from '../e2e/environment';
import { OPERATORS, startAuditedSystem } from './audited-system';
import type { AuditedSystem } from './audited-system';
import type { Violation } from './auditor/books';
import { arrivals, createsOf } from './books';
import { startReplicatedJournal } from './replicated-journal';

/** PostgreSQL fails over to a streaming standby while transfers are in flight. */

const LONG = Array<string>(8).fill('IN_PROGRESS');
const RULES = {
  completed: { states: ['CREATED', ...LONG, 'COMPLETED'] },
  failed: { states: ['CREATED', ...LONG, 'FAILED'] },
  'at once': { states: ['COMPLETED'] },
  'failed at once': { states: ['FAILED'] },
  slow: { create: [{ fault: 'slow', delayMs: 4_000 }], states: ['CREATED', 'COMPLETED'] },
} as const satisfies Readonly<Record<string, SandboxRule>>;

const ENDED_WITHIN_MS = 90_000;

let scope: Scope;
beforeEach(() => (scope = new Scope()));
afterEach(() => scope.release(), 60_000);

const lookUps = (system: AuditedSystem, originId: number): number =>
  arrivals(system, originId).length - createsOf(arrivals(system, originId)).length;
const isAsked =
  (system: AuditedSystem) =>
  (originId: number): boolean =>
    lookUps(system, originId) > 0;
const isBeingSent =
  (system: AuditedSystem) =>
  (originId: number): boolean =>
    createsOf(arrivals(system, originId)).some(({ finishedAt }) => finishedAt === null);
const every = (originIds: readonly number[], isThere: (originId: number) => boolean) =>
  until(() => Promise.resolve(originIds.every(isThere)), Boolean);
const flaggedAs = (system: AuditedSystem, originId: number, reason: string) =>
  until(
    () => stateOf(system.env, originId),
    ({ attentionReasons }) => attentionReasons.some((it) => it === reason),
  );
/** The distinct final statuses of these transfers. */
const endsOf = async (system: AuditedSystem, originIds: readonly number[]): Promise<readonly string[]> => {
  const results = originIds.map((originId) =>
    system.env.giro.waitForTransfer(originId, { timeoutMs: ENDED_WITHIN_MS }),
  );
  return [...new Set((await Promise.all(results)).map(({ status }) => status))];
};

function rulesBroken(violations: readonly Violation[]): ReadonlyMap<number, readonly string[]> {
  const rules = new Map<number, readonly string[]>();
  for (const { originId, rule } of violations)
    rules.set(Number(originId), [...new Set([...(rules.get(Number(originId)) ?? []), rule])].toSorted());
  return rules;
}

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

  expect(await endsOf(system, [...completed, ...slow, ...meanwhile])).toEqual(['COMPLETED']);
  expect(await endsOf(system, failed)).toEqual(['FAILED']);
  expect(await system.violations()).toEqual([]);
  for (const originId of [...completed, ...failed, ...slow, ...meanwhile])
    expect(createsOf(arrivals(system, originId))).toHaveLength(1);
}, 240_000);

/**
 * The standby lacks the last commits: whole orders, claims of creates and look-ups, answers, ends, an annulment.
 * `isMarked`: runs are lost at the same time, and people follow the runbook (restore-from-backup.md). Otherwise every
 * run exists, the workers continue, and nobody marks the journal as restored.
 */
test.each([
  { isMarked: true, title: 'and runs are lost; people say so (setup --restored)' },
  { isMarked: false, title: 'and every run is there: Giro notices by itself' },
])(
  'the standby that is promoted lacks the last commits, $title: nothing is sent twice',
  async ({ isMarked }) => {
    const journal = await startReplicatedJournal(scope, { isSynchronous: false });
    const system = await startAuditedSystem(scope, {
      ...{ temporalAddress: testServers().temporalAddress, databaseUrl: journal.url, rules: RULES },
    });
    const { env, taskQueue } = system;
    const setSending = (stopped: boolean) =>
      env.journal.setSending({ stopped, operator: OPERATORS[0], reason: 'for the test' });
    const worker = await system.startWorker();

    // On the standby too: transfers that are being looked up, and transfers of which nothing was sent.
    const asked = [...(await system.order('completed', 4)), ...(await system.order('failed', 4))];
    await every(asked, isAsked(system));
    await setSending(true);
    const waiting = await system.order('completed', 4);
    const endedRuns = isMarked ? await system.order('at once', 2) : [];
    for (const originId of [...waiting, ...endedRuns])
      await until(
        () => stateOf(env, originId),
        ({ sendingStopped }) => sendingStopped !== null,
      );
    await journal.caughtUp();
    journal.replication.become('cut');

    // Missing on the standby: afterwards only the bank and the engine know of this.
    await setSending(false);
    for (const originId of [...waiting, ...endedRuns])
      await env.giro.hintTransfer(originId, { source: 'test', eventId: 'go' });
    await every([...waiting, ...endedRuns], (originId) => createsOf(arrivals(system, originId)).length === 1);
    if (isMarked) expect(await endsOf(system, endedRuns)).toEqual(['COMPLETED']);
    const fresh = await system.order('completed', 4);
    const lostEnds = await system.order('failed at once', 2);
    expect(await endsOf(system, lostEnds)).toEqual(['FAILED']);
    const lookedUp = new Map(asked.map((originId) => [originId, lookUps(system, originId)]));
    await every(asked, (originId) => lookUps(system, originId) > (lookedUp.get(originId) ?? 0));
    await every([...waiting, ...fresh], isAsked(system));
    const slow = await system.order('slow', 4);
    await every(slow, isBeingSent(system));
    await journal.killPrimary();

    const lostRuns = isMarked ? waiting.slice(0, 2) : [];
    await Promise.all(lostRuns.map((originId) => env.transfer(originId).terminate('lost, for the test')));
    if (isMarked) await worker.stop();
    await journal.promote();
    if (isMarked) {
      await env.journal.advanceSequence(nextOriginId() + 1_000);
      await env.journal.recordRestoration();
      await system.startWorker();
      const report = await recover({
        ...{ journal: env.journal, runs: transferRuns(env.engine, taskQueue) },
        ...{ checksMax: 1_000, startsMax: 1_000 },
      });
      expect(report.recovered.toSorted()).toEqual([...lostRuns, ...endedRuns].toSorted());
      expect(report.failed).toEqual([]);
    }

    // Runs that know more than the journal are held until an operator resumes them.
    const ahead = [...asked, ...waiting, ...fresh, ...slow].filter((it) => !lostRuns.includes(it));
    for (const originId of ahead) {
      await flaggedAs(system, originId, 'JOURNAL_CONFLICT');
      await env.giro.decide(originId, { action: 'resume', operator: OPERATORS[0], reason: 'failed over' });
    }
    await setSending(false);
    expect(await endsOf(system, asked.slice(4))).toEqual(['FAILED']);
    const completed = [...asked.slice(0, 4), ...waiting, ...endedRuns, ...fresh, ...slow];
    expect(await endsOf(system, completed)).toEqual(['COMPLETED']);

    // The only broken rules: requests whose claim is lost, and ended transfers that the journal has lost completely.
    const lost = { claims: ['unwritten'], order: ['lost-order', 'result'] };
    const broken = new Map<number, readonly string[]>();
    for (const originId of [...waiting, ...endedRuns, ...fresh, ...slow]) broken.set(originId, lost.claims);
    for (const originId of lostEnds) broken.set(originId, lost.order);
    // Only these transfers have flags in the journal: it has lost the orders of the others, and with them their flags.
    for (const originId of ahead.filter((it) => asked.includes(it) || waiting.includes(it)))
      broken.set(originId, ['flag-without-cause', ...lost.claims]);
    expect(rulesBroken(await system.violations())).toEqual(broken);
    for (const originId of [...asked, ...waiting, ...endedRuns, ...fresh, ...lostEnds, ...slow])
      expect(createsOf(arrivals(system, originId))).toHaveLength(1);
  },
  300_000,
);

test('the standby that is promoted lacks a `sending stop`: a worker records it again, and nothing is sent', async () => {
  const journal = await startReplicatedJournal(scope, { isSynchronous: false });
  const system = await startAuditedSystem(scope, {
    ...{ temporalAddress: testServers().temporalAddress, databaseUrl: journal.url, rules: RULES },
  });
  const { env } = system;
  const setSending = (stopped: boolean) =>
    env.journal.setSending({ stopped, operator: OPERATORS[0], reason: 'for the test' });
  await system.startWorker();
  expect(await endsOf(system, await system.order('at once', 2))).toEqual(['COMPLETED']);

  await journal.caughtUp();
  journal.replication.become('cut');
  await setSending(true);
  // No transfer meets the stop before the failover. The worker reads the brake every five seconds.
  await setTimeout(8_000);
  await journal.killPrimary();
  await journal.promote();
  const meanwhile = await system.order('at once', 4);
  for (const originId of meanwhile)
    await until(
      () => stateOf(env, originId),
      ({ sendingStopped }) => sendingStopped !== null,
    );
  expect(await env.journal.sendingState()).toMatchObject({ stopped: true, operator: OPERATORS[0] });
  expect(meanwhile.flatMap((originId) => createsOf(arrivals(system, originId)))).toEqual([]);

  await setSending(false);
  for (const originId of meanwhile) await env.giro.hintTransfer(originId, { source: 'test', eventId: 'go' });
  expect(await endsOf(system, meanwhile)).toEqual(['COMPLETED']);
  expect(await system.violations()).toEqual([]);
}, 240_000);
