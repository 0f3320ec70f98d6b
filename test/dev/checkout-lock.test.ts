import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

/** Takes the lock, writes `in`, works, writes `out`. Others that wait try the lock again meanwhile. */
const script = (folder: string): string => `
  import { appendFileSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { withCheckoutLock } from './dev/bootstrap/checkout-lock.mjs';
  const log = ${JSON.stringify(join(folder, 'log'))};
  await withCheckoutLock(async () => {
    appendFileSync(log, 'in ');
    await sleep(600);
    appendFileSync(log, 'out ');
  }, ${JSON.stringify(folder)});`;

/** Null: ended, because it waited too long. */
function start(folder: string, before = ''): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', before + script(folder)], {
    cwd: packageRoot,
    stdio: 'ignore',
    timeout: 15_000,
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

describe('the lock of a checkout', () => {
  const folder = useTemporaryFolder();

  it('lets one set-up in at a time, and leaves nothing behind', async () => {
    expect(await Promise.all([start(folder()), start(folder()), start(folder())])).toEqual([0, 0, 0]);
    expect(readFileSync(join(folder(), 'log'), 'utf8')).toBe('in out in out in out ');
    expect(existsSync(join(folder(), 'set-up.lock'))).toBe(false);
  });

  it('says what to do when the checkout cannot be written to', () => {
    writeFileSync(join(folder(), 'file'), '');
    const code = script(join(folder(), 'file', '.giro'));
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: packageRoot,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/CheckoutNotWritable: .*\.giro cannot be written to \(ENOTDIR/);
    expect(stderr).toMatch(/as the owner of the checkout, or in your own clone/);
  });

  it('is taken over from a process that was killed', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), 'set-up.lock'), String(gone));
    expect(await start(folder())).toBe(0);
    expect(readFileSync(join(folder(), 'log'), 'utf8')).toBe('in out ');
  });

  it('is taken over by one of two processes, however late the other one removes the old lock', async () => {
    const lock = join(folder(), 'set-up.lock');
    writeFileSync(lock, String(spawnSync(process.execPath, ['-e', '']).pid));
    // Has read the old lock when the other one takes its own.
    const late = start(
      folder(),
      `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { existsSync, readFileSync } = fs;
      fs.readFileSync = (path, ...rest) => {
        fs.readFileSync = readFileSync;
        syncBuiltinESMExports();
        const read = readFileSync(path, ...rest);
        fs.writeFileSync(${JSON.stringify(join(folder(), 'has-read'))}, '');
        while (!existsSync(${JSON.stringify(join(folder(), 'log'))}));
        return read;
      };
      syncBuiltinESMExports();`,
    );
    while (!existsSync(join(folder(), 'has-read'))) await sleep(20);
    expect(await Promise.all([late, start(folder())])).toEqual([0, 0]);
    expect(readFileSync(join(folder(), 'log'), 'utf8')).toBe('in out in out ');
    expect(readdirSync(folder()).sort()).toEqual(['has-read', 'log']);
  });

  it('is taken over from a process that was killed before it wrote its id', async () => {
    mkdirSync(folder(), { recursive: true });
    const lock = join(folder(), 'set-up.lock');
    writeFileSync(lock, '');
    const aMinuteAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, aMinuteAgo, aMinuteAgo);
    expect(await start(folder())).toBe(0);
  });

  it('is taken over from a process that had the same id in another container', async () => {
    mkdirSync(folder(), { recursive: true });
    const lock = JSON.stringify(join(folder(), 'set-up.lock'));
    const write = `import { writeFileSync } from 'node:fs'; writeFileSync(${lock}, String(process.pid));`;
    expect(await start(folder(), write)).toBe(0);
  });
});
