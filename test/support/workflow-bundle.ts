import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';

interface BundleOptions {
  readonly encrypted?: boolean;
  readonly workflowsPath?: string;
}

/**
 * Bundles the sources as the build does, into the file `path`. `encrypted`: for workers that have a key ring;
 * `workflowsPath`: other sources.
 */
export async function bundleWorkflows(path: string, options: BundleOptions = {}): Promise<string> {
  await copyFile(await keptBundle(options), path);
  return path;
}

/**
 * As `bundleWorkflows`, unless another test file of this run has made the bundle. `path` is in the folder of the run's
 * servers.
 */
export async function bundleOnce(path: string, options: BundleOptions): Promise<string> {
  if (!existsSync(path)) await rename(await bundleWorkflows(`${path}.${process.pid}`, options), path);
  return path;
}

const WORKFLOWS = join(packageRoot, 'src', 'workflows', 'index.ts');
const KEPT = join(packageRoot, '.giro', 'test-bundles');
/** The installed packages. The lock file may be newer: it changes before `npm ci` runs. */
const INSTALLED = join(packageRoot, 'node_modules', '.package-lock.json');

/** Bundling takes seconds of processor time, so a bundle of the same files is kept for later runs. */
export async function keptBundle({
  encrypted = false,
  workflowsPath = WORKFLOWS,
}: BundleOptions = {}): Promise<string> {
  const hash = createHash('sha256').update(`${encrypted} ${workflowsPath}`);
  const sources = [join(packageRoot, 'src'), dirname(workflowsPath)].flatMap(filesIn);
  for (const file of [...sources, INSTALLED, __filename])
    hash.update(`\0${file}\0`).update(readFileSync(file));
  // Without an extension, so that neither formatter nor linter takes the file for a source.
  const path = join(KEPT, hash.digest('hex'));
  if (existsSync(path)) return path;
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    workflowInterceptorModules: [join(packageRoot, 'src', 'workflows', 'interceptors.ts')],
    ...(encrypted ? { failureConverterPath: join(packageRoot, 'src', 'codec', 'failure-converter.ts') } : {}),
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(KEPT, { recursive: true });
  // Another test file may be writing the same file.
  const begun = `${path}.${process.pid}`;
  writeFileSync(begun, code);
  renameSync(begun, path);
  return path;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
