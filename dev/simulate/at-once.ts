import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Scope } from '../scope';
import { readReport } from './campaign';
import type { SeedReport } from './campaign';

export interface AtOnce {
  readonly scope: Scope;
  /** How many seeds are played at the same time. */
  readonly atOnce: number;
  /** Options of `npm run simulate` that every seed shares. */
  readonly args: readonly string[];
  readonly say: (line: string) => void;
  readonly done: (report: SeedReport) => void;
}

/**
 * Plays each seed in a separate process with separate servers, because a server's fault affects everything that uses
 * the server. Returns the seeds whose process left no report, or failed although its report has no broken rule.
 */
export async function playAtOnce(
  seeds: readonly number[],
  { scope, atOnce, args, say, done }: AtOnce,
): Promise<readonly number[]> {
  const folder = scope.own(mkdtempSync(join(tmpdir(), 'giro-seeds-')), (it) =>
    rmSync(it, { recursive: true, force: true }),
  );
  const waiting = [...seeds];
  const broken: number[] = [];
  const next = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      // A signal has ended the seeds in play: start no others in their place.
      if (scope.ended) return;
      const path = join(folder, `${seed}.json`);
      const code = await playInProcess(scope, [...args, '--seed', String(seed), '--report', path], (line) =>
        say(`seed ${seed}: ${line.trim()}`),
      );
      const [report] = readReport(path);
      if (report === undefined || (code !== 0 && report.violations.length === 0)) broken.push(seed);
      else done(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, seeds.length) }, next));
  return broken;
}

/**
 * Runs `main.js` in a child process. Passes the child's stdout on when the child has ended, and each line of its stderr
 * to `onLine` at once. Returns the child's exit code; null: a signal ended the child.
 */
async function playInProcess(
  scope: Scope,
  args: readonly string[],
  onLine: (line: string) => void,
): Promise<number | null> {
  const child = spawn(process.execPath, [...process.execArgv, join(__dirname, 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group: otherwise a Ctrl-C would reach the child twice, from the terminal and from the scope.
    detached: true,
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.once('error', (error) => onLine(error.message));
  scope.own(child, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await closed;
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  createInterface({ input: child.stderr }).on('line', onLine);
  const code = await closed;
  process.stdout.write(output);
  return code;
}
