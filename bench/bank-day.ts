import { playBankDay } from '../dev/scaling/bank-day';
import type { Minute } from '../dev/scaling/bank-day';
import { SERVER_CPU_MS, STORE_CPU_MS, WORKER_CPU_MS } from '../dev/scaling/sizing';
import type { Bench } from './bench';

/** The simulated installation, with the processor time that `docs/scaling.md` assumes. */
const INSTALLATION = {
  ...{ workers: 2, maxRps: 50, processors: 8 },
  transitionMs: SERVER_CPU_MS + STORE_CPU_MS + WORKER_CPU_MS,
} as const;
const TRANSFERS = 100_000;
const SEED = 1;
const MINUTES_A_ROW = 60;
/** Salaries are ordered from nine o'clock on: each row covers ten minutes. */
const PEAK = { from: 9 * 60, to: 10 * 60, minutesARow: 10 } as const;
/** In hours without a peak, look-ups are at most this late. */
const LATENESS_MAX_MS = 1_000;

/**
 * A bank's day with salaries at nine o'clock, in virtual time. Needs no server; the results do not depend on the
 * machine.
 */
export const bankDay: Bench = async (_scope, { say }) => {
  say(`${TRANSFERS} transfers in virtual time`);
  const { minutes, ended, early } = await playBankDay({ ...INSTALLATION, transfers: TRANSFERS, seed: SEED });
  const spans = spansOf(minutes);
  const failures: string[] = [];
  if (ended !== TRANSFERS) failures.push(`${ended} of ${TRANSFERS} transfers ended`);
  if (early > 0) failures.push(`${early} requests left before their gap was over`);
  const { workers, maxRps, processors, transitionMs } = INSTALLATION;
  const peak = Math.max(...minutes.map(({ peakRequests }) => peakRequests));
  // The limits of two workers use different seconds.
  if (peak > 2 * workers * maxRps) failures.push(`${peak} requests in a second`);
  for (const { name, isPeak, lateP99Ms } of spans)
    if (!isPeak && lateP99Ms > LATENESS_MAX_MS) failures.push(`${name}: look-ups ${lateP99Ms} ms late (p99)`);
  return {
    title:
      `A day of ${TRANSFERS} transfers, 30 % of them salaries given from 09:00 to 09:10: ${workers} workers of ${maxRps} ` +
      `requests a second, ${processors} processors for server, its PostgreSQL and workers, ${transitionMs.toFixed(1)} ms a state transition`,
    head: [
      ...['', 'started', 'ended', 'open', 'requests/s', 'in the busiest second', 'wait for the limiter'],
      ...[
        'look-ups late, p99',
        'transitions/s',
        'processors used',
        'index writes/s',
        'in the busiest second',
      ],
    ],
    rows: spans.map(({ cells }) => cells),
    failures,
  };
};

interface Span {
  readonly name: string;
  readonly isPeak: boolean;
  readonly lateP99Ms: number;
  readonly cells: readonly string[];
}

function spansOf(minutes: readonly Minute[]): readonly Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < minutes.length;) {
    const isPeak = from >= PEAK.from && from < PEAK.to;
    const length = isPeak ? PEAK.minutesARow : MINUTES_A_ROW;
    spans.push(spanOf(minutes.slice(from, from + length), from, isPeak));
    from += length;
  }
  return spans;
}

function spanOf(minutes: readonly Minute[], from: number, isPeak: boolean): Span {
  const total = (of: (minute: Minute) => number): number => minutes.reduce((sum, it) => sum + of(it), 0);
  const largest = (of: (minute: Minute) => number): number => Math.max(...minutes.map(of));
  const aSecond = (of: (minute: Minute) => number): string => (total(of) / minutes.length / 60).toFixed(1);
  const late = minutes.flatMap(({ latenessMs }) => latenessMs).sort((a, b) => a - b);
  const lateP99Ms = late[Math.floor(late.length * 0.99)] ?? 0;
  const name = `${two(Math.floor(from / 60))}:${two(from % 60)}`;
  return {
    ...{ name, isPeak, lateP99Ms },
    cells: [
      ...[
        name,
        whole(total((it) => it.started)),
        whole(total((it) => it.ended)),
        whole(largest((it) => it.open)),
      ],
      ...[aSecond((it) => it.requests), whole(largest((it) => it.peakRequests))],
      ...[whole(largest((it) => it.waiting)), `${(lateP99Ms / 1_000).toFixed(1)} s`],
      ...[
        aSecond((it) => it.transitions),
        `${((100 * total((it) => it.used)) / minutes.length).toFixed(0)} %`,
      ],
      ...[aSecond((it) => it.indexWrites), whole(largest((it) => it.peakIndexWrites))],
    ],
  };
}

const two = (count: number): string => String(count).padStart(2, '0');
const whole = (count: number): string => count.toLocaleString('en-US');
