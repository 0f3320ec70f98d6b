import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot, say } from './here.mjs';

/** Far longer than from the creation of the lock to its content. */
const UNWRITTEN_MS = 10_000;

/** Allows one set-up at a time in a checkout: `npm test` and `npm run demo` must not install at the same time. */
export async function withCheckoutLock(action, folder = join(packageRoot, '.giro')) {
  const file = join(folder, 'set-up.lock');
  mkdirSync(folder, { recursive: true });
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

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isHeld(file)) return false;
  // The lock of a process that was killed. Two waiters may both remove it; `wx` still admits only one of them.
  rmSync(file, { force: true });
  return false;
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Empty: the lock was just taken, and the process id is not written yet. Older: it never will be.
    if (pid === 0) return Date.now() - statSync(file).mtimeMs < UNWRITTEN_MS;
    // Each container counts its processes from 1, so an earlier set-up may have had this one's id.
    if (pid === process.pid) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error.code === 'EPERM';
  }
}
