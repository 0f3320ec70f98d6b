import { readFileSync } from 'node:fs';

/** Resident memory of a process; 0 where the system does not report it. */
export function residentMb(pid: number): number {
  try {
    const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kB ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
