import type { ContestantName } from './contestants';
import type { History, Kill, Part, Round } from './measure';
import { pollsOf } from './orders';
import type { Course } from './orders';
import type { EngineStore } from './servers';

export type Histories = Readonly<Partial<Record<Course, readonly History[]>>>;

/** The measurements of one contestant. All contestants have their rounds in the same order. */
export interface Measured {
  readonly name: ContestantName;
  readonly rounds: readonly Round[];
  readonly histories: Histories | null;
  readonly kill: Kill | null;
}

export interface Machine {
  readonly measuredAt: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Average over the minute before the servers were started. */
  readonly loadAtStart: number;
  readonly versions: Readonly<Record<string, string>>;
}

export interface ThroughputReport {
  readonly machine: Machine;
  readonly transfers: number;
  readonly concurrency: number;
  readonly engineStore: EngineStore;
  readonly contestants: readonly Measured[];
  /** Why a contestant was left out. */
  readonly leftOut: Readonly<Partial<Record<ContestantName, string>>>;
  readonly goals: readonly Goal[];
}

/** A goal, and the measured value. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  readonly bound: string;
  readonly isReached: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/**
 * Processor time of workers, Temporal or other engine, and PostgreSQL (the engine's own too), in ms for each transfer.
 * Bank and callers are left out, because they are the same for all contestants.
 */
export const totalCpuMs = ({ cpuMs }: Round): number =>
  (cpuMs.worker ?? 0) + (cpuMs.engine ?? 0) + (cpuMs['engine store'] ?? 0) + (cpuMs.postgres ?? 0);

/**
 * The median of the ratios of rounds that ran one after the other, so that changes of the machine's load cancel out.
 */
export const medianRatio = (
  ours: readonly Round[],
  theirs: readonly Round[],
  value: (round: Round) => number,
): number =>
  median(
    ours.flatMap((round, i) => {
      const other = theirs[i];
      return other === undefined ? [] : [value(round) / value(other)];
    }),
  );

const RATIOS = [
  { what: 'throughput / naive', than: 'naive', value: (it: Round) => it.perSecond, atLeast: 1.15 },
  { what: 'throughput / floor', than: 'floor', value: (it: Round) => it.perSecond, atLeast: 0.75 },
  { what: 'processor time / naive', than: 'naive', value: totalCpuMs, atMost: 0.85 },
] as const;

/** The goals of Giro, relative to the other measured contestants. */
export function goalsOf(contestants: readonly Measured[]): readonly Goal[] {
  const giro = contestants.find(({ name }) => name === 'giro');
  if (giro === undefined) return [];
  return [
    ...RATIOS.flatMap((ratio): Goal[] => {
      const other = contestants.find(({ name }) => name === ratio.than);
      if (other === undefined) return [];
      const measured = medianRatio(giro.rounds, other.rounds, ratio.value);
      const isReached = 'atLeast' in ratio ? measured >= ratio.atLeast : measured <= ratio.atMost;
      const bound = 'atLeast' in ratio ? `≥ ${ratio.atLeast}` : `≤ ${ratio.atMost}`;
      return [{ what: ratio.what, measured: measured.toFixed(2), bound, isReached }];
    }),
    ...(giro.histories === null
      ? []
      : historyCosts(giro.histories).map(({ what, events, transitions, atMost }) => ({
          ...{ what: `events / transitions: ${what}`, measured: `${events} / ${transitions}` },
          bound: `≤ ${atMost.events} / ${atMost.transitions}`,
          isReached: events <= atMost.events && transitions <= atMost.transitions,
        }))),
    ...(giro.kill === null
      ? []
      : [
          {
            what: 'creates sent twice after kill -9',
            measured: String(giro.kill.createsTwice),
            bound: '0',
            isReached: giro.kill.createsTwice === 0,
          },
        ]),
  ];
}

interface HistoryCost extends History {
  readonly what: string;
  readonly atMost: History;
}

/** What each part of a transfer adds to its history. */
export function historyCosts(histories: Histories): readonly HistoryCost[] {
  const sum = (course: Course): History | null => {
    const runs = histories[course];
    if (runs === undefined) return null;
    return {
      events: runs.reduce((total, { events }) => total + events, 0),
      transitions: runs.reduce((total, { transitions }) => total + transitions, 0),
    };
  };
  const [short, failed, longer, long] = [sum('short'), sum('failed'), sum('one more poll'), sum('long')];
  if (short === null) return [];
  const poll = longer && difference(longer, short, 1);
  return [
    { what: '2 polls', ...short, atMost: { events: 26, transitions: 12 } },
    ...(failed === null ? [] : [{ what: 'FAILED', ...failed, atMost: { events: 32, transitions: 15 } }]),
    ...(poll === null ? [] : [{ what: 'an unchanged poll', ...poll, atMost: { events: 6, transitions: 3 } }]),
    ...(poll === null || long === null
      ? []
      : [
          {
            what: 'continue-as-new',
            ...difference(difference(long, short, 1), poll, pollsOf('long') - pollsOf('short')),
            atMost: { events: 7, transitions: 3 },
          },
        ]),
  ];
}

const difference = (from: History, minus: History, times: number): History => ({
  events: from.events - times * minus.events,
  transitions: from.transitions - times * minus.transitions,
});

const PARTS: readonly Part[] = ['worker', 'engine', 'engine store', 'postgres', 'bank and callers'];

/** `12.3 (11.9–12.8)`: median and spread. */
export function spread(values: readonly number[]): string {
  const low = Math.min(...values).toFixed(1);
  const high = Math.max(...values).toFixed(1);
  return values.length === 0 ? '–' : `${median(values).toFixed(1)} (${low}–${high})`;
}

export const ROUND_HEAD = ['transfers/s', 'processor time, ms a transfer', ...PARTS] as const;

/** Medians and spreads. */
export const roundCells = (rounds: readonly Round[]): readonly string[] => [
  ...[spread(rounds.map(({ perSecond }) => perSecond)), spread(rounds.map(totalCpuMs))],
  ...PARTS.map((part) => {
    const values = rounds.flatMap(({ cpuMs }) => cpuMs[part] ?? []);
    return values.length === 0 ? '–' : median(values).toFixed(1);
  }),
];

export const TABLE_HEAD = [
  ...['', ...ROUND_HEAD],
  ...['events / transitions', 'creates twice of', 'back after'],
] as const;

export const tableRow = ({ name, rounds, histories, kill }: Measured): readonly string[] => {
  const [short] = histories === null ? [] : historyCosts(histories);
  return [
    ...[name, ...roundCells(rounds)],
    short === undefined ? '–' : `${short.events} / ${short.transitions}`,
    ...(kill === null
      ? ['–', '–']
      : [`${kill.createsTwice} of ${kill.orders}`, `${kill.backAfterS.toFixed(1)} s`]),
  ];
};
