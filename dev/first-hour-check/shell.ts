import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserIds } from '../unprivileged-user';

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The account that runs the shell; null: the caller's. */
  readonly user: UserIds | null;
}

export interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

const STOP_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** One bash for all blocks, so that variables, functions and background processes persist as at a terminal. */
export class Shell {
  readonly #bash: ChildProcessByStdio<Writable, Readable, null>;
  readonly #folder: string;
  readonly #ended: Promise<void>;
  #count = 0;
  #done: () => void = () => undefined;

  constructor({ cwd, env, user }: ShellOptions) {
    this.#folder = cwd;
    this.#bash = spawn('bash', ['--noprofile', '--norc', '-s'], {
      ...{ cwd, env, ...user, detached: true },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // EPIPE: bash has ended, because a block failed.
    this.#bash.stdin.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      // Not `close`: background processes may hold the output open.
      this.#bash.once('exit', () => resolve());
      this.#bash.once('error', () => resolve());
    });
    createInterface({ input: this.#bash.stdout }).on('line', () => this.#done());
    this.#bash.stdin.write('set -euo pipefail\n');
  }

  /** Runs a block to its end. Not ok: a command failed or the time was over; then do not use the shell again. */
  async run(script: string, timeoutMs: number): Promise<Ran> {
    this.#count += 1;
    const file = join(this.#folder, `output-${this.#count}`);
    const done = new Promise<true>((resolve) => (this.#done = () => resolve(true)));
    // The shell's stdout carries only this line. The block's output goes into a file, and its input is empty.
    this.#bash.stdin.write(`{\n${script}\n} </dev/null >'${file}' 2>&1\necho done\n`);
    const ok = await Promise.race([
      done,
      this.#ended.then(() => false),
      sleep(timeoutMs, false, { ref: false }),
    ]);
    return { ok, output: readFileSync(file, 'utf8') };
  }

  /** Ends the shell and everything that it started; resolves when all processes are gone. */
  async stop(): Promise<void> {
    // On SIGTERM, PostgreSQL waits for its clients; on SIGINT, it ends their sessions.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) this.#signalAll(signal);
    await this.#gone(STOP_MS);
    this.#signalAll('SIGKILL');
    await this.#gone(STOP_MS);
  }

  /** To the shell's process group, which outlives the shell. False: no process is left. */
  #signalAll(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#bash.pid !== undefined && process.kill(-this.#bash.pid, signal);
    } catch {
      return false;
    }
  }

  async #gone(timeoutMs: number): Promise<void> {
    const deadlineMs = Date.now() + timeoutMs;
    while (this.#signalAll(0) && Date.now() < deadlineMs) await sleep(LOOK_EVERY_MS);
  }
}
