import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder';
import type { NodeEnv } from '../node-env';
import { CannotRun, run, works } from '../run';

const BUILD_TIMEOUT_MS = 40 * 60_000;

/** A program of a Go module, at the version for which the check is written. */
export interface GoProgram {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** The package within the module. */
  readonly main: string;
}

interface Options {
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

/** The folder into which Go unpacks a module: read-only and shared. */
export async function moduleFolder(module: string, version: string, env: NodeEnv): Promise<string> {
  const answer = await run('go', ['mod', 'download', '-json', `${module}@${version}`], { env });
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

/** The program's path in the cache. Builds the program the first time, which needs Go. */
export async function goProgram(program: GoProgram, options: Options): Promise<string> {
  return cached(program, options, async (work) => {
    const { module, version, main, name } = program;
    // Build from a copy: `go install` refuses modules with replace or exclude directives.
    const copy = join(work, 'module');
    await cp(await moduleFolder(module, version, options.env), copy, { recursive: true });
    await makeWritable(copy);
    const args = ['build', '-C', copy, '-trimpath', '-o', join(work, name), main];
    await run('go', args, { env: { ...options.env, CGO_ENABLED: '0' }, timeoutMs: BUILD_TIMEOUT_MS });
  });
}

/** The path of a cached file. If it is missing, `build` makes a file of the program's name in the given folder. */
export async function cached(
  { name, version }: Pick<GoProgram, 'name' | 'version'>,
  { env, log }: Options,
  build: (work: string) => Promise<void>,
): Promise<string> {
  const shelf = join(await cacheFolder(env), 'deploy-check');
  const target = join(shelf, `${name}-${version}-${process.platform}-${process.arch}`);
  if (await isThere(target)) return target;
  if (!(await works('go', ['version'], env)))
    throw new CannotRun(`${name} ${version} has to be built once, and Go is not installed (https://go.dev)`);
  await mkdir(shelf, { recursive: true });
  const work = join(shelf, `.incoming-${randomBytes(6).toString('hex')}`);
  await mkdir(work);
  log(`building ${name} ${version} (minutes, once) …`);
  try {
    await build(work);
    // The rename is atomic, so no process sees a half-written program.
    await rename(join(work, name), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
