/** Page size of reads from the journal. */
const PAGE = 500;
/** Concurrent calls of Temporal: a describe takes milliseconds. */
const AT_ONCE = 20;
/** Failures that are listed; the rest is counted. */
const FAILURES_MAX = 100;

export interface CheckOptions<Turn, Reason extends string> {
  /** The next page, least recently checked first; empty: every item was checked since `began`. */
  page(place: {
    readonly after: Turn | null;
    /** Null: the cycle begins. */
    readonly began: string | null;
    readonly limit: number;
  }): Promise<{ readonly began: string; readonly turns: readonly Turn[] }>;
  /** `left`: nothing to do. */
  readonly recoverOne: (turn: Turn) => Promise<'left' | 'recovered' | Reason>;
  /** Temporal or the journal is unreachable: the recovery ends. Any other error concerns only this item. */
  readonly isOutage: (error: unknown) => boolean;
  /** Marks them as checked; null: nothing is marked. */
  readonly mark: ((turns: readonly Turn[]) => Promise<void>) | null;
  readonly checksMax: number;
  readonly startsMax: number;
  /** Called between steps; true: the rest is left to the next recovery. */
  readonly isOver: () => boolean;
}

export interface Checked<Turn, Reason> {
  readonly checked: number;
  readonly recovered: readonly Turn[];
  /** The first hundred. */
  readonly failed: readonly { readonly turn: Turn; readonly reason: Reason | 'UNEXPECTED' }[];
  readonly failedInAll: number;
  /** A limit was reached: the others wait for the next recovery. */
  readonly more: boolean;
}

/** Checks everything that is open, least recently checked first, within its bounds. */
export async function recoverLeastRecentlyChecked<Turn, Reason extends string>(
  options: CheckOptions<Turn, Reason>,
): Promise<Checked<Turn, Reason>> {
  const { checksMax, startsMax, mark, isOver } = options;
  const recovered: Turn[] = [];
  const failed: { turn: Turn; reason: Reason | 'UNEXPECTED' }[] = [];
  const tally = { checked: 0, failedInAll: 0 };
  const checkedSoFar = (more: boolean): Checked<Turn, Reason> => ({ ...tally, recovered, failed, more });
  let after: Turn | null = null;
  let began: string | null = null;
  for (;;) {
    const page = await options.page({ after, began, limit: PAGE });
    began ??= page.began;
    if (page.turns.length === 0) return checkedSoFar(false);
    after = page.turns.at(-1) ?? null;
    for (let i = 0; i < page.turns.length; i += AT_ONCE) {
      const room = Math.min(AT_ONCE, checksMax - tally.checked, startsMax - recovered.length);
      if (room <= 0 || isOver()) return checkedSoFar(true);
      // Only a limit makes a step smaller than usual, and then this recovery ends.
      const step = page.turns.slice(i, i + room);
      const outcomes = await Promise.all(
        step.map(async (turn) => ({ turn, outcome: await outcomeOf(turn, options) })),
      );
      for (const { turn, outcome } of outcomes) {
        tally.checked += 1;
        if (outcome === 'recovered') recovered.push(turn);
        else if (outcome !== 'left') {
          tally.failedInAll += 1;
          if (failed.length < FAILURES_MAX) failed.push({ turn, reason: outcome });
        }
      }
      await mark?.(step);
      if (room < Math.min(AT_ONCE, page.turns.length - i)) return checkedSoFar(true);
    }
  }
}

/** An item that cannot be recovered is marked too; otherwise it would always come first. */
async function outcomeOf<Turn, Reason extends string>(
  turn: Turn,
  { recoverOne, isOutage }: CheckOptions<Turn, Reason>,
): Promise<'left' | 'recovered' | Reason | 'UNEXPECTED'> {
  try {
    return await recoverOne(turn);
  } catch (error) {
    if (isOutage(error)) throw error;
    return 'UNEXPECTED';
  }
}
