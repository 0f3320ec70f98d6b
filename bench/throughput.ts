import { loadavg } from 'node:os';
import { FAILURES_TOLD } from './bench';
import type { Bench } from './bench';
import { rotated } from './rotated';
import { startContestant } from './throughput/contestants';
import type { Contestant, ContestantName } from './throughput/contestants';
import { measureHistories, measureKill, measureRound } from './throughput/measure';
import type { Kill, Round } from './throughput/measure';
import { TABLE_HEAD, goalsOf, tableRow, totalCpuMs } from './throughput/report';
import type { Histories, Measured, ThroughputReport } from './throughput/report';
import { startServers } from './throughput/servers';
import { thisMachine } from './throughput/machine';
import { writeReport } from './throughput/written-report';

/**
 * Short transfers (a create and two look-ups, 50 ms apart) by Giro and by other contestants, on the same servers and
 * the same bank. The contestants take turns in each round.
 */
export const throughput: Bench = async (scope, { throughput: options, say }) => {
  const loadAtStart = loadavg()[0] ?? 0;
  const servers = await startServers(scope, { engineStore: options.engineStore, servers: 1 }, say);
  const failures: string[] = [];
  const complain = (sentence: string): void => {
    failures.push(sentence);
  };
  const contestants: Contestant[] = [];
  const leftOut: Partial<Record<ContestantName, string>> = {};
  for (const name of options.contestants) {
    try {
      contestants.push(await startContestant(name, scope, servers, say));
    } catch (error) {
      leftOut[name] = messageOf(error);
      say(`${name} is left out: ${leftOut[name]}`);
    }
  }
  /** Contestants that have failed. They are no longer measured, and the bench fails; the others continue. */
  const failed = new Set<ContestantName>();
  const attempt = async <T>({ name }: Contestant, run: () => Promise<T>): Promise<T | null> => {
    if (failed.has(name)) return null;
    try {
      return await run();
    } catch (error) {
      failed.add(name);
      complain(`${name}: ${messageOf(error)}`);
      return null;
    }
  };
  const rounds = new Map<ContestantName, Round[]>(contestants.map(({ name }) => [name, []]));
  for (let i = 0; i < options.rounds; i += 1) {
    for (const contestant of rotated(contestants, i)) {
      const round = await attempt(contestant, () =>
        measureRound(contestant, servers, { ...options, workers: 1 }, complain),
      );
      if (round === null) continue;
      rounds.get(contestant.name)?.push(round);
      say(
        `round ${i + 1}, ${contestant.name}: ${round.perSecond.toFixed(1)} transfers/s, ${totalCpuMs(round).toFixed(1)} ms`,
      );
    }
  }
  const histories = new Map<ContestantName, Histories>();
  const kills = new Map<ContestantName, Kill>();
  if (!options.roundsOnly) {
    for (const contestant of contestants) {
      const { name } = contestant;
      const books = HISTORIES[name];
      if (books !== undefined) {
        const history = await attempt(contestant, () => measureHistories(contestant, servers, books));
        if (history !== null) histories.set(name, history);
      }
      const kill = await attempt(contestant, () => measureKill(contestant, servers, complain));
      if (kill === null) continue;
      kills.set(name, kill);
      say(`${name}: ${kill.createsTwice} creates twice, back after ${kill.backAfterS.toFixed(1)} s`);
    }
  }
  const measured = contestants.map(({ name }): Measured => ({
    ...{ name, rounds: rounds.get(name) ?? [] },
    ...{ histories: histories.get(name) ?? null, kill: kills.get(name) ?? null },
  }));
  const report: ThroughputReport = {
    machine: thisMachine(loadAtStart, servers.temporalVersion, options.contestants),
    ...{ transfers: options.transfers, concurrency: options.concurrency, leftOut },
    engineStore: options.engineStore,
    ...{ contestants: measured, goals: goalsOf(measured) },
  };
  if (options.write) await writeReport(report);
  for (const { what, measured: reached, bound, isReached } of report.goals)
    say(`${isReached ? 'reached' : 'missed '}: ${what} ${reached}, to be ${bound}`);
  return {
    title: `throughput: ${options.transfers} transfers a round, ${options.concurrency} at a time, load ${loadAtStart.toFixed(1)} at the start; median (spread) of ${options.rounds} rounds`,
    head: TABLE_HEAD,
    rows: measured.map(tableRow),
    failures: [
      ...failures.slice(0, FAILURES_TOLD),
      ...report.goals
        .filter(({ isReached }) => !isReached)
        .map((goal) => `${goal.what}: ${goal.measured}, to be ${goal.bound}`),
    ],
  };
};

/** Contestants whose events and state transitions are counted; the others have no history in Temporal. */
const HISTORIES: Partial<Record<ContestantName, Parameters<typeof measureHistories>[2]>> = {
  giro: ['short', 'failed', 'one more poll', 'long'],
  naive: ['short'],
  floor: ['short'],
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
