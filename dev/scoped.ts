import { Scope } from './scope';
import { releaseOnSignals } from './signals';

/**
 * Runs a function with a scope that is released before the process ends, for any reason. Null: the function failed;
 * stderr says why, unless a signal ended it.
 */
export async function scoped<T>(run: (scope: Scope) => Promise<T>): Promise<T | null> {
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  try {
    return await run(scope);
  } catch (error) {
    if (!scope.ended)
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return null;
  } finally {
    await scope.release();
    letSignalsBe();
  }
}
