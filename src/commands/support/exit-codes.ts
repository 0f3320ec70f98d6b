/** Exit codes of the program (contract section 1); of several, the highest. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  /** Wrong usage, configuration or input. */
  input: 2,
  /** A transfer ended other than COMPLETED, a verification was rejected or stopped, or a reconciliation is not CLEAN. */
  notCompleted: 3,
  /** A server that is needed cannot be reached. */
  unreachable: 4,
  /** `--timeout` ran out, still open. */
  stillOpen: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const highest = (codes: readonly ExitCode[]): ExitCode =>
  codes.reduce((a, b) => (a > b ? a : b), EXIT.done);
