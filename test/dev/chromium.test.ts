import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChromiumMissing, findChromium } from '../../dev/chromium';
import type { NodeEnv } from '../../dev/node-env';
import { useTemporaryFolder } from './temporary-folder';

const root = useTemporaryFolder();
const folder = (): string => join(root(), 'bin');

function program(name: string, text = '#!/bin/sh\nexit 0\n'): string {
  mkdirSync(folder(), { recursive: true });
  const path = join(folder(), name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const find = (env: NodeEnv, mayInstall = false): Promise<string> =>
  findChromium({ env: { PATH: folder(), ...env }, log: () => undefined, mayInstall });

test('CHROMIUM_PATH wins over the PATH', async () => {
  program('chromium');
  const other = program('other');
  await expect(find({ CHROMIUM_PATH: other })).resolves.toBe(other);
});

test('a CHROMIUM_PATH that is no program is an error that names it, and nothing else is taken', async () => {
  program('chromium');
  await expect(find({ CHROMIUM_PATH: '/nowhere' })).rejects.toThrow(
    'CHROMIUM_PATH names /nowhere, which is no program file',
  );
});

test('under any of its names on the PATH', async () => {
  const chrome = program('google-chrome');
  await expect(find({})).resolves.toBe(chrome);
});

test('none: the message names the ways out', async () => {
  const missing = find({});
  await expect(missing).rejects.toBeInstanceOf(ChromiumMissing);
  await expect(missing).rejects.toThrow(/CHROMIUM_PATH[\s\S]*apt-get install chromium/);
});

describe('with leave to install', () => {
  const cat = '/bin/cat';

  test('apt-get brings it', async () => {
    program('chromium-later');
    program(
      'apt-get',
      `#!/bin/sh\nif [ "$1" = install ]; then ${cat} ${folder()}/chromium-later > ${folder()}/chromium; /bin/chmod +x ${folder()}/chromium; fi\n`,
    );
    await expect(find({}, true)).resolves.toBe(join(folder(), 'chromium'));
  });

  test('apt-get fails: its last line is reported', async () => {
    program('apt-get', '#!/bin/sh\necho "E: Unable to locate package chromium" >&2\nexit 100\n');
    await expect(find({}, true)).rejects.toThrow('apt-get: E: Unable to locate package chromium');
  });
});
