import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../dev/cache-folder';
import { packageRoot } from '../../dev/package-root';
import { run } from '../../dev/run';

const SOURCES = join(packageRoot, 'bench', 'contestants');

/**
 * Copies the contestants of `bench/contestants` into a cache folder, and installs their packages there at the first
 * run, by their lock file and without install scripts. The packages are no dependencies of the product. Returns the
 * folder.
 */
export async function installContestants(say: (line: string) => void): Promise<string> {
  const lock = await readFile(join(SOURCES, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = join(await cacheFolder(process.env), `contestants-${digest}`);
  if (!(await exists(folder))) {
    say('installing the contestants (npm ci) …');
    const making = `${folder}.${process.pid}`;
    try {
      await mkdir(making);
      await copySources(making, ['.json']);
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', making], {
        env: process.env,
      });
      await rename(making, folder);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  await copySources(folder, ['.mjs']);
  return folder;
}

async function copySources(folder: string, extensions: readonly string[]): Promise<void> {
  for (const name of await readdir(SOURCES)) {
    if (extensions.some((it) => name.endsWith(it))) await copyFile(join(SOURCES, name), join(folder, name));
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
