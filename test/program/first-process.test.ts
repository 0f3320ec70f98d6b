import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../dev/package-root';

/** As an image runs the program: process 1 of its processes. Needs root, and unshare. */
const UNSHARE = ['--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
const starter = join(packageRoot, 'dist', 'src', 'starter.js');

/** False: the child has not started yet, or has ended. */
function signalChildOf(pid: number, signal: NodeJS.Signals): boolean {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return child !== '' && process.kill(Number(child), signal);
  } catch {
    return false;
  }
}

/** How long a test waits for a program that hangs. */
const HANG_MS = 60_000;

/**
 * Starts a command, and returns its exit code; null: it hangs. Sends the signal once it is ready; without `isReady`,
 * again and again, because the kernel ignores it until the program has its handler.
 */
async function endOf(
  args: readonly string[],
  { signal, isReady }: { readonly signal: NodeJS.Signals; readonly isReady?: (log: string) => boolean },
): Promise<number | null> {
  const child = spawn('unshare', [...UNSHARE, process.execPath, starter, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'exit');
  try {
    const atMs = Date.now();
    let isSent = false;
    while (child.exitCode === null && Date.now() - atMs < HANG_MS) {
      if (isReady === undefined || (!isSent && isReady(log))) isSent = signalChildOf(child.pid!, signal);
      await sleep(200);
    }
    return child.exitCode;
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
    expect(await endOf(['transfer', 'start', '-'], { signal })).toBe(code);
  });

  test('a service still drains', async () => {
    const isReady = (log: string): boolean => log.includes('"msg":"ready"');
    expect(await endOf(['sandbox-bank', '--http'], { signal: 'SIGTERM', isReady })).toBe(0);
  });
});
