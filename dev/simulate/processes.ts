import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Span } from '../../test/chaos/auditor/books';
import { packageRoot } from '../package-root';
import { signalAll } from '../process-tree';
import type { Scope } from '../scope';
import type { ServiceProcess } from '../service-process';
import type { PlannedFault } from './faults';

const LOOK_EVERY_MS = 100;
const START_AGAIN_MS = 500;

/** A process that is started again each time that it ends. */
export interface Supervised {
  /** The running process; null: the next one is starting. */
  current(): ServiceProcess | null;
  /** How many processes ended by themselves with a failure, as a worker with a stuck run does. */
  endedByThemselves(): number;
  /** Kills the running process; if the next one is starting, kills that one after its start. */
  strike(): void;
  /** Starts no further process, and lets the last one drain. */
  stop(): Promise<void>;
}

export function supervise(
  scope: Scope,
  start: () => Promise<ServiceProcess>,
  say: (line: string) => void,
): Supervised {
  const state: {
    isOver: boolean;
    current: ServiceProcess | null;
    strikes: number;
    endedByThemselves: number;
  } = {
    ...{ isOver: false, current: null, strikes: 0, endedByThemselves: 0 },
  };
  const isOver = (): boolean => state.isOver;
  const running = (async () => {
    while (!isOver()) {
      const { strikes } = state;
      // A process that ends before it is ready, e.g. killed by a fault, counts as ended: the next one is started.
      state.current = await start().catch((error: unknown) => {
        say(`did not start: ${String(error).slice(0, 600)}`);
        return null;
      });
      if (isOver()) break;
      if (state.strikes > strikes) kill(state.current);
      const end = await state.current?.ended;
      if (!isOver() && end !== undefined && end.code !== null && end.code !== 0) {
        state.endedByThemselves += 1;
        say(
          `${new Date().toISOString()}: a process ended by itself (exit code ${end.code}): ${lastErrorOf(end.log)}`,
        );
      }
      state.current = null;
      await sleep(START_AGAIN_MS);
    }
  })();
  const stop = async (): Promise<void> => {
    state.isOver = true;
    await state.current?.stop();
    await running;
    await state.current?.stop();
  };
  const strike = (): void => {
    state.strikes += 1;
    kill(state.current);
  };
  const endedByThemselves = (): number => state.endedByThemselves;
  return scope.own({ current: () => state.current, endedByThemselves, strike, stop }, stop);
}

const ERROR_LENGTH_MAX = 600;

/** What Node printed when the process crashed; otherwise the last line of the log that is not of level info. */
function lastErrorOf(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '');
  const crash = lines.slice(lines.findLastIndex((line) => line.startsWith('{')) + 1);
  const error = lines.findLast((line) => !line.startsWith('{"level":"info"'));
  return (crash.length > 0 ? crash.join(' | ') : (error ?? 'no error logged')).slice(0, ERROR_LENGTH_MAX);
}

const kill = (running: ServiceProcess | null): void =>
  signalAll(running === null ? [] : [running.pid], 'SIGKILL');

/** The faults of workers: `struck-worker.ts` reads them from a folder, and notes there which have fired. */
export interface FaultInjector {
  /** Variables for each worker, in addition to its settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly preloaded: readonly string[];
  /** originIds whose fault has fired. */
  fired(): readonly number[];
  /** When workers were stopped, ISO UTC. */
  readonly standstills: readonly Span[];
  /** When workers were killed, to `LOOK_EVERY_MS`. */
  readonly kills: readonly Span[];
}

/** Also continues stopped workers (SIGCONT) after their planned time. */
export function openFaultInjector(scope: Scope, faults: readonly PlannedFault[]): FaultInjector {
  const folder = scope.own(mkdtempSync(join(tmpdir(), 'giro-simulate-')), (it) =>
    rmSync(it, { recursive: true, force: true }),
  );
  writeFileSync(join(folder, 'faults.json'), JSON.stringify(faults));
  const fired = () => readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  const standstills: Span[] = [];
  const kills: Span[] = [];
  const seen = new Set<number>();
  const stopped = new Set<number>();
  const timer = setInterval(() => {
    for (const originId of fired().filter((it) => !seen.has(it))) {
      seen.add(originId);
      const fault = faults.find((it) => it.originId === originId);
      const from = new Date(Date.now() - LOOK_EVERY_MS).toISOString();
      if (fault?.action !== 'stop') {
        kills.push({ from, to: new Date().toISOString() });
        continue;
      }
      const pid = Number(readFileSync(join(folder, String(originId)), 'utf8'));
      stopped.add(pid);
      setTimeout(() => {
        signalAll([pid], 'SIGCONT');
        stopped.delete(pid);
        standstills.push({ from, to: new Date().toISOString() });
      }, fault.stopMs).unref();
    }
  }, LOOK_EVERY_MS);
  scope.own(timer, (it) => {
    clearInterval(it);
    // A stopped process does not act on SIGTERM.
    signalAll([...stopped], 'SIGCONT');
  });
  return {
    env: { SIMULATE_FAULTS_FOLDER: folder },
    preloaded: [join(packageRoot, 'dist', 'dev', 'simulate', 'struck-worker.js')],
    fired,
    standstills,
    kills,
  };
}
