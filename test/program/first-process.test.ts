import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../dev/package-root';

/** As an image runs the program: process 1 of its processes. Needs root, and unshare. */
const UNSHARE = ['--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
const starter = join(packageRoot, 'dist', 'src', 'starter.js');

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

/** Starts a command, and sends the signal each half second from its first until its end. Returns its exit code. */
async function endOf(args: readonly string[], signal: NodeJS.Signals): Promise<number | null> {
  const child = spawn('unshare', [...UNSHARE, process.execPath, starter, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const state = { isRunning: true };
  void ended.then(() => (state.isRunning = false));
  try {
    await sleep(3_000);
    for (let i = 0; i < 10 && state.isRunning; i++) {
      const pid = childOf(child.pid!);
      if (pid > 0) process.kill(pid, signal);
      await sleep(500);
    }
    return state.isRunning ? null : await ended;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

(canUnshare ? describe : describe.skip)('as process 1 (needs root and unshare)', () => {
  // It waits for its input for ever.
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a command ends on %s', async (signal, code) => {
    expect(await endOf(['transfer', 'start', '-'], signal)).toBe(code);
  });

  test('a service still drains', async () => {
    expect(await endOf(['sandbox-bank', '--http'], 'SIGTERM')).toBe(0);
  });
});
