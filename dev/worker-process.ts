import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxBank } from '../src/sandbox-bank';
import type { KeptProcess } from './kept-process';
import { newTemporaryFolder, startKept } from './kept-process';
import { packageRoot } from './package-root';

const READY_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

export interface WorkerProcessOptions {
  /** host:port */
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly bank: SandboxBank;
  readonly bankToken: string;
  /** Further settings, as a person would give them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `giro worker` in a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  /** Its log so far. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  /** SIGKILL: no drain, nothing is handed back. Done when the process is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM: drains. Done when the process is gone; its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts the built program (`npm run build`) and waits until it takes tasks. It ends with this process at the latest. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const folder = newTemporaryFolder('worker');
  const kept = startKept({
    folder,
    owner: null,
    copies: [],
    files: options.bank.caPem === null ? {} : { 'bank-ca.pem': options.bank.caPem },
    // A home of its own: no Temporal profile file of the person's.
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...settingsOf(options) },
    prepare: [],
    server: {
      command: process.execPath,
      args: ['--enable-source-maps', join(packageRoot, 'dist', 'src', 'starter.js'), 'worker'],
    },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 30_000,
  });
  const log = () => readLog(join(folder, 'server.log'));
  try {
    const pid = await kept.started;
    await untilReady(kept, log);
    return {
      pid,
      log,
      kill: () => kept.halt('SIGKILL'),
      stop: async () => {
        await kept.stop();
        return (await kept.ended).code;
      },
    };
  } catch (error) {
    await kept.stop();
    throw error;
  }
}

function settingsOf(options: WorkerProcessOptions): Record<string, string> {
  const { bank, bankToken, databaseUrl, temporalAddress, taskQueue, env } = options;
  return {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    GIRO_SANDBOX: '1',
    BANK_BASE_URL: bank.baseUrl,
    BANK_TOKEN: bankToken,
    ...(bank.caPem === null ? {} : { BANK_CA_FILE: 'bank-ca.pem' }),
    ...env,
  };
}

async function untilReady(kept: KeptProcess, log: WorkerProcess['log']): Promise<void> {
  const ended = kept.ended.then((end) => {
    throw new Error(`the worker ended while starting (code ${end.code})\n${end.log}`);
  });
  ended.catch(() => undefined);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!log().some(({ msg }) => msg === 'ready')) {
    if (Date.now() > deadline) throw new Error(`the worker is not ready after ${READY_TIMEOUT_MS} ms`);
    await Promise.race([ended, sleep(LOOK_EVERY_MS)]);
  }
}

/** Whole lines of JSON; anything else (a crash of Node itself) is kept as its message. */
function readLog(path: string): Readonly<Record<string, unknown>>[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.filter(Boolean).map((line): Readonly<Record<string, unknown>> => {
    try {
      return JSON.parse(line) as Readonly<Record<string, unknown>>;
    } catch {
      return { msg: line };
    }
  });
}
