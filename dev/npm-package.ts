import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeEnv } from './node-env';
import { run } from './run';

/** Unpacks `name@version` from npm's registry into `folder`; npm checks its digest. */
export async function unpackNpmPackage(request: string, folder: string, env: NodeEnv): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', folder, request], { env });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(folder, archive), '-C', folder, '--strip-components=1'], { env });
}
