import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptEnd, KeptProcess } from './kept-process';
import { newTemporaryFolder, startKept } from './kept-process';
import { packageRoot } from './package-root';

const READY_TIMEOUT_MS = 300_000;
const LOOK_EVERY_MS = 50;

export interface ServiceProcessOptions {
  /** A command that serves until it is stopped. */
  readonly command: 'worker' | 'receiver' | 'codec-server';
  /** Settings. */
  readonly env: Readonly<Record<string, string>>;
  /** Files (name → text) in its working folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Modules that Node loads before the program; default: none. */
  readonly preloaded?: readonly string[];
  /** Options of Node itself; default: none. */
  readonly nodeOptions?: readonly string[];
}

export interface NodeProcessOptions {
  /** Part of the folder's name, and the name in errors. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files (name → text) in its working folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** A program in a separate process. */
export interface ServiceProcess {
  readonly pid: number;
  /** The log so far. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  /** Sends SIGKILL, so the process neither drains nor hands anything back. Resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM, so the process drains. Resolves with the exit code when it is gone. */
  readonly stop: () => Promise<number | null>;
  /** Resolves when the process has ended, for any reason. By then its folder is deleted; `log` has its last output. */
  readonly ended: Promise<KeptEnd>;
}

/** Starts the built program (`npm run build`) and waits until it serves. It ends with this process at the latest. */
export const startServiceProcess = ({
  command,
  env,
  files,
  preloaded = [],
  nodeOptions = [],
}: ServiceProcessOptions): Promise<ServiceProcess> =>
  startNodeProcess({
    ...{ name: command, env, files },
    args: [
      ...nodeOptions,
      ...preloaded.flatMap((path) => ['--require', path]),
      ...[join(packageRoot, 'dist', 'src', 'starter.js'), command],
    ],
  });

/**
 * Starts Node with these arguments and waits until it logs a line of JSON with `"msg":"ready"`. It ends with this
 * process at the latest.
 */
export async function startNodeProcess({
  name,
  args,
  env,
  files,
}: NodeProcessOptions): Promise<ServiceProcess> {
  const folder = newTemporaryFolder(name);
  const kept = startKept({
    folder,
    owner: null,
    copies: [],
    files,
    // A separate home folder, so that the user's Temporal profile file is not read.
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    prepare: [],
    server: { command: process.execPath, args },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 300_000,
  });
  const log = () => readLog(join(folder, 'server.log'));
  try {
    const pid = await kept.started;
    await untilReady(name, kept, log);
    return {
      pid,
      log,
      ended: kept.ended,
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

async function untilReady(name: string, kept: KeptProcess, log: ServiceProcess['log']): Promise<void> {
  const ended = kept.ended.then((end) => {
    throw new Error(`the ${name} ended while starting (code ${end.code})\n${end.log}`);
  });
  ended.catch(() => undefined);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!log().some(({ msg }) => msg === 'ready')) {
    if (Date.now() > deadline) throw new Error(`the ${name} is not ready after ${READY_TIMEOUT_MS} ms`);
    await Promise.race([ended, sleep(LOOK_EVERY_MS)]);
  }
}

/** Complete lines of JSON. Any other line, as from a crash of Node.js itself, becomes a message. */
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
