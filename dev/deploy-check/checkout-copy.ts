import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../package-root';
import type { Scope } from '../scope';

const NEEDED = [
  ...['.dockerignore', '.npmrc', 'Dockerfile', 'docker-compose.yml', 'package.json', 'package-lock.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'dev', 'ops', 'src', 'test/chaos/auditor'],
];
const SECRETS = join('ops', 'compose', 'secrets');

/**
 * Copies the checkout with the permissions of a clone under umask 077: only its owner may read it. Deleted with the
 * scope.
 */
export async function copyCheckout(scope: Scope): Promise<string> {
  const folder = scope.own(await mkdtemp(join(tmpdir(), 'giro-deploy-check-')), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  for (const name of NEEDED) await cp(join(packageRoot, name), join(folder, name), { recursive: true });
  await rm(join(folder, SECRETS), { recursive: true, force: true });
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const isProgram = entry.isDirectory() || entry.name.endsWith('.sh');
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o700 : 0o600);
  }
  return folder;
}
