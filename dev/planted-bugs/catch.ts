import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runToEnd } from '../child';
import type { ChildEnd } from '../child';
import type { PlantedBug } from './bugs';

export interface Caught {
  readonly name: string;
  /** Null: every test passed. */
  readonly by: { readonly file: string; readonly test: string } | null;
  /** Time until the failure was known, including the start of the tests. */
  readonly seconds: number;
}

interface TestRun {
  readonly project: 'unit' | 'servers';
  readonly pattern: string;
}

/** Runs the tests of a planted bug, one pattern after the other, until one fails. */
export async function whatCatches(
  folder: string,
  bug: PlantedBug,
): Promise<{ readonly caught: Caught; readonly run: TestRun | null }> {
  const startedAt = performance.now();
  const runs: readonly TestRun[] = [
    ...(bug.unit ?? []).map((pattern) => ({ project: 'unit' as const, pattern })),
    ...(bug.servers ?? []).map((pattern) => ({ project: 'servers' as const, pattern })),
  ];
  let by: Caught['by'] = null;
  let last: TestRun | null = null;
  for (const one of runs) {
    if (one.project === 'servers' && last?.project !== 'servers') await build(folder, bug.name);
    last = one;
    by = await firstFailure(folder, one);
    if (by !== null) break;
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { caught: { name: bug.name, by, seconds }, run: by === null ? null : last };
}

/** The failure of the tests without any bug; null: they pass. Tests in `passed` are not run again. */
export async function failureWithoutBug(
  folder: string,
  testRun: TestRun,
  passed: Set<string>,
): Promise<Caught['by']> {
  const name = `${testRun.project} ${testRun.pattern}`;
  if (passed.has(name)) return null;
  if (testRun.project === 'servers') await build(folder, null);
  const failure = await firstFailure(folder, testRun);
  if (failure === null) passed.add(name);
  return failure;
}

/** Processes that the tests of servers start run the built code. */
async function build(folder: string, bugName: string | null): Promise<void> {
  const built = await run([join(folder, 'dev/build.mjs')], folder);
  if (built.code !== 0)
    throw new Error(
      `${bugName === null ? 'without a bug' : `with the bug "${bugName}"`} nothing is built:\n${built.stdout}${built.stderr}`,
    );
}

interface JestReport {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function firstFailure(folder: string, { project, pattern }: TestRun): Promise<Caught['by']> {
  const report = join(folder, 'planted-bugs.json');
  rmSync(report, { force: true });
  const { stderr } = await run(
    [
      ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', `--selectProjects=${project}`],
      ...['--testPathPatterns', pattern, '--forceExit', '--json', '--outputFile', report],
    ],
    folder,
  );
  if (!existsSync(report)) throw new Error(`jest has left no report of ${pattern}:\n${stderr}`);
  const { testResults, numTotalTests } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
  const failed = testResults.find(({ status }) => status === 'failed');
  if (failed === undefined) {
    if (numTotalTests === 0) throw new Error(`${pattern} names no test of the ${project}`);
    return null;
  }
  const test = failed.assertionResults.find(({ status }) => status === 'failed');
  if (test === undefined) throw new Error(`${failed.name} does not load:\n${stderr}`);
  return { file: relative(folder, failed.name), test: test.fullName };
}

/** Longer than any of these tests takes on any machine. */
const TIMEOUT_MS = 1_800_000;

const run = (args: readonly string[], cwd: string): Promise<ChildEnd> =>
  runToEnd(process.execPath, args, { env: process.env, cwd, timeoutMs: TIMEOUT_MS });
