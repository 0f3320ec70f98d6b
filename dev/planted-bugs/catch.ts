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

/** Runs the tests of a bug, one pattern after the other, until one fails. */
export async function whatCatches(folder: string, bug: PlantedBug): Promise<Caught> {
  const startedAt = performance.now();
  const runs = [
    ...(bug.unit ?? []).map((pattern) => ({ project: 'unit', pattern })),
    ...(bug.servers ?? []).map((pattern) => ({ project: 'servers', pattern })),
  ];
  let by: Caught['by'] = null;
  let isBuilt = false;
  for (const { project, pattern } of runs) {
    if (project === 'servers' && !isBuilt) {
      // Processes that these tests start run the built code.
      const built = await run([join(folder, 'dev/build.mjs')], folder);
      if (built.code !== 0)
        throw new Error(`with the bug "${bug.name}" nothing is built:\n${built.stdout}${built.stderr}`);
      isBuilt = true;
    }
    by = await firstFailure(folder, { project, pattern });
    if (by !== null) break;
  }
  return { name: bug.name, by, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

interface JestReport {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function firstFailure(
  folder: string,
  { project, pattern }: { readonly project: string; readonly pattern: string },
): Promise<Caught['by']> {
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
