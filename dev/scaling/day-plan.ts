import type { Draws } from '../simulate/random';

const HOUR_MS = 3_600_000;
/** Relative numbers of transfers in each hour of a working day, without salaries. */
const HOURS = [1, 1, 0.5, 0.5, 0.5, 1, 2, 4, 7, 9, 10, 9, 8, 7, 8, 8, 7, 5, 4, 3, 3, 2, 2, 1];
/** Share of salaries, which are ordered within ten minutes from nine o'clock. */
const SALARY_SHARE = 0.3;
const SALARIES_FROM_MS = 9 * HOUR_MS;
const SALARIES_WITHIN_MS = HOUR_MS / 6;

export type Duration = readonly [status: string, ms: number];

/** The bank's statuses after the create, each with its duration; the last stays for ever. */
export function statusesOf(draws: Draws): readonly Duration[] {
  const created: Duration = ['CREATED', draws.between(200, 4_000)];
  const end: Duration = [draws.chance(0.02) ? 'FAILED' : 'COMPLETED', Infinity];
  switch (draws.weighted({ quick: 88, slow: 9, delayed: 3 })) {
    case 'quick':
      return [created, ['IN_PROGRESS', draws.between(500, 6_000)], end];
    case 'slow':
      return [created, ['IN_PROGRESS', draws.between(10_000, 240_000)], end];
    case 'delayed':
      return [created, ['IN_PROGRESS', 5_000], ['DELAYED', draws.between(HOUR_MS / 4, 6 * HOUR_MS)], end];
  }
}

/** When an order is given, in ms since midnight. */
export function startOf(draws: Draws): number {
  if (draws.chance(SALARY_SHARE)) return SALARIES_FROM_MS + draws.between(0, SALARIES_WITHIN_MS);
  const hour = Number(draws.weighted(Object.fromEntries(HOURS.map((share, i) => [`${i}`, share]))));
  return hour * HOUR_MS + draws.between(0, HOUR_MS - 1);
}

/** The status at a time after the create. */
export function statusAt(statuses: readonly Duration[], afterMs: number): string {
  let leftMs = afterMs;
  for (const [status, ms] of statuses) {
    if (leftMs < ms) return status;
    leftMs -= ms;
  }
  throw new Error('the last status ends');
}
