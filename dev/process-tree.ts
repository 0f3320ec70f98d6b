import { readFileSync } from 'node:fs';

/** Ids of all descendants of a process. Empty without `/proc`. */
export function descendantsOf(pid: number): readonly number[] {
  let own: readonly number[];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    own = text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
  return own.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Skips processes that have ended already. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}
