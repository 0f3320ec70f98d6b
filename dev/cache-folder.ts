import { access, constants, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeEnv } from './node-env';

/**
 * The folder for downloads: `GIRO_CACHE_DIR` if set, otherwise `$XDG_CACHE_HOME/giro` or `~/.cache/giro`. For an
 * account without a home folder, a folder of the account in the temporary folder.
 */
export async function cacheFolder(env: NodeEnv): Promise<string> {
  const named = env['GIRO_CACHE_DIR'];
  if (named !== undefined && named !== '') {
    if (await isUsable(named)) return named;
    throw new Error(`GIRO_CACHE_DIR names ${named}, which cannot be written to`);
  }
  for (const candidate of homeCandidates(env)) if (await isUsable(candidate)) return candidate;
  const shared = join(tmpdir(), `giro-cache-${ownUid()}`);
  if ((await isUsable(shared)) && (await isOurs(shared))) return shared;
  throw new Error(
    'no folder for a cache: neither the home folder nor the temporary folder can be written to',
  );
}

function homeCandidates(env: NodeEnv): string[] {
  const { XDG_CACHE_HOME: xdg, HOME: home } = env;
  const candidates: string[] = [];
  if (xdg !== undefined && xdg !== '') candidates.push(join(xdg, 'giro'));
  if (home !== undefined && home !== '' && home !== '/') candidates.push(join(home, '.cache', 'giro'));
  return candidates;
}

async function isUsable(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Not by `userInfo`, which throws for an account that the system does not list, as in a container. */
const ownUid = (): number => process.getuid?.() ?? -1;

/** Programs run from this folder, so a folder that another account made or may write to is not trusted. */
async function isOurs(folder: string): Promise<boolean> {
  const stat = await lstat(folder);
  return stat.isDirectory() && stat.uid === ownUid() && (stat.mode & 0o022) === 0;
}
