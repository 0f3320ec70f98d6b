import { spawn } from 'node:child_process';
import type { NodeEnv } from './node-env';

export interface ChildEnd {
  /** Null: it could not be started, was ended by a signal or ran out of time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a short program to its end. It does not outlive this process; a program that cannot be run is an answer too. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { readonly env: NodeEnv; readonly timeoutMs: number },
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: options.env,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));

    const kill = (): boolean => child.kill('SIGKILL');
    // With a listener the signal no longer ends the process by itself: so raise it again once the child is gone.
    const raise = (signal: NodeJS.Signals): void => {
      child.kill('SIGKILL');
      settle({ code: null, ...output });
      process.kill(process.pid, signal);
    };
    const settle = (end: ChildEnd): void => {
      process.off('exit', kill);
      for (const signal of ENDING) process.off(signal, raise);
      resolve(end);
    };
    process.on('exit', kill);
    for (const signal of ENDING) process.on(signal, raise);
    child.once('error', (error) => settle({ code: null, stdout: '', stderr: error.message }));
    child.once('close', (code) => settle({ code, ...output }));
  });
}
