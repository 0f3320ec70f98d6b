/**
 * Loaded into a worker's process before the program (`--require`). Kills or stops the process at the planned points;
 * the program itself is unchanged. Each fault fires once, in the worker that reaches its point first. A fault that has
 * fired has a file in `SIMULATE_FAULTS_FOLDER`, named by the originId, with the process id.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type * as bridge from '@temporalio/core-bridge';
import type * as proto from '@temporalio/proto';
import * as creation from '../../src/journal/create-journal';
import type { Journal } from '../../src/journal/journal';
import { FAULT_POINTS } from './faults';
import type { CallOfPoint, PlannedFault } from './faults';

const FAULTS_FILE = 'faults.json';

const folder = process.env['SIMULATE_FAULTS_FOLDER'];
if (folder === undefined) throw new Error('SIMULATE_FAULTS_FOLDER is not set');
const faults = JSON.parse(readFileSync(join(folder, FAULTS_FILE), 'utf8')) as readonly PlannedFault[];

type Call = (...given: readonly unknown[]) => Promise<unknown>;

/** The originId of each run that has made a request in this process. */
const originIdOfRun = new Map<string, number>();

const CONTINUE_AS_NEW = 'continueAsNew';

function struck(journal: Journal): Journal {
  const calls = journal as unknown as Readonly<Record<string, Call>>;
  const names = new Set<string>(Object.values(FAULT_POINTS).map(({ call }) => call));
  names.delete(CONTINUE_AS_NEW);
  const replaced = [...names].map((name) => [name, atPoints(name, calls[name])]);
  return { ...journal, ...(Object.fromEntries(replaced) as Partial<Journal>) };
}

function atPoints(name: string, call: Call | undefined): Call {
  if (call === undefined) throw new Error(`the journal has no ${name}`);
  return (...given) => {
    const subject = subjectOf(given[0]);
    if (subject.runId !== undefined && subject.originId !== undefined)
      originIdOfRun.set(subject.runId, subject.originId);
    return atPoint(name, subject, () => call(...given));
  };
}

/** Makes the call, and strikes before or after it as planned. */
async function atPoint<T>(name: string, subject: Subject, call: () => Promise<T>): Promise<T> {
  const here = faults.find(({ originId, point }) => {
    const at: CallOfPoint = FAULT_POINTS[point];
    return at.call === name && originId === subject.originId && isRequestOf(at, subject);
  });
  const when = here === undefined ? null : FAULT_POINTS[here.point].when;
  if (when === 'before') strike(here);
  const value = await call();
  if (when === 'after') strike(here);
  if (typeof when === 'number') setTimeout(() => strike(here), when);
  return value;
}

const isRequestOf = (at: CallOfPoint, { number, kind }: Subject): boolean =>
  (at.kind === undefined || at.kind === kind) &&
  (at.number === null || (at.number === 'later' ? (number ?? 0) > 1 : at.number === number));

interface Subject {
  readonly originId?: number;
  readonly number?: number;
  readonly kind?: string;
  readonly runId?: string;
}

/** What a call is about, from its first argument: an originId, or an object that has one. */
function subjectOf(given: unknown): Subject {
  if (typeof given === 'number') return { originId: given };
  const { order, result, ...own } = given as Subject & {
    readonly order?: { readonly originId: number };
    readonly result?: { readonly originId: number };
  };
  return { ...own, ...(order && { originId: order.originId }), ...(result && { originId: result.originId }) };
}

/** Strikes when this worker completes a workflow task that continues a run as new. */
function strikeCompletions(): void {
  if (!faults.some(({ point }) => FAULT_POINTS[point].call === CONTINUE_AS_NEW)) return;
  /* eslint-disable @typescript-eslint/no-require-imports -- not needed in the threads that execute workflow code */
  const { native } = require('@temporalio/core-bridge') as typeof bridge;
  const { coresdk } = require('@temporalio/proto') as typeof proto;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const completion = coresdk.workflow_completion.WorkflowActivationCompletion;
  const { workerCompleteWorkflowActivation: complete } = native;
  native.workerCompleteWorkflowActivation = (worker, bytes) => {
    const { runId, successful } = completion.decodeDelimited(bytes);
    const isContinued = successful?.commands?.some((it) => it.continueAsNewWorkflowExecution != null);
    const originId = isContinued === true ? originIdOfRun.get(runId) : undefined;
    const done = () => complete(worker, bytes);
    return originId === undefined ? done() : atPoint(CONTINUE_AS_NEW, { originId }, done);
  };
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
// The threads that execute workflow code load this file too.
if (isMainThread) strikeCompletions();
