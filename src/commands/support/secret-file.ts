import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../../program/exit-codes';

const OWNER_ONLY = 0o600;

/**
 * Writes a new file that only its owner can read.
 *
 * @throws InputError the file exists, or cannot be written
 */
export const writeSecretFile = (path: string, text: string): Promise<void> =>
  writeNew(path, text, () => Promise.resolve());

/**
 * Replaces the content of an existing file, atomically. Owner, group and mode stay, so a service that runs as another
 * user can still read it. Follows a link and replaces its target.
 *
 * @throws InputError the file cannot be replaced, or its owner cannot be kept
 */
export async function replaceSecretFile(path: string, text: string): Promise<void> {
  const refuse = (error: unknown) => new InputError(`the file ${path} cannot be replaced (${codeOf(error)})`);
  let beside: string | null = null;
  try {
    const file = await realpath(path);
    const { mode, uid, gid } = await stat(file);
    beside = join(dirname(file), `.giro-keys-${randomBytes(6).toString('hex')}`);
    await writeNew(beside, text, async (handle) => {
      const made = await handle.stat();
      // Owner before mode, so that nobody else can ever read the file.
      if (made.uid !== uid || made.gid !== gid) await keepOwner(handle, path, uid, gid);
      await handle.chmod(mode & 0o777);
    });
    await rename(beside, file);
  } catch (error) {
    if (beside !== null) await rm(beside, { force: true });
    throw error instanceof InputError ? error : refuse(error);
  }
}

/**
 * Runs `change` under a lock file next to the file (`.lock`), which only one caller can create. For a link, the lock
 * file is next to its target.
 *
 * @throws InputError somebody else holds the lock, or was interrupted; or no lock file can be made
 */
export async function whileLocked<T>(path: string, change: () => Promise<T>): Promise<T> {
  // The reader refuses a missing file.
  const lock = `${await realpath(path).catch(() => path)}.lock`;
  try {
    await (await open(lock, 'wx', OWNER_ONLY)).close();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return change();
    throw new InputError(
      code === 'EEXIST'
        ? `the file ${path} is being changed by another command; if none runs, one was interrupted: remove ${lock}`
        : `the lock ${lock} cannot be made (${code})`,
    );
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

async function keepOwner(handle: FileHandle, path: string, uid: number, gid: number): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    throw new InputError(
      `the file ${path} belongs to user ${uid}, group ${gid}, which cannot be kept (${codeOf(error)}): run this as that user or as root`,
    );
  }
}

async function writeNew(
  path: string,
  text: string,
  prepare: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    const file = await open(path, 'wx', OWNER_ONLY);
    try {
      await prepare(file);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    const code = codeOf(error);
    throw new InputError(
      `the file ${path} ${code === 'EEXIST' ? 'is there already' : `cannot be written (${code})`}`,
    );
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';
