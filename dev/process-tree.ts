import { readFileSync } from 'node:fs';

/** Ids of the processes that this one has started, and theirs. Without `/proc` none are seen. */
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

/** Processes that are gone already are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
  }
}
