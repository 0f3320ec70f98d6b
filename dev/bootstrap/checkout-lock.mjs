import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot, say } from './here.mjs';

/** Far longer than from the creation of the lock to its content. */
const UNWRITTEN_MS = 10_000;

/** Nothing can be installed or built here. */
export class CheckoutNotWritable extends Error {
  constructor(folder, problem) {
    super(
      `${folder} cannot be written to (${problem})\n` +
        'The set-up installs and builds in this checkout: run it as the owner of the checkout, or in your own clone',
    );
    this.name = 'CheckoutNotWritable';
  }
}

/** Allows one set-up at a time in a checkout: `npm test` and `npm run demo` must not install at the same time. */
export async function withCheckoutLock(action, folder = join(packageRoot, '.giro')) {
  const file = join(folder, 'set-up.lock');
  makeWritable(folder);
  let waiting = false;
  while (!tryLock(file)) {
    if (!waiting)
      say(`waiting for another set-up of this checkout to end (if there is none, delete ${file}) …`);
    waiting = true;
    await sleep(200);
  }
  const unlock = () => rmSync(file, { force: true });
  process.on('exit', unlock);
  try {
    return await action();
  } finally {
    process.off('exit', unlock);
    unlock();
  }
}

function makeWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CheckoutNotWritable(folder, error.message);
  }
}

function tryLock(file) {
  if (create(file)) return true;
  if (isAbandoned(file)) remove(file);
  return false;
}

function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a process that was killed. One waiter at a time, and each checks again: another waiter may have
 * removed that lock and taken its own. Only if a waiter is killed here as well, two others may enter at once.
 */
function remove(file) {
  const removing = `${file}.removing`;
  if (create(removing)) {
    try {
      if (isAbandoned(file)) rmSync(file, { force: true });
    } finally {
      rmSync(removing, { force: true });
    }
  } else if (isAbandoned(removing)) rmSync(removing, { force: true });
}

/** The file was written by a process that has ended. */
function isAbandoned(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Empty: the lock was just taken, and the process id is not written yet. Older: it never will be.
    if (pid === 0) return Date.now() - statSync(file).mtimeMs >= UNWRITTEN_MS;
    // Each container counts its processes from 1, so an earlier set-up may have had this one's id.
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // ENOENT: the lock was released meanwhile. EPERM: the process is alive and belongs to another user.
    return error.code !== 'ENOENT' && error.code !== 'EPERM';
  }
}
