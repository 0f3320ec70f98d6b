import { loadavg } from 'node:os';
import { FAILURES_TOLD } from './bench';
import type { Bench } from './bench';
import { rotated } from './rotated';
import { startContestant } from './throughput/contestants';
import { thisMachine } from './throughput/machine';
import { measureRound } from './throughput/measure';
import type { Round } from './throughput/measure';
import { ROUND_HEAD, roundCells } from './throughput/report';
import type { Machine } from './throughput/report';
import { startServers } from './throughput/servers';
import { machineLines, table, writeResult } from './throughput/written-report';

const TOPOLOGIES = [
  { servers: 1, workers: 1 },
  { servers: 1, workers: 2 },
  { servers: 2, workers: 1 },
  { servers: 2, workers: 2 },
] as const;

/** `bench/results/parts.json` */
export interface PartsReport {
  readonly machine: Machine;
  readonly transfers: number;
  readonly concurrency: number;
  readonly topologies: readonly {
    /** Temporal servers. */
    readonly servers: number;
    readonly workers: number;
    readonly rounds: readonly Round[];
  }[];
}

/**
 * What a transfer costs as Temporal servers and workers are added, on PostgreSQL. The topologies take turns in each
 * round, so a cluster of one server and a cluster of two run all the time. The bench does not count the processor time
 * of the cluster that has no transfers. All callers use the first server of a cluster.
 */
export const parts: Bench = async (scope, { throughput: options, say }) => {
  const load = loadavg()[0] ?? 0;
  const failures: string[] = [];
  const complain = (sentence: string): void => {
    if (failures.length < FAILURES_TOLD) failures.push(sentence);
  };
  const start = async (servers: number) => {
    const started = await startServers(scope, { engineStore: 'postgres', servers }, say);
    return { servers: started, contestant: await startContestant('giro', scope, started, say) };
  };
  const clusters = { 1: await start(1), 2: await start(2) };
  const topologies = TOPOLOGIES.map((topology) => ({ ...topology, rounds: [] as Round[] }));
  for (let i = 0; i < options.rounds; i += 1) {
    for (const { servers: count, workers, rounds } of rotated(topologies, i)) {
      const { contestant, servers } = clusters[count];
      const round = await measureRound(contestant, servers, { ...options, workers }, complain);
      rounds.push(round);
      say(
        `round ${i + 1}, servers: ${count}, workers: ${workers}: ${round.perSecond.toFixed(1)} transfers/s`,
      );
    }
  }
  const report: PartsReport = {
    machine: thisMachine(load, clusters[1].servers.temporalVersion, ['giro']),
    ...{ transfers: options.transfers, concurrency: options.concurrency, topologies },
  };
  if (options.write) {
    await writeResult('parts.json', `${JSON.stringify(report, null, 2)}\n`);
    await writeResult('parts.md', markdown(report));
  }
  return {
    title: `${options.transfers} transfers a round, ${options.concurrency} at a time, load ${load.toFixed(1)} at the start; median (spread) of ${options.rounds} rounds`,
    head: HEAD,
    rows: partsRows(report),
    failures,
  };
};

const HEAD = ['Temporal servers / workers', ...ROUND_HEAD] as const;

const partsRows = ({ topologies }: PartsReport): readonly (readonly string[])[] =>
  topologies.map(({ servers, workers, rounds }) => [`${servers} / ${workers}`, ...roundCells(rounds)]);

const markdown = (report: PartsReport): string =>
  [
    '# More parts',
    '',
    `Short transfers of Giro with Temporal's data on PostgreSQL; ${report.topologies[0]?.rounds.length ?? 0} rounds that take turns, ${report.transfers} transfers in`,
    `each, ${report.concurrency} at a time; median (lowest–highest).`,
    '',
    ...machineLines(report.machine),
    '',
    ...table(HEAD, partsRows(report)),
    '',
  ].join('\n');
