/** One wrong setting. `holds` is safe to print: a secret's value never gets here. */
export interface ConfigProblem {
  readonly variable: string;
  /** What the variable holds, quoted; `(set, not shown)`; null when it is not set. */
  readonly holds: string | null;
  readonly reason: string;
  readonly allowed: string;
}

/** `POLL_ACTIVE is "3s": shorter than 5s; allowed: …` */
function describeProblem({ variable, holds, reason, allowed }: ConfigProblem): string {
  const state = holds === null ? 'is not set' : `is ${holds}`;
  return `${variable} ${state}: ${reason}; allowed: ${allowed}`;
}

/** All errors of the configuration together. A command then exits 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? '1 error' : `${problems.length} errors`;
    super(
      `configuration: ${count}\n${problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    );
  }
}
