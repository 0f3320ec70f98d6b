import { PESO, formatAmount } from '../domain/money';
import type { Money } from './books';
import type { Tally } from './report';
import type { Break } from './break';

export const NO_TALLY: Tally = { count: 0, amount: '0.00' };

/** Adds one; money in another currency than pesos, or an unknown amount, is counted and not summed. */
export function tallied(tally: Tally, money: Money | null): Tally {
  const minor = money?.currency === PESO ? minorOf(money.value) : 0n;
  return { count: tally.count + 1, amount: formatAmount(minorOf(tally.amount) + minor) };
}

export function mergeTallies(a: Tally, b: Tally): Tally {
  return { count: a.count + b.count, amount: formatAmount(minorOf(a.amount) + minorOf(b.amount)) };
}

/** By status; an absent status has none. */
export type TalliesBy = Readonly<Record<string, Tally>>;

export function talliedBy(tallies: TalliesBy, word: string, money: Money | null): TalliesBy {
  return { ...tallies, [word]: tallied(tallies[word] ?? NO_TALLY, money) };
}

export function mergeTalliesBy(a: TalliesBy, b: TalliesBy): TalliesBy {
  const words = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    words.map((word) => [word, mergeTallies(a[word] ?? NO_TALLY, b[word] ?? NO_TALLY)]),
  );
}

/** Centavos of a decimal text with two decimals; a sum may be larger than any single amount. */
const minorOf = (value: string): bigint => BigInt(value.replace('.', ''));

export interface BreakTallies {
  readonly byClass: TalliesBy;
  readonly bySeverity: TalliesBy;
}

/** Unresolved breaks by class and by severity, with the money at stake. */
export function tallyBreaks(breaks: readonly Break[]): BreakTallies {
  let byClass: TalliesBy = {};
  let bySeverity: TalliesBy = {};
  for (const one of breaks.filter(({ state }) => state !== 'resolved')) {
    byClass = talliedBy(byClass, one.class, one.amount);
    bySeverity = talliedBy(bySeverity, one.severity, one.amount);
  }
  return { byClass, bySeverity };
}
