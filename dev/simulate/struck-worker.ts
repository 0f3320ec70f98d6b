/**
 * Loaded into a worker's process before the program (`--require`). Kills or stops the process at the planned points;
 * the program itself is unchanged. Each fault fires once, in the worker that reaches its point first. A fault that has
 * fired has a file in `SIMULATE_FAULTS_FOLDER`, named by the originId, with the process id.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as creation from '../../src/journal/create-journal';
import type { Journal } from '../../src/journal/journal';
import { FAULT_POINTS } from './faults';
import type { PlannedFault } from './faults';

const FAULTS_FILE = 'faults.json';

const folder = process.env['SIMULATE_FAULTS_FOLDER'];
if (folder === undefined) throw new Error('SIMULATE_FAULTS_FOLDER is not set');
const faults = JSON.parse(readFileSync(join(folder, FAULTS_FILE), 'utf8')) as readonly PlannedFault[];

type Call = (...given: readonly unknown[]) => Promise<unknown>;

function struck(journal: Journal): Journal {
  const calls = journal as unknown as Readonly<Record<string, Call>>;
  const names = new Set(Object.values(FAULT_POINTS).map(({ call }) => call));
  const replaced = [...names].map((name) => [name, atPoints(name, calls[name])]);
  return { ...journal, ...(Object.fromEntries(replaced) as Partial<Journal>) };
}

function atPoints(name: string, call: Call | undefined): Call {
  if (call === undefined) throw new Error(`the journal has no ${name}`);
  return async (...given) => {
    const named = subjectOf(given[0]);
    const here = faults.find(({ originId, point }) => {
      const at = FAULT_POINTS[point];
      const isHere = at.call === name && originId === named.originId;
      return isHere && (at.number === null || at.number === named.number);
    });
    const when = here === undefined ? null : FAULT_POINTS[here.point].when;
    if (when === 'before') strike(here);
    const value = await call(...given);
    if (when === 'after') strike(here);
    if (typeof when === 'number') setTimeout(() => strike(here), when);
    return value;
  };
}

function subjectOf(given: unknown): { readonly originId?: number; readonly number?: number } {
  const { order, result, ...own } = given as {
    readonly order?: { readonly originId: number };
    readonly result?: { readonly originId: number };
    readonly originId?: number;
    readonly number?: number;
  };
  return { ...own, ...(order && { originId: order.originId }), ...(result && { originId: result.originId }) };
}

function strike(fault: PlannedFault | undefined): void {
  if (fault === undefined || !isFirst(fault)) return;
  process.kill(process.pid, fault.action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  // The signal may take effect a moment later. Block the thread, so that nothing happens meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fault.action === 'kill' ? undefined : 100);
}

function isFirst({ originId }: PlannedFault): boolean {
  try {
    writeFileSync(join(folder ?? '', String(originId)), String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

const { createJournal } = creation;
const replacement: typeof createJournal = (url, options) => {
  const opened = createJournal(url, options);
  return { ...opened, journal: struck(opened.journal) };
};
Object.defineProperty(creation, 'createJournal', { value: replacement });
