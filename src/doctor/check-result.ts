/**
 * The result of one check: one line for people; `remedy` null: nothing to fix. `ok` with a remedy is a warning: Giro
 * works as configured, but fix this before real money moves.
 */
export interface CheckResult {
  readonly check: string;
  readonly ok: boolean;
  /** What the check found; no secret, no piece of an answer. */
  readonly detail: string;
  readonly remedy: string | null;
}

export interface Check {
  readonly name: string;
  run(): Promise<Judgement>;
}

export type Judgement = Omit<CheckResult, 'check'>;

export const well = (detail: string): Judgement => ({ ok: true, detail, remedy: null });
export const warning = (detail: string, remedy: string): Judgement => ({ ok: true, detail, remedy });
export const wrong = (detail: string, remedy: string): Judgement => ({ ok: false, detail, remedy });

const CHECK_MAX_MS = 20_000;

/** Runs all checks, one after the other, also after failures; a check that throws counts as failed. */
export async function runChecks(checks: readonly Check[]): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push({ check: check.name, ...(await judged(check)) });
  return results;
}

async function judged(check: Check): Promise<Judgement> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Judgement>((resolve) => {
    timer = setTimeout(
      () => resolve(wrong(`no end after ${CHECK_MAX_MS / 1000} s`, 'check the network on the way there')),
      CHECK_MAX_MS,
    );
  });
  try {
    return await Promise.race([check.run(), tooLate]);
  } catch (error) {
    // Only the kind: an unexpected message could repeat anything.
    return wrong(`failed unexpectedly (${error instanceof Error ? error.name : 'no error'})`, 'report this');
  } finally {
    clearTimeout(timer);
  }
}
