import { readFileSync } from 'node:fs';
import { descendantsOf } from '../../dev/process-tree';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Processor time of a process and its descendants, including ended ones, in ms. */
export const processorMs = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, one) => sum + ownMs(one), 0);

function ownMs(pid: number): number {
  try {
    // The name in brackets may contain spaces. After it come the state and 10 more fields, then utime, stime, cutime,
    // cstime.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
  } catch {
    return 0;
  }
}
