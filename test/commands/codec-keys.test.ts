import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKeyRing } from '../../src/codec/key-ring';
import type { KeyRing } from '../../src/codec/key-ring';
import { open, seal } from '../../src/codec/seal';
import { openSealed, parseSealKey, sealTo } from '../../src/codec/receiver-key';
import { giro } from './support/memory-io';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function ringIn(text: string): KeyRing {
  const parsed = parseKeyRing(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

test('a ring is printed, each time another', async () => {
  const [one, two] = [await giro(['codec-keygen']), await giro(['codec-keygen'])];
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(ringIn(one.stdout).active).toBe('k1');
  expect(one.stdout).not.toBe(two.stdout);
});

test('written to a file of the owner alone, and never over another', async () => {
  const file = join(folder, 'keys.json');
  const made = await giro(['codec-keygen', '--out', file]);
  expect(made).toMatchObject({ code: 0, stdout: '' });
  const text = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(made.stderr).not.toContain(JSON.parse(text).keys.k1);
  expect(await giro(['codec-keygen', '--out', file])).toMatchObject({
    ...{ code: 2, stderr: `giro: the file ${file} is there already\n` },
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('once, for a service that starts again: what is there stays; half of it is an error', async () => {
  const [file, sealKey] = [join(folder, 'keys.json'), join(folder, 'seal-key.json')];
  const command = ['codec-keygen', '--out', file, '--receiver-out', sealKey, '--if-missing'];
  expect(await giro(command)).toMatchObject({ code: 0 });
  const texts = () => [file, sealKey].map((path) => readFileSync(path, 'utf8'));
  const before = texts();
  expect(await giro(command)).toMatchObject({ code: 0, stderr: '' });
  expect(texts()).toEqual(before);
  const half = { code: 2, stderr: expect.stringContaining('put the missing one back') as string };
  const ring = readFileSync(file, 'utf8');
  rmSync(file);
  expect(await giro(command)).toMatchObject(half);
  // A ring that was put back from its copy: no other key for the receiver.
  writeFileSync(file, ring);
  rmSync(sealKey);
  expect(await giro(command)).toMatchObject(half);
  expect(existsSync(sealKey)).toBe(false);
  expect(await giro(['codec-keygen', '--if-missing'])).toMatchObject({ code: 2 });
});

test('rotation: a key is added, then activated; what the old one sealed stays readable', async () => {
  const file = join(folder, 'keys.json');
  await giro(['codec-keygen', '--out', file]);
  const sealed = seal(ringIn(readFileSync(file, 'utf8')), '', Buffer.from('x'));

  expect(await giro(['codec', 'rotate', file, '--add'])).toMatchObject({
    ...{ code: 0, stderr: `giro: ${file}: added key k2; once every process has it: --activate k2\n` },
  });
  const between = ringIn(readFileSync(file, 'utf8'));
  expect([between.active, [...between.keys.keys()]]).toEqual(['k1', ['k1', 'k2']]);

  expect(await giro(['codec', 'rotate', file, '--activate', 'k2'])).toMatchObject({ code: 0 });
  const after = ringIn(readFileSync(file, 'utf8'));
  expect(after.active).toBe('k2');
  expect(open(after, '', sealed).toString()).toBe('x');
  expect(open(between, '', seal(after, '', Buffer.from('y'))).toString()).toBe('y');
  expect([readdirSync(folder), statSync(file).mode & 0o777]).toEqual([['keys.json'], 0o600]);
});

test('keys of receivers: the ring opens what the public file seals, and no key is lost', async () => {
  const file = join(folder, 'keys.json');
  const [first, second] = [join(folder, 'r1.json'), join(folder, 'r2.json')] as const;
  await giro(['codec-keygen', '--out', file, '--receiver-out', first]);
  await giro(['codec', 'rotate', file, '--add']);
  expect(await giro(['codec', 'rotate', file, '--receiver-out', second])).toMatchObject({ code: 0 });
  const ring = ringIn(readFileSync(file, 'utf8'));
  for (const path of [first, second]) {
    const text = readFileSync(path, 'utf8');
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['id', 'publicKey']);
    const parsed = parseSealKey(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    const sealed = await sealTo(parsed.value, 'here', Buffer.from('x'));
    expect((await openSealed(ring, 'here', sealed)).toString()).toBe('x');
  }
  expect([...ring.keys.keys()]).toEqual(['k1', 'k2']);
});

test.each<[string, (file: string, sealKey: string) => string[], string]>([
  [
    'a ring that cannot be written',
    (file, sealKey) => ['codec-keygen', '--out', file, '--receiver-out', sealKey],
    'is there already',
  ],
  [
    'a public file that cannot be written, which leaves a key that nobody seals to',
    (file) => ['codec', 'rotate', file, '--receiver-out', join(folder, 'nowhere', 'seal-key.json')],
    'cannot be written (ENOENT)',
  ],
])('no public file without its private part: %s', async (_, command, message) => {
  const [file, sealKey] = [join(folder, 'keys.json'), join(folder, 'seal-key.json')];
  await giro(['codec-keygen', '--out', file]);
  expect(await giro(command(file, sealKey))).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(message) as string },
  });
  expect(existsSync(sealKey)).toBe(false);
  expect(await giro(['codec', 'rotate', file, '--receiver-out', sealKey])).toMatchObject({ code: 0 });
  const parsed = parseSealKey(readFileSync(sealKey, 'utf8'));
  if (!parsed.ok) throw new Error(parsed.reason);
  const sealed = await sealTo(parsed.value, 'here', Buffer.from('x'));
  expect((await openSealed(ringIn(readFileSync(file, 'utf8')), 'here', sealed)).toString()).toBe('x');
});

test('a public file that is there stays, and the ring too', async () => {
  const [file, sealKey] = [join(folder, 'keys.json'), join(folder, 'seal-key.json')];
  await giro(['codec-keygen', '--out', file, '--receiver-out', sealKey]);
  const texts = () => [file, sealKey].map((path) => readFileSync(path, 'utf8'));
  const before = texts();
  for (const command of [
    ['codec', 'rotate', file, '--receiver-out', sealKey],
    ['codec-keygen', '--out', join(folder, 'other.json'), '--receiver-out', sealKey],
  ])
    expect(await giro(command)).toMatchObject({
      code: 2,
      stderr: `giro: the file ${sealKey} is there already\n`,
    });
  expect(texts()).toEqual(before);
  expect(existsSync(join(folder, 'other.json'))).toBe(false);
});

test('a ring that would be too large for its readers is not written', async () => {
  const file = join(folder, 'keys.json');
  const key = (n: number) => Buffer.alloc(32, `key ${n} `).toString('base64');
  const many = (letter: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${letter}${i + 1}`, key(i)]));
  const ring = JSON.stringify({ active: 'k1', keys: many('k', 3_990), receiver: many('r', 480) });
  writeFileSync(file, ring, { mode: 0o600 });
  expect(await giro(['codec', 'rotate', file, '--activate', 'k2'])).toMatchObject({
    ...{ code: 2, stderr: `giro: the file ${file} would be larger than 256 KiB, which no process reads\n` },
  });
  expect(readFileSync(file, 'utf8')).toBe(ring);
});

test('of many rotations at once each adds a key that stays, or is refused', async () => {
  const file = join(folder, 'keys.json');
  await giro(['codec-keygen', '--out', file]);
  const runs = await Promise.all(Array.from({ length: 8 }, () => giro(['codec', 'rotate', file, '--add'])));
  const done = runs.filter(({ code }) => code === 0).length;
  expect(done).toBeGreaterThan(0);
  for (const { code, stderr } of runs) {
    if (code !== 0) expect([code, stderr]).toEqual([2, expect.stringContaining('another command')]);
  }
  expect(ringIn(readFileSync(file, 'utf8')).keys.size).toBe(1 + done);
  expect(readdirSync(folder)).toEqual(['keys.json']);
});

test('a lock that was left behind is named, next to the target of a link', async () => {
  const file = join(folder, 'keys.json');
  const link = join(folder, 'link.json');
  await giro(['codec-keygen', '--out', file]);
  symlinkSync('keys.json', link);
  const before = readFileSync(file, 'utf8');
  writeFileSync(`${file}.lock`, '');
  const { code, stderr } = await giro(['codec', 'rotate', link, '--add']);
  expect([code, stderr]).toEqual([
    2,
    `giro: the file ${link} is being changed by another command; if none runs, one was interrupted: remove ${join(realpathSync(folder), 'keys.json.lock')}\n`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('rotation keeps the mode of the file', async () => {
  const file = join(folder, 'keys.json');
  await giro(['codec-keygen', '--out', file]);
  chmodSync(file, 0o640);
  expect((await giro(['codec', 'rotate', file, '--add'])).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('rotation keeps owner and group of the file (needs root)', async () => {
  const file = join(folder, 'keys.json');
  await giro(['codec-keygen', '--out', file]);
  chownSync(file, 12_345, 23_456);
  expect((await giro(['codec', 'rotate', file, '--add'])).code).toBe(0);
  const { uid, gid, mode } = statSync(file);
  expect([uid, gid, mode & 0o777]).toEqual([12_345, 23_456, 0o600]);
});

test('rotation follows a link to the file, and the link stays one', async () => {
  const file = join(folder, 'keys.json');
  const link = join(folder, 'link.json');
  mkdirSync(join(folder, 'elsewhere'));
  await giro(['codec-keygen', '--out', join(folder, 'elsewhere', 'keys.json')]);
  symlinkSync(join('elsewhere', 'keys.json'), file);
  symlinkSync('keys.json', link);
  expect((await giro(['codec', 'rotate', link, '--add'])).code).toBe(0);
  expect([lstatSync(link).isSymbolicLink(), lstatSync(file).isSymbolicLink()]).toEqual([true, true]);
  expect([...ringIn(readFileSync(join(folder, 'elsewhere', 'keys.json'), 'utf8')).keys.keys()]).toEqual([
    'k1',
    'k2',
  ]);
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['keys.json']);
});

test('a ring holds 4,000 keys, and its file is read', async () => {
  const file = join(folder, 'keys.json');
  const key = (n: number) => Buffer.alloc(32, `key ${n} `).toString('base64');
  const keys = Object.fromEntries(Array.from({ length: 3_999 }, (_, i) => [`k${i + 1}`, key(i)]));
  writeFileSync(file, JSON.stringify({ active: 'k1', keys }), { mode: 0o600 });
  expect((await giro(['codec', 'rotate', file, '--add'])).code).toBe(0);
  expect((await giro(['codec', 'rotate', file, '--activate', 'k4000'])).code).toBe(0);
  expect(await giro(['codec', 'rotate', file, '--add'])).toMatchObject({
    ...{ code: 2, stderr: 'giro: --add: a key ring holds at most 4000 keys\n' },
  });
});

test.each([
  ['neither step', [], 'give one of --add, --activate ID and --receiver-out FILE'],
  ['both steps', ['--add', '--activate', 'k1'], 'give one of --add, --activate ID and --receiver-out FILE'],
  ['a key that is not there', ['--activate', 'k9'], 'has no key of this id'],
])('refused: %s', async (_, options, message) => {
  const file = join(folder, 'keys.json');
  await giro(['codec-keygen', '--out', file]);
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await giro(['codec', 'rotate', file, ...options]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a file that is no key ring is left alone, and not repeated', async () => {
  const file = join(folder, 'keys.json');
  writeFileSync(file, '{"secret":"canary"}', { mode: 0o600 });
  const { code, stderr } = await giro(['codec', 'rotate', file, '--add']);
  expect([code, stderr]).toEqual([
    2,
    `giro: the file ${file} has members other than "active", "keys" and "receiver"\n`,
  ]);
});
