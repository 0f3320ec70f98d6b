import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { NodeEnv } from './node-env';

export interface ChildEnd {
  /** Exit code; null: the program could not be started, was ended by a signal, or ran out of time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly env: NodeEnv;
  readonly timeoutMs: number;
  /** Default: this process's. */
  readonly cwd?: string;
  /** Signals to this process do not reach the program, because it cleans up after others. */
  readonly throughSignals?: boolean;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal asked this process to end while a program ran. The caller cleans up. */
export class Interrupted extends Error {
  /** The exit code of this process by the convention of shells. */
  readonly exitCode: number;

  constructor(signal: (typeof ENDING)[number]) {
    super(`ended by ${signal}`);
    this.name = 'Interrupted';
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs a short program to its end; returns a value even if the program cannot be run. Rejects with `Interrupted` on a
 * signal, once the program has ended. The program has its own process group, because version managers wrap programs in
 * programs.
 */
export function runToEnd(command: string, args: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: options.env,
      cwd: options.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));

    let interruption: Interrupted | null = null;
    const interrupt = (signal: (typeof ENDING)[number]): void => {
      interruption ??= new Interrupted(signal);
      killGroup(child.pid);
    };
    const timer = setTimeout(() => killGroup(child.pid), options.timeoutMs);
    const settle = (end: ChildEnd): void => {
      clearTimeout(timer);
      for (const signal of ENDING) process.off(signal, interrupt);
      if (interruption === null) resolve(end);
      else reject(interruption);
    };
    if (options.throughSignals !== true) for (const signal of ENDING) process.on(signal, interrupt);
    child.once('error', (error) => settle({ code: null, stdout: '', stderr: error.message }));
    child.once('close', (code) => settle({ code, ...output }));
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}
