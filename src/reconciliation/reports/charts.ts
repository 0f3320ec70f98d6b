import { BREAK_CLASSES, SEVERITIES } from '../break';
import type { Break, BreakClass, Severity } from '../break';
import { NO_TALLY, tallied } from '../tally';
import type { Tally } from '../report';
import type { Bar } from './bar-chart';
import { readableAmount } from './readable';

/** Number of unresolved breaks of each class; classes without any are left out. */
export function barsByClass(breaks: readonly Break[]): Bar[] {
  return talliesOf(breaks).map(({ name, of }) => ({
    label: name,
    total: String(sum(of, ({ count }) => count)),
    bySeverity: each((severity) => of[severity].count),
  }));
}

/** Money at stake in each class; classes without any are left out. */
export function barsByAmount(breaks: readonly Break[]): Bar[] {
  return talliesOf(breaks)
    .map(({ name, of }) => ({
      label: name,
      total: readableAmount(totalOf(breaks, name)),
      // Only for the lengths of bars: a double is exact enough to draw with.
      bySeverity: each((severity) => Number(of[severity].amount)),
    }))
    .filter(({ bySeverity }) => SEVERITIES.some((severity) => bySeverity[severity] > 0));
}

export const barsByAge = (breaks: readonly Break[], asOf: string): Bar[] =>
  ageing(breaks, asOf).map(({ label, bySeverity }) => ({
    label,
    total: String(sum(bySeverity, (count) => count)),
    bySeverity,
  }));

function talliesOf(breaks: readonly Break[]) {
  return BREAK_CLASSES.flatMap((name) => {
    const ofClass = breaks.filter((one) => one.class === name && one.state !== 'resolved');
    if (ofClass.length === 0) return [];
    const of = each((severity) => tallyOf(ofClass.filter((one) => one.severity === severity)));
    return [{ name, of }];
  });
}

const totalOf = (breaks: readonly Break[], name: BreakClass): string =>
  tallyOf(breaks.filter((one) => one.class === name && one.state !== 'resolved')).amount;

const tallyOf = (breaks: readonly Break[]): Tally =>
  breaks.reduce((tally, { amount }) => tallied(tally, amount), NO_TALLY);

const each = <T>(valueOf: (severity: Severity) => T): Record<Severity, T> =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, valueOf(severity)])) as Record<Severity, T>;

const sum = <T>(of: Readonly<Record<Severity, T>>, valueOf: (one: T) => number): number =>
  SEVERITIES.reduce((total, severity) => total + valueOf(of[severity]), 0);

const DAY_MS = 86_400_000;
const BANDS = [
  { label: 'under a day', underMs: DAY_MS },
  { label: '1–3 days', underMs: 3 * DAY_MS },
  { label: '3–7 days', underMs: 7 * DAY_MS },
  { label: '7–30 days', underMs: 30 * DAY_MS },
  { label: 'over 30 days', underMs: Infinity },
] as const;

interface AgeBand {
  readonly label: string;
  readonly bySeverity: Readonly<Record<Severity, number>>;
}

/** Unresolved breaks by their age at `asOf`; empty bands are included. */
export function ageing(breaks: readonly Break[], asOf: string): AgeBand[] {
  const bands = BANDS.map(({ label }) => ({ label, bySeverity: noneOfEach() }));
  for (const one of breaks.filter(({ state }) => state !== 'resolved')) {
    const ageMs = Date.parse(asOf) - Date.parse(one.firstSeen);
    const band = bands[BANDS.findIndex(({ underMs }) => ageMs < underMs)];
    if (band !== undefined) band.bySeverity[one.severity] += 1;
  }
  return bands;
}

const noneOfEach = () =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
