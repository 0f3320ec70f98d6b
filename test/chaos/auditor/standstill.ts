import type { Books } from './books';
import { requestsOf } from './reading';

export interface Standstill {
  readonly ms: number;
  readonly originId: string | null;
  /** ISO UTC: when it began. */
  readonly from: string | null;
}

/**
 * The longest time, by the machine's clock, in which nothing was recorded about an open transfer without a flag. This
 * is the time for which faults kept the transfer waiting, plus a gap of a few seconds. Skipped time does not count.
 */
export const longestStandstill = (books: Books): Standstill =>
  standstillsOf(books).reduce<Standstill>((longest, it) => (it.ms > longest.ms ? it : longest), {
    ...{ ms: 0, originId: null, from: null },
  });

/** Every span between two records about an open transfer without a flag. */
export function standstillsOf(books: Books): readonly Standstill[] {
  return books.journal.transfer.flatMap(({ origin_id: originId, opened_at }) => {
    const isAbout = (row: { readonly origin_id: string }): boolean => row.origin_id === originId;
    const { answer, flags, decision, result } = books.journal;
    const flagged = flags
      .filter(isAbout)
      .map((it) => ({ at: it.recorded_at, isFlagged: it.reasons.length > 0 }))
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    const moments = [
      ...[opened_at, ...requestsOf(books, originId).flatMap((it) => [it.at, it.finishedAt ?? it.at])],
      ...[...answer, ...decision, ...result].filter(isAbout).map((it) => it.recorded_at),
      ...flagged.map((it) => it.at),
    ]
      .map((at) => Date.parse(at))
      .sort((a, b) => a - b);
    const endedMs = Date.parse(result.find(isAbout)?.recorded_at ?? '') || Infinity;
    const isFlaggedAt = (ms: number): boolean =>
      flagged.findLast((it) => Date.parse(it.at) <= ms)?.isFlagged === true;
    return moments.slice(1).flatMap((ms, i) => {
      const fromMs = moments[i] ?? ms;
      return isFlaggedAt(fromMs) || fromMs >= endedMs
        ? []
        : [{ ms: ms - fromMs, originId, from: new Date(fromMs).toISOString() }];
    });
  });
}
