import { runToEnd } from './child';
import type { NodeEnv } from './node-env';

const TIMEOUT_MS = 600_000;
const TOLD_LINES = 15;

/**
 * This machine lacks something that a part of the check needs, so the part is skipped. The message says what is
 * missing.
 */
export class CannotRun extends Error {}

export interface RunOptions {
  readonly env: NodeEnv;
  readonly timeoutMs?: number;
  /** For clean-up: signals, which npm also passes on, do not reach the program. */
  readonly throughSignals?: boolean;
}

/** Runs a program to its end and returns its stdout. Throws when it fails, with its last lines. */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const end = await runToEnd(command, args, { ...options, timeoutMs });
  if (end.code === 0) return end.stdout;
  const told = `${end.stdout}\n${end.stderr}`.trim().split('\n').slice(-TOLD_LINES).join('\n');
  throw new Error(`\`${[command, ...args].join(' ').slice(0, 300)}\` ended with ${end.code}:\n${told}`);
}

/** Whether the program runs with these arguments and exits 0. */
export async function works(command: string, args: readonly string[], env: NodeEnv): Promise<boolean> {
  return (await runToEnd(command, args, { env, timeoutMs: 20_000 })).code === 0;
}
