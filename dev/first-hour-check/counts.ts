/** Number of blocks of the page by outcome. `skipped`: not run, also if an earlier block failed. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The last line of the check. */
export const lineOf = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A skipped block fails the check, unless the caller allows that. */
export const exitCodeOf = ({ passed, failed, skipped }: Counts, maySkip: boolean): 0 | 1 =>
  failed === 0 && (maySkip || (skipped === 0 && passed > 0)) ? 0 : 1;
