import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Interrupted, runToEnd } from '../../dev/child';
import { Checks } from '../../dev/deploy-check/checks';
import { undoing } from '../../dev/deploy-check/firewall';
import { READ_ITSELF } from '../../dev/deploy-check/image';
import { part } from '../../dev/deploy-check/part';
import { CannotRun } from '../../dev/run';
import { createsThatDiffer, differencesOf } from '../../dev/deploy-check/transfers';
import type { Expected } from '../../dev/deploy-check/transfers';
import { newTemporaryFolder } from '../../dev/kept-process';

describe('what a transfer is compared with', () => {
  const completes: Expected = { originId: 1, description: 'a', end: 'COMPLETED', creates: 1 };
  const stays: Expected = {
    ...completes,
    ...{ originId: 2, end: 'open', stands: { phase: 'held', attentionReasons: ['ECHO_MISMATCH'] } },
  };
  const held = { originId: 2, status: null, phase: 'held', attentionReasons: ['ECHO_MISMATCH'] };
  const ended = { originId: 1, status: 'COMPLETED', phase: 'ended', attentionReasons: [] };

  it('equal: nothing to say', () => {
    expect(differencesOf([completes, stays], [held, ended])).toEqual([]);
  });

  it('one that is missing is no open one', () => {
    expect(differencesOf([completes, stays], [ended])).toEqual([
      '2 (a) is missing, not open, held, [ECHO_MISMATCH]',
    ]);
  });

  it('an open one by phase and reasons', () => {
    const wrong = (more: object) => differencesOf([stays], [{ ...held, ...more }]);
    expect(wrong({ phase: 'polling', attentionReasons: [] })).toEqual([
      '2 (a) is open, polling, [], not open, held, [ECHO_MISMATCH]',
    ]);
    expect(wrong({ attentionReasons: ['VANISHED'] })).toHaveLength(1);
    expect(wrong({ status: 'COMPLETED' })).toEqual(['2 (a) is COMPLETED, not open, held, [ECHO_MISMATCH]']);
  });

  it('its creates by the bank’s book, whatever the id is written as', () => {
    const create = { originId: '1', service: 'transfer-request' };
    const lookup = { originId: 1, service: 'get-movement' };
    expect(createsThatDiffer([completes], [create, lookup])).toEqual([]);
    expect(createsThatDiffer([completes], [create, { ...create, originId: 1 }])).toEqual([
      '1 (a) had 2 creates, not 1',
    ]);
    expect(createsThatDiffer([completes], [lookup])).toEqual(['1 (a) had 0 creates, not 1']);
  });
});

const quiet = () => new Checks(() => undefined);

describe('the last line', () => {
  it('a part that cannot run is skipped: tidying up after it has passed nothing', async () => {
    const checks = quiet();
    let released = false;
    await part('Compose', checks, (scope) => {
      scope.own(null, () => void (released = true));
      return Promise.reject(new CannotRun('no engine'));
    });
    expect(released).toBe(true);
    expect(checks.line()).toBe('0 passed, 0 failed, 1 skipped');
  });

  it('what is left behind is a failure, whether or not anything was checked', async () => {
    const checks = quiet();
    await part('Compose', checks, (scope) => {
      scope.own(null, () => Promise.reject(new Error('left')));
      return Promise.reject(new CannotRun('no engine'));
    });
    expect(checks.line()).toBe('0 passed, 1 failed, 1 skipped');
  });

  it('a part that was checked counts its end too', async () => {
    const checks = quiet();
    await part('Compose', checks, async () => {
      await checks.check('a step', () => Promise.resolve());
    });
    expect(checks.line()).toBe('2 passed, 0 failed, 0 skipped');
  });

  it('after a failed step others follow; after an interrupted one none', async () => {
    const checks = quiet();
    const outcomes: [string, boolean][] = [];
    const steps = async (): Promise<void> => {
      for (const [name, error] of [
        ['fails', new Error('no')],
        ['passes', null],
        ['is interrupted', new Interrupted('SIGINT')],
        ['does not begin', null],
      ] as const) {
        const step = () => (error === null ? Promise.resolve() : Promise.reject(error));
        outcomes.push([name, await checks.check(name, step)]);
      }
    };
    await expect(steps()).rejects.toThrow('SIGINT');
    expect(outcomes).toEqual([
      ['fails', false],
      ['passes', true],
    ]);
    expect(checks.line()).toBe('1 passed, 1 failed, 0 skipped');
  });
});

