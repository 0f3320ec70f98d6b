import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../../program/exit-codes';

const OWNER_ONLY = 0o600;

/**
 * A new file that only its owner can read.
 *
 * @throws InputError the file is there, or cannot be written
 */
export const writeSecretFile = (path: string, text: string): Promise<void> =>
  writeNew(path, text, () => Promise.resolve());

/**
 * Another content for a file that is there, whole or not at all. Owner, group and mode stay: a service that runs as
 * another user reads it by them. Through a link, the file it leads to is replaced.
 *
 * @throws InputError it cannot be replaced, or its owner cannot be kept
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
      // Owner before mode: whoever is to read it may, nobody else ever could.
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
 * Runs `change` while nobody else of those who ask here changes the file: a lock file beside it (`.lock`), made by one
 * alone. Through a link, beside the file it leads to.
 *
 * @throws InputError somebody else is at it, or was interrupted; or no lock can be made
 */
export async function whileLocked<T>(path: string, change: () => Promise<T>): Promise<T> {
  // A file that is not there is refused by who reads it.
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
