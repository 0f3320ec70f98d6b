import { BREAK_CLASSES, SEVERITIES } from './break';
import type { Break } from './break';
import { talliedBy } from './tally';
import type { TalliesBy } from './tally';

/** Most severe first, then the class, then the key: the same breaks are always in the same order. */
export function inOrder(breaks: readonly Break[]): Break[] {
  return [...breaks].sort(
    (a, b) =>
      SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
      BREAK_CLASSES.indexOf(a.class) - BREAK_CLASSES.indexOf(b.class) ||
      compareText(a.key, b.key),
  );
}

export interface BreakTallies {
  readonly byClass: TalliesBy;
  readonly bySeverity: TalliesBy;
}

/** Unresolved ones by class and by severity, with the money at stake. */
export function tallyBreaks(breaks: readonly Break[]): BreakTallies {
  let byClass: TalliesBy = {};
  let bySeverity: TalliesBy = {};
  for (const one of breaks.filter(({ state }) => state !== 'resolved')) {
    byClass = talliedBy(byClass, one.class, one.amount);
    bySeverity = talliedBy(bySeverity, one.severity, one.amount);
  }
  return { byClass, bySeverity };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
