import { loadavg } from 'node:os';
import type { Bench } from './bench';
import { startContestant } from './throughput/contestants';
import { measureRound } from './throughput/measure';
import type { Round } from './throughput/measure';
import { ROUND_HEAD, roundCells } from './throughput/report';
import { startServers } from './throughput/servers';

/** Temporal servers and workers. */
const TOPOLOGIES = [
  { servers: 1, workers: 1 },
  { servers: 1, workers: 2 },
  { servers: 2, workers: 1 },
  { servers: 2, workers: 2 },
] as const;

/**
 * What a transfer costs as Temporal servers and workers are added, on PostgreSQL. The topologies take turns in each
 * round. A cluster of one server and a cluster of two run beside each other, and the idle one takes some processor time
 * that is not counted. On two cores more parts give no more transfers; the bench shows what each part adds to the cost.
 */
export const parts: Bench = async (scope, { throughput: options, say }) => {
  const load = loadavg()[0] ?? 0;
  const failures: string[] = [];
  const complain = (sentence: string): void => {
    failures.push(sentence);
  };
  const start = async (servers: number) => {
    const started = await startServers(scope, { engineStore: 'postgres', servers }, say);
    return { servers: started, contestant: await startContestant('giro', scope, started, say) };
  };
  const clusters = { 1: await start(1), 2: await start(2) };
  const rounds: Round[][] = TOPOLOGIES.map(() => []);
  for (let i = 0; i < options.rounds; i += 1) {
    for (const [nth, { servers: count, workers }] of TOPOLOGIES.entries()) {
      const { contestant, servers } = clusters[count];
      const round = await measureRound(contestant, servers, { ...options, workers }, complain);
      rounds[nth]?.push(round);
      say(`round ${i + 1}, ${count} servers, ${workers} workers: ${round.perSecond.toFixed(1)} transfers/s`);
    }
  }
  return {
    title: `${options.transfers} transfers a round, ${options.concurrency} at a time, load ${load.toFixed(1)} at the start; median (spread) of ${options.rounds} rounds`,
    head: ['Temporal servers / workers', ...ROUND_HEAD],
    rows: TOPOLOGIES.map(({ servers, workers }, nth) => [
      `${servers} / ${workers}`,
      ...roundCells(rounds[nth] ?? []),
    ]),
    failures,
  };
};
