import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { packageRoot } from './package-root';
import { descendantsOf, signalAll } from './process-tree';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The server that `keeper.mjs` runs. Programs run in `folder`, which exists exactly as long as the server. */
export interface KeptSpec {
  /** Absolute path that does not exist yet: see `newTemporaryFolder`. */
  readonly folder: string;
  /** The account that owns the folder and runs the programs; null: the caller's. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Folders copied into `folder` before anything runs. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  /** Files (name → text, mode 0600) put into `folder` before anything runs. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Programs that must exit 0, one after the other, before the server starts. */
  readonly prepare: readonly Program[];
  readonly server: Program;
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
  /** Time from `stopSignal` to SIGKILL. */
  readonly stopTimeoutMs: number;
  /** Restarts a server that ends by itself after this time, as a service manager does; default: no restart. */
  readonly restartAfterMs?: number;
}

export interface KeptEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of the server's log. */
  readonly log: string;
}

type KeeperEvent =
  | { readonly event: 'started'; readonly pid: number | null }
  | { readonly event: 'halted' }
  | ({ readonly event: 'ended' } & KeptEnd);

type KeeperOrder = { readonly halt: NodeJS.Signals } | { readonly resume: true };

/** Faults of a server's processes that leave its folder intact. */
export interface Strikes {
  /** The current process id of the server. */
  readonly pid: () => number;
  /** Sends SIGKILL to all its processes. The data stay; `resume` starts the server again. */
  kill(): Promise<void>;
  /** Stops all its processes (SIGSTOP) until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/** `pid`: the server's process. */
export function strikesOf(server: Pick<KeptProcess, 'halt'>, pid: () => number): Strikes {
  let frozen: readonly number[] = [];
  const family = (): readonly number[] => [pid(), ...descendantsOf(pid())];
  return {
    pid,
    kill: async () => {
      const all = family();
      await server.halt('SIGKILL');
      signalAll(all.slice(1), 'SIGKILL');
    },
    freeze: () => {
      frozen = family();
      signalAll(frozen, 'SIGSTOP');
    },
    thaw: () => {
      signalAll(frozen, 'SIGCONT');
      frozen = [];
    },
  };
}

export interface KeptProcess {
  /** The server's process id; rejects when it could not be started. */
  readonly started: Promise<number>;
  /** Ends the server with this signal and keeps its folder; resolves when the server has ended. */
  halt(signal: NodeJS.Signals): Promise<void>;
  /** Starts the server again after `halt`, in the same folder. Resolves with the new process id. */
  resume(): Promise<number>;
  /** Resolves when the server has ended, by `stop` or by itself; a halt is not an end. */
  readonly ended: Promise<KeptEnd>;
  /** Stops the server and deletes its folder; resolves when both are gone. A second call waits for the first. */
  stop(): Promise<void>;
}

/** An unused path for a folder, which `keeper.mjs` makes and deletes. */
export function newTemporaryFolder(name: string, within = tmpdir()): string {
  return join(within, `giro-${name}-${randomBytes(6).toString('hex')}`);
}

/**
 * Starts a server that ends at the latest when this process ends, for any reason; then its folder is deleted. A running
 * server does not keep this process alive.
 */
export function startKept(spec: KeptSpec): KeptProcess {
  const keeper = spawn(process.execPath, [join(packageRoot, 'dev', 'keeper.mjs')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // EPIPE: the keeper has already ended, which `ended` reports.
  keeper.stdin.on('error', () => undefined);
  keeper.stdin.write(`${JSON.stringify(spec)}\n`);

  const closed = new Promise<void>((resolve) => keeper.once('close', () => resolve()));
  let reportStart: (pid: number) => void = () => undefined;
  let reportHalt: () => void = () => undefined;
  const pid = new Promise<number>((resolve) => (reportStart = resolve));
  const ended = new Promise<KeptEnd>((resolve) => {
    createInterface({ input: keeper.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as KeeperEvent;
      if (event.event === 'ended') resolve({ code: event.code, signal: event.signal, log: event.log });
      else if (event.event === 'halted') reportHalt();
      else if (event.pid !== null) reportStart(event.pid);
    });
    keeper.once('error', (error) => resolve({ code: null, signal: null, log: error.message }));
    void closed.then(() => resolve({ code: keeper.exitCode, signal: keeper.signalCode, log: '' }));
  });
  const started = Promise.race([
    pid,
    ended.then((end) => Promise.reject(new Error(`${spec.server.command} did not start\n${end.log}`))),
  ]);
  // Without a caller that awaits it, the rejection must not end the process.
  started.catch(() => undefined);
  void pid.then(() => holdProcess(keeper, 'unref'));
  const order = (text: KeeperOrder): void => void keeper.stdin.write(`${JSON.stringify(text)}\n`);
  const gone = (doing: string) =>
    ended.then((end) => Promise.reject(new Error(`${spec.server.command} ended while ${doing}\n${end.log}`)));

  return {
    started,
    ended,
    halt: (signal) => {
      const halted = new Promise<void>((resolve) => (reportHalt = resolve));
      order({ halt: signal });
      return Promise.race([halted, gone('it was halted')]);
    },
    resume: () => {
      const resumed = new Promise<number>((resolve) => (reportStart = resolve));
      order({ resume: true });
      return Promise.race([resumed, gone('it was started again')]);
    },
    stop: () => {
      holdProcess(keeper, 'ref');
      keeper.stdin.end();
      return closed;
    },
  };
}

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

/** A child's pipes are sockets, but the stream type lacks these methods. */
interface Holder {
  ref(): void;
  unref(): void;
}

function holdProcess(keeper: Keeper, hold: keyof Holder): void {
  const handles: readonly unknown[] = [keeper, keeper.stdin, keeper.stdout];
  for (const handle of handles) (handle as Holder)[hold]();
}
