import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptSpec } from '../../dev/kept-process';
import { newTemporaryFolder, startKept } from '../../dev/kept-process';
import { packageRoot } from '../../dev/package-root';

/** A server that writes its process id, then stays, deaf to `ignored` signals. */
function spec(ignored: readonly string[] = [], changes: Partial<KeptSpec> = {}): KeptSpec {
  const code = `${ignored.map((signal) => `process.on('${signal}', () => undefined);`).join('')}
    require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1000);`;
  return {
    folder: newTemporaryFolder('kept-test'),
    owner: null,
    copies: [],
    files: { note: 'hello' },
    env: {},
    prepare: [],
    server: { command: process.execPath, args: ['-e', code] },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
    ...changes,
  };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`still not: ${condition.toString()}`);
    await sleep(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pidIn = (folder: string): number => {
  const file = join(folder, 'pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
};

describe('a kept server', () => {
  it('has its folder while it runs; stop ends it and deletes the folder', async () => {
    const wanted = spec();
    const kept = startKept(wanted);
    const pid = await kept.started;
    await until(() => pidIn(wanted.folder) === pid);
    expect(readFileSync(join(wanted.folder, 'note'), 'utf8')).toBe('hello');
    await Promise.all([kept.stop(), kept.stop()]);
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(wanted.folder)).toBe(false);
    expect(await kept.ended).toMatchObject({ signal: 'SIGTERM' });
  });

  it('is killed when it does not listen to the signal', async () => {
    const wanted = spec(['SIGTERM'], { stopTimeoutMs: 200 });
    const kept = startKept(wanted);
    const pid = await kept.started;
    await until(() => pidIn(wanted.folder) === pid);
    await kept.stop();
    expect(await kept.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(wanted.folder)).toBe(false);
  });

  it('is halted and resumed in the same folder, without its preparing steps', async () => {
    const prepare = [
      { command: process.execPath, args: ['-e', 'require("node:fs").appendFileSync("prepared", "x")'] },
    ];
    const wanted = spec([], { prepare });
    const kept = startKept(wanted);
    const first = await kept.started;
    await until(() => pidIn(wanted.folder) === first);
    await kept.halt('SIGKILL');
    expect(isAlive(first)).toBe(false);
    const second = await kept.resume();
    expect(second).not.toBe(first);
    await until(() => pidIn(wanted.folder) === second);
    expect(readFileSync(join(wanted.folder, 'prepared'), 'utf8')).toBe('x');
    await kept.stop();
    expect(isAlive(second)).toBe(false);
    expect(existsSync(wanted.folder)).toBe(false);
  });

  it('goes with its folder when it is stopped while halted', async () => {
    const wanted = spec();
    const kept = startKept(wanted);
    await kept.started;
    await kept.halt('SIGTERM');
    expect(existsSync(wanted.folder)).toBe(true);
    await kept.stop();
    expect(existsSync(wanted.folder)).toBe(false);
    await expect(kept.resume()).rejects.toThrow('ended while it was started again');
  });

  it('does not start when a preparing step fails, and reports the last output', async () => {
    const command = {
      command: process.execPath,
      args: ['-e', 'console.error("no room"); process.exitCode = 3'],
    };
    const wanted = spec([], { prepare: [command] });
    const kept = startKept(wanted);
    await expect(kept.started).rejects.toThrow('no room');
    expect(await kept.ended).toMatchObject({ code: 3 });
    await kept.stop();
    expect(existsSync(wanted.folder)).toBe(false);
  });

  it('reports a program that cannot be run', async () => {
    const kept = startKept(spec([], { server: { command: '/nonexistent/server', args: [] } }));
    await expect(kept.started).rejects.toThrow('ENOENT');
    await kept.stop();
  });

  it.each(['SIGKILL', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'goes with its folder when its starter gets %s',
    async (signal) => {
      const wanted = spec();
      const starter = spawn(process.execPath, ['-e', STARTER, JSON.stringify(wanted)], {
        cwd: packageRoot,
        stdio: 'ignore',
      });
      await until(() => pidIn(wanted.folder) !== 0);
      const pid = pidIn(wanted.folder);
      starter.kill(signal);
      await until(() => !isAlive(pid) && !existsSync(wanted.folder));
    },
  );
});

/** What `startKept` does, in a process that a test may kill. */
const STARTER = `
  const keeper = require('node:child_process').spawn(process.execPath, ['dev/keeper.mjs'], {
    detached: true, stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.stdin.write(process.argv[1] + '\\n');
  setInterval(() => undefined, 1000);`;
