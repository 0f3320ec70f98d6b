import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../dev/package-root';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-pins-'));
  for (const file of ['docker-compose.yml', 'Dockerfile', 'ops/pin-images.sh'])
    cpSync(join(packageRoot, file), join(folder, file));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As after somebody has put newer versions there, by tag. */
function byTag(): void {
  for (const file of ['docker-compose.yml', 'Dockerfile'])
    writeFileSync(join(folder, file), withoutDigests(textOf(file)));
}
const withoutDigests = (text: string) => text.replace(/@sha256:[0-9a-f]{64}/g, '');

/** A stand-in for `crane`, which answers for any image. */
function answering(script: string): void {
  const path = join(folder, 'bin', 'crane');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const pin = (...args: string[]) =>
  spawnSync(join(folder, 'ops/pin-images.sh'), args, {
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const images = (): string[] => {
  const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly image: string }>>;
  };
  return [...new Set(Object.values(services).map(({ image }) => image))];
};

test('every image of ours is named by digest', () => {
  expect(pin('--check')).toMatchObject({ status: 0, stdout: '' });
});

test('--check names those that are by tag, and asks nobody', () => {
  answering('exit 1');
  byTag();
  const { status, stdout } = pin('--check');
  const named = images().filter((image) => image !== 'giro:local');
  expect(stdout.split('\n').filter(Boolean)).toEqual(expect.arrayContaining(named));
  expect(status).toBe(1);
});

test('each is pinned in its place, once, and nothing else changes', () => {
  answering('printf "sha256:%s\\n" "$(printf %s "$2" | sha256sum | cut -d" " -f1)"');
  byTag();
  const before = { compose: textOf('docker-compose.yml'), dockerfile: textOf('Dockerfile') };
  expect(pin()).toMatchObject({ status: 0, stderr: '' });
  for (const image of images()) expect(image).toMatch(/^giro:local$|^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  expect(withoutDigests(textOf('docker-compose.yml'))).toBe(before.compose);
  expect(withoutDigests(textOf('Dockerfile'))).toBe(before.dockerfile);
  expect(pin('--check')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const pinned = textOf('docker-compose.yml');
  expect(pin().stdout).toBe('');
  expect(textOf('docker-compose.yml')).toBe(pinned);
  execFileSync('grep', ['-q', 'NODE_IMAGE=node:.*@sha256', join(folder, 'Dockerfile')]);
});

test.each(['echo latest', 'exit 1', 'true'])('what is no digest is not written: %s', (script) => {
  answering(script);
  byTag();
  const before = textOf('docker-compose.yml');
  expect(pin().status).not.toBe(0);
  expect(textOf('docker-compose.yml')).toBe(before);
});
