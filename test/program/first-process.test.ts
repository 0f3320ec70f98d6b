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

/** Starts a command, sends a signal, and returns the exit code; null: it still runs five seconds later. */
async function endOf(
  args: readonly string[],
  { signal, isReady }: { readonly signal: NodeJS.Signals; readonly isReady: (log: string) => boolean },
): Promise<number | null> {
  const child = spawn('unshare', [...UNSHARE, process.execPath, starter, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const atMs = Date.now();
    while (!isReady(log) && Date.now() - atMs < 30_000) await sleep(100);
    await sleep(3_000);
    process.kill(childOf(child.pid!), signal);
    return await Promise.race([ended, sleep(5_000, null, { ref: false })]);
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
    const isReady = (): boolean => true;
    expect(await endOf(['transfer', 'start', '-'], { signal, isReady })).toBe(code);
  });

  test('a service still drains', async () => {
    const isReady = (log: string): boolean => log.includes('"msg":"ready"');
    expect(await endOf(['sandbox-bank', '--http'], { signal: 'SIGTERM', isReady })).toBe(0);
  });
});
