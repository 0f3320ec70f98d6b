import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BANK_TOKEN } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import type { TransferSettings } from '../../src/domain/transfer/settings';
import { testServers } from '../support/servers';
import { CHAOS_SETTINGS } from './chaos-environment';
import type { ChaosEnvironment } from './chaos-environment';
import type { Journal } from '../../src/journal/journal';

/** The point at which the worker ends itself. */
export interface FaultPoint {
  readonly call: keyof Journal;
  /** Number of the request; null: any. */
  readonly number: number | null;
  /** Which of the matching calls, from 1; default: the first. */
  readonly nth?: number;
  readonly when: 'before' | 'after';
}

export interface WorkerEnd {
  readonly signal: NodeJS.Signals | null;
  /** The worker reached its fault point. */
  readonly reached: boolean;
  /** The last output: the cause, if the worker ended without being killed. */
  readonly stderr: string;
}

export interface DoomedWorker {
  kill(): void;
  readonly ended: Promise<WorkerEnd>;
}

/** Differences from other workers. */
export interface DoomedWorkerOptions {
  /** How far its clock is ahead of the machine's, in ms; negative: behind. */
  readonly clockAheadMs?: number;
  readonly settings?: Partial<TransferSettings>;
  /** 0: each task of a run may go to another worker. */
  readonly cachedWorkflowsMax?: number;
}

/** Starts a worker for this queue in a separate process. `point` null: it runs until `kill`. */
export function startDoomedWorker(
  { env, databaseUrl, scope }: ChaosEnvironment,
  taskQueue: string,
  point: FaultPoint | null,
  { clockAheadMs, settings, cachedWorkflowsMax }: DoomedWorkerOptions = {},
): DoomedWorker {
  const { temporalAddress, workflowBundlePath } = testServers();
  const folder = mkdtempSync(join(tmpdir(), 'giro-chaos-'));
  const markerPath = join(folder, 'reached');
  const input = {
    address: temporalAddress,
    bundlePath: workflowBundlePath,
    taskQueue,
    databaseUrl,
    bank: { baseUrl: env.bank.baseUrl, caPem: env.bank.caPem, token: BANK_TOKEN },
    settings: { ...CHAOS_SETTINGS, ...settings },
    cachedWorkflowsMax,
    point,
    markerPath,
  };
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const script = join(packageRoot, 'test', 'chaos', 'worker-child.cjs');
  const preload = ['--require', join(packageRoot, 'test', 'support', 'shifted-clock.cjs')];
  const flags = clockAheadMs === undefined ? [] : preload;
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(input)], {
    env: { ...inherited, CLOCK_AHEAD_MS: String(clockAheadMs ?? 0) },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  const ended = new Promise<WorkerEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const reached = existsSync(markerPath);
      rmSync(folder, { recursive: true, force: true });
      resolve({ signal, reached, stderr: signal === null ? `exit code ${code}: ${stderr}` : stderr });
    });
  });
  return scope.own({ kill, ended }, async () => {
    kill();
    await ended;
  });
}
