import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

/** A launcher as built: its scope deletes the file `held` a moment after the release begins. */
const script = (held: string, work: string): string => `
  const { rmSync } = require('node:fs');
  const { setTimeout: sleep } = require('node:timers/promises');
  const { scoped } = require(${JSON.stringify(join(packageRoot, 'dist', 'dev', 'scoped.js'))});
  void scoped(async (scope) => {
    const released = new Promise((resolve) => scope.own(null, async () => {
      resolve();
      await sleep(200);
      rmSync(${JSON.stringify(held)});
    }));
    console.log('ready');
    ${work}
  });`;

describe('a launcher that is told to end', () => {
  const folder = useTemporaryFolder();

  async function run(work: string, atReady: (child: ChildProcess) => void) {
    const held = join(folder(), 'held');
    writeFileSync(held, '');
    const child = spawn(process.execPath, ['-e', script(held, work)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    let stderr = '';
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    child.stdout.once('data', () => atReady(child));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    return { code, stderr, isReleased: !existsSync(held) };
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s releases everything, and is quiet about errors of the interrupted work',
    async (signal) => {
      const work = `
        setInterval(() => undefined, 1_000);
        await released;
        setTimeout(() => { throw new Error('the connection is closed'); }, 20);
        throw new Error('the server is gone');`;
      const ended = await run(work, (child) => child.kill(signal));
      expect(ended).toEqual({ code: 128 + constants.signals[signal], stderr: '', isReleased: true });
    },
  );

  it('because nobody reads its output does the same', async () => {
    const work = `setInterval(() => process.stdout.write('more\\n'), 20); await sleep(30_000);`;
    const ended = await run(work, (child) => child.stdout?.destroy());
    expect(ended).toEqual({ code: 128 + constants.signals.SIGPIPE, stderr: '', isReleased: true });
  });
});