describe('a signal', () => {
  const options = { env: process.env, timeoutMs: 20_000 };
  /** What a program that has just been started would do on SIGINT. */
  const listening = <T>(start: () => T): { readonly started: T; readonly signal: () => void } => {
    const before = process.listeners('SIGINT');
    const started = start();
    const added = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
    return { started, signal: () => added.forEach((listener) => listener('SIGINT')) };
  };

  it('ends a program of a step', async () => {
    const { started, signal } = listening(() => runToEnd('sleep', ['15'], options));
    signal();
    await expect(started).rejects.toThrow(Interrupted);
  });

  it('does not end a clean-up program (`throughSignals`)', async () => {
    const { started, signal } = listening(() =>
      runToEnd('sleep', ['0.2'], { ...options, throughSignals: true }),
    );
    signal();
    expect(await started).toMatchObject({ code: 0 });
  });
});

describe('what the image says of itself', () => {
  const folder = newTemporaryFolder('image');
  beforeAll(() => {
    const releases = join(folder, 'node_modules/@temporalio/core-bridge/releases/ours');
    for (const path of [releases, join(folder, 'node_modules/@temporalio/worker')])
      mkdirSync(path, { recursive: true });
    writeFileSync(join(folder, 'node_modules/@temporalio/worker/index.js'), '');
    writeFileSync(join(folder, 'sbom.cdx.json'), '{"components":[{}]}');
    writeFileSync(join(folder, 'code.js'), '');
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Root reads everything: so as an account that is nobody's. */
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const ask = () =>
    spawnSync(process.execPath, ['-e', READ_ITSELF], {
      ...{ cwd: folder, encoding: 'utf8', env: {} },
      ...account,
    } as const);

  it('what it is made of', () => {
    const { stdout, stderr } = ask();
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ components: 1, natives: ['ours'], tools: [] });
  });

  it('it fails where its user cannot read one file', () => {
    chmodSync(join(folder, 'code.js'), 0o000);
    const { status, stderr } = ask();
    expect(status).not.toBe(0);
    expect(stderr).toContain('EACCES');
  });
});

describe('what dockerd leaves in the firewall', () => {
  const mine = '-A FORWARD -i eth0 -j mine';
  const saved = (forward: string, ...rules: readonly string[]) =>
    ['# made by', '*filter', `:FORWARD ${forward} [3:180]`, ':mine - [0:0]', ...rules, 'COMMIT', ''].join(
      '\n',
    );
  const docker = [':DOCKER - [0:0]', ':DOCKER-USER - [0:0]'];

  it('its rules, then its chains, and its policy are taken back; those of others stay', () => {
    const after = saved('DROP', ...docker, '-A FORWARD -j DOCKER-USER', mine, '-A DOCKER-USER -j RETURN');
    expect(undoing(saved('ACCEPT'), after).split('\n')).toEqual([
      ...['*filter', ':FORWARD ACCEPT [0:0]', '-D FORWARD -j DOCKER-USER', '-D DOCKER-USER -j RETURN'],
      ...['-F DOCKER', '-F DOCKER-USER', '-X DOCKER', '-X DOCKER-USER', 'COMMIT', ''],
    ]);
  });

  it('what was there before stays', () => {
    const before = saved('DROP', ...docker, '-A FORWARD -j DOCKER-USER');
    expect(undoing(before, saved('DROP', ...docker, '-A FORWARD -j DOCKER-USER', mine))).toBe('');
  });
});
