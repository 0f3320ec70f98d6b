import { Scope } from '../scope';
import { releaseOnSignals } from '../signals';
import type { Checks } from './checks';
import { CannotRun } from '../run';

/** Runs a part, and stops what the part has started. The part is skipped if this machine cannot run it. */
export async function part(
  name: string,
  checks: Checks,
  action: (scope: Scope) => Promise<void>,
): Promise<void> {
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  const before = checks.passed + checks.failed;
  try {
    await action(scope);
  } catch (error) {
    if (error instanceof CannotRun) checks.skip(name, error.message);
    else if (!scope.ended) checks.fail(`${name} is checked to the end`, error);
  } finally {
    const takenDown = `${name}: everything is taken down`;
    // If nothing was checked, the clean-up does not count as passed.
    if (checks.passed + checks.failed > before) await checks.check(takenDown, () => scope.release());
    else await scope.release().catch((error: unknown) => checks.fail(takenDown, error));
    letSignalsBe();
  }
}
