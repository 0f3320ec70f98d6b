import type { Book } from './books';
import type { Break, FoundBreak } from './break';
import { missBreak, seeBreak } from './break-life';
import type { BreakStep, KnownBreak, WrittenBreak } from './break-life';

/** What a step checked: the differences that it found, and the known breaks that it could have seen again. */
export interface CheckedStep {
  readonly found: readonly FoundBreak[];
  /** The books that were checked for a known break; null: not checked. */
  readonly booksFor: (known: Break) => ReadonlySet<Book> | null;
}

export interface UpdatedBreaks {
  /** Breaks to write: new or changed ones. */
  readonly written: readonly WrittenBreak[];
  /** For the report: seen in this step, or not checked again and not resolved. */
  readonly seen: readonly Break[];
  readonly opened: number;
  readonly resolved: number;
}

/** Updates the breaks after one step of a run; a break that the step finds twice changes once. */
export function updateBreaks(
  known: readonly KnownBreak[],
  { found, booksFor }: CheckedStep,
  asOf: string,
): UpdatedBreaks {
  const versions = new Map(known.map((one) => [one.break.key, one]));
  const steps = new Map<string, BreakStep>();
  for (const one of found) {
    const before = steps.get(one.key);
    const step = seeBreak(before?.break ?? versions.get(one.key)?.break ?? null, one, asOf);
    steps.set(one.key, { break: step.break, change: before?.change ?? step.change });
  }
  const seen = [...steps.values()].map((step) => step.break);
  for (const { break: one } of known) {
    if (steps.has(one.key)) continue;
    const books = booksFor(one);
    const step: BreakStep = books === null ? { break: one, change: null } : missBreak(one, books, asOf);
    if (step.change !== null || step.break.resolvedFact !== one.resolvedFact) steps.set(one.key, step);
    if (step.break.state !== 'resolved') seen.push(step.break);
  }
  const written = [...steps].map(([key, step]) => ({
    ...step,
    version: (versions.get(key)?.version ?? 0) + 1,
    asOf,
  }));
  const count = (kinds: readonly string[]): number =>
    written.filter(({ change }) => change !== null && kinds.includes(change.kind)).length;
  return { written, seen, opened: count(['opened', 'reopened']), resolved: count(['resolved']) };
}
