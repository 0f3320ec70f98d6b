import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { handOverHead } from '../../src/program/hand-over-head';
import { createLogger } from '../../src/telemetry/logger';

const ASOF = '2026-05-12T14:00:00Z';
const chain = {
  ...{ sequence: 3, cursor: null, records: 0 },
  ...{ previousSha256: 'ab'.repeat(32), sha256: 'cd'.repeat(32) },
};
const folder = mkdtempSync(path.join(tmpdir(), 'giro-head-'));
afterAll(() => rmSync(folder, { recursive: true }));

function script(name: string, body: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

const logged: string[] = [];
const logger = createLogger({ level: 'info', destination: { write: (line: string) => logged.push(line) } });
beforeEach(() => logged.splice(0));

test('the program gets its own arguments, asOf and hash, unchanged: no shell reads them', async () => {
  const out = path.join(folder, 'got');
  const program = script('keep', `printf '%s\\n' "$@" > ${out}`);
  const args = ['--to', 'a b;$(touch x)'];
  expect(await handOverHead({ program, args }, { asOf: ASOF, chain }, logger)).toBe(true);
  expect(readFileSync(out, 'utf8').split('\n')).toEqual([...args, ASOF, chain.sha256, '']);
  expect(logged).toEqual([]);
});

test('and nothing of the environment that could be a secret', async () => {
  const out = path.join(folder, 'env');
  process.env['BANK_TOKEN'] = 'canary-of-a-token';
  try {
    const program = script('env', `/usr/bin/env > ${out}`);
    expect(await handOverHead({ program, args: [] }, { asOf: ASOF, chain }, logger)).toBe(true);
  } finally {
    delete process.env['BANK_TOKEN'];
  }
  const names = readFileSync(out, 'utf8')
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LANG']));
  expect(readFileSync(out, 'utf8')).not.toMatch(/canary|DATABASE_URL|BANK_/);
});

test('an account without HOME that the system does not list: the folder for temporary files is its home', async () => {
  const homedir = jest.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_os_homedir');
  });
  try {
    const out = path.join(folder, 'home');
    const program = script('home', `printf %s "$HOME" > ${out}`);
    expect(await handOverHead({ program, args: [] }, { asOf: ASOF, chain }, logger)).toBe(true);
    expect(readFileSync(out, 'utf8')).toBe(tmpdir());
  } finally {
    homedir.mockRestore();
  }
});

test.each([
  ['ends with another code', () => script('fails', 'exit 7'), 'exit code 7', undefined],
  ['is not there', () => path.join(folder, 'nothing'), 'not started: ENOENT', undefined],
  ['hangs', () => script('hangs', 'exec sleep 60'), 'ended by SIGKILL, after at most 200 ms', 200],
])(
  'a program that %s: logged with the head, and nothing is thrown',
  async (_, program, reason, timeoutMs) => {
    const command = { program: program(), args: [] };
    const kept = await handOverHead(command, { asOf: ASOF, chain }, logger, timeoutMs);
    expect(kept).toBe(false);
    expect(logged.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        ...{ level: 'error', asOf: ASOF, sha256: chain.sha256, reason },
        msg: 'RECONCILE_HEAD_COMMAND failed: keep this head elsewhere by hand',
      }),
    ]);
  },
);
