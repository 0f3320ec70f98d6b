import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { linksIn, textOfPage } from '../docs/pages';

/**
 * The package as a service installs it: packed, unpacked beside what its package.json declares and nothing else, and
 * reached through `exports`. What it declares is linked from this checkout, so that no registry is needed.
 */
interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Manifest;
const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

const SERVICE = `
import { Client, Connection } from '@temporalio/client';
import { GiroClient, InvalidTransferOrderError, dataConverterOf, openReferenceJournal, parseKeyRing } from 'giro/client';
import type { KeyRing, OrderInput, StartedTransfer, TransferResult } from 'giro/client';

export async function pay(order: OrderInput, keys: string, databaseUrl: string): Promise<TransferResult> {
  const ring = parseKeyRing(keys);
  if (!ring.ok) throw new Error(ring.reason);
  const keyRing: KeyRing = ring.value;
  const connection = await Connection.connect({ address: '127.0.0.1:7233' });
  const dataConverter = dataConverterOf(keyRing, 'default');
  const client = new Client({ connection, ...(dataConverter && { dataConverter }) });
  const journal = openReferenceJournal(databaseUrl, keyRing);
  const giro = new GiroClient({ client, taskQueue: 'giro', journal });
  const started: StartedTransfer = await giro.startTransfer(order);
  // @ts-expect-error the types are there: an originId is a number
  const text: string = started.originId;
  return giro.waitForTransfer(started.originId, { timeoutMs: text.length });
}
export const isMended = (error: unknown) => error instanceof InvalidTransferOrderError && error.issues;
`;
const SHOWS =
  'console.log(typeof GiroClient, typeof openReferenceJournal, new JournalNeededError("events need").name)';
const SHOWN = 'function function JournalNeededError';
const NAMES = '{ GiroClient, JournalNeededError, openReferenceJournal }';

/** Without a registry nothing can be installed. */
const hasRegistry = spawnSync('npm', ['view', 'zod@4', 'name', '--silent']).status === 0;
const INSTALL_TIMEOUT_MS = 300_000;

let folder: string;
let installed: string;
let tarball: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-package-'));
  installed = join(folder, 'node_modules', 'giro');
  mkdirSync(installed, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: packageRoot,
    encoding: 'utf8',
  });
  tarball = join(folder, packed.trim());
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const name of [...declared, '@types/node']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(packageRoot, 'node_modules', name), link);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function compile(files: readonly string[], options: object): string {
  for (const file of files) writeFileSync(join(folder, file), SERVICE);
  const tsconfig = join(folder, `${files.join('-')}.tsconfig.json`);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2022', types: ['node'], skipLibCheck: true },
    ...options,
  };
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files }));
  const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', tsconfig], { encoding: 'utf8' }).stdout;
}

test.each([
  ['an ES module and a CommonJS module compile', ['service.mts', 'service.cts'], { module: 'nodenext' }],
  [
    'resolution that knows no exports compiles',
    ['service.ts'],
    { module: 'commonjs', moduleResolution: 'node10' },
  ],
])('its types: %s', (_name, files, options) => {
  expect(compile(files, options)).toBe('');
});

test.each([
  ['import', 'service.mjs', `import ${NAMES} from 'giro/client'; ${SHOWS}`],
  ['require', 'service.cjs', `const ${NAMES} = require('giro/client'); ${SHOWS}`],
])('%s finds it', (_name, file, text) => {
  writeFileSync(join(folder, file), text);
  const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  expect([stdout.trim(), stderr]).toEqual([SHOWN, '']);
});

test('it loads neither the worker nor an HTTP client, and nothing but the entry can be reached', () => {
  const text = `
    require('giro/client');
    const loaded = Object.keys(require.cache);
    const has = (name) => loaded.some((file) => file.includes('/node_modules/' + name + '/'));
    let inner = 'open';
    try { require('giro/dist/src/context.js'); } catch (error) { inner = error.code; }
    console.log(has('@temporalio/client'), has('@temporalio/worker'), has('axios'), has('fastify'), inner);`;
  writeFileSync(join(folder, 'loads.cjs'), text);
  const { stdout } = spawnSync(process.execPath, ['loads.cjs'], { cwd: folder, encoding: 'utf8' });
  expect(stdout.trim()).toBe('true false false false ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('the program in it starts', () => {
  const program = join(installed, 'dist/src/starter.js');
  const { stdout, stderr } = spawnSync(process.execPath, [program, '--version'], { encoding: 'utf8' });
  expect([stdout.trim(), stderr]).toEqual([manifest.version, '']);
});

test('its workflow bundle is in ASCII, names lines of the sources, and brings no sources along', () => {
  const code = readFileSync(join(installed, 'dist/workflow-bundle.js'), 'utf8');
  expect(code).not.toMatch(/[^\x00-\x7f]/);
  const [, encoded = ''] = /\/\/# sourceMappingURL=data:[^,]*;base64,(\S+)\s*$/.exec(code) ?? [];
  const payload = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload;
  expect(payload).not.toHaveProperty('sourcesContent');
  const source = './src/workflows/transfer.ts';
  const lineOf = (text: string) =>
    text.split('\n').findIndex((line) => line.includes('function keepScopesShielded('));
  expect(new SourceMap(payload).findEntry(lineOf(code), 0)).toMatchObject({
    originalSource: source,
    originalLine: lineOf(readFileSync(join(packageRoot, source), 'utf8')),
  });
});

test('it has what a user reads and what the licences demand, and nothing of the tests', () => {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const folders = new Set(files.map((file) => file.split('/').slice(1, 3).join('/')));
  for (const file of [
    'README.md',
    'CHANGELOG.md',
    'docs/guide.md',
    'docs/schemas',
    'dist/workflow-bundle.js',
  ])
    expect(folders).toContain(file);
  expect(
    [...folders].filter((it) => /^(test|dev|\.)/.test(it) || it === 'dist/dev' || it === 'ops/compose'),
  ).toEqual([]);
  expect(new Set([...folders].filter((it) => it.startsWith('bench/')))).toEqual(
    new Set(['bench/README.md', 'bench/results']),
  );
  const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of declared) expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(notices).not.toMatch(/^jest \d/m);
  // A package without a licence text has the standard text of the licence that it declares; compiled crates are named.
  for (const without of notices
    .split('\n')
    .filter((line) => line.startsWith('The package brings no licence')))
    expect(without).toMatch(
      /It declares (MIT|Apache-2\.0), whose standard text is at the end\. Its author: /,
    );
  for (const spdx of ['MIT', 'Apache-2.0']) expect(notices).toContain(`\nStandard text of ${spdx}, `);
  expect(notices).toMatch(/Cargo\.lock names the crates below[^\n]*\n\nadler2 \d.* tokio \d/);
});

test('every link of a page in it leads to a file in it', () => {
  const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((it) =>
    it.endsWith('.md'),
  );
  expect(pages).toContain('README.md');
  const broken = pages.flatMap((page) =>
    linksIn(readFileSync(join(installed, page), 'utf8'))
      .map((link) => link.split('#')[0] ?? '')
      .filter((link) => !existsSync(join(installed, dirname(page), link)))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

(hasRegistry ? test : test.skip)(
  'npm installs it into an empty project, where it is imported and run (skipped without a registry)',
  () => {
    const project = join(folder, 'empty-project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    const inProject = (command: string, args: readonly string[]) =>
      execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    inProject('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball]);
    writeFileSync(join(project, 'service.mjs'), `import ${NAMES} from 'giro/client'; ${SHOWS}`);
    expect(inProject(process.execPath, ['service.mjs']).trim()).toBe(SHOWN);
    expect(inProject('npx', ['--no-install', 'giro', '--help'])).toContain('Usage: giro');
  },
  INSTALL_TIMEOUT_MS,
);

/** Two copies of the engine's client in one program are two types, and two classes of each error. */
test('the engine’s client is the service’s own', () => {
  for (const name of ['@temporalio/client', '@temporalio/common']) {
    expect(manifest.peerDependencies).toHaveProperty([name]);
    expect(manifest.dependencies).not.toHaveProperty([name]);
    const range = manifest.peerDependencies[name]!;
    expect(textOfPage('docs/client.md')).toContain(`\`${name}@${range}\``);
    const { version } = JSON.parse(
      readFileSync(join(packageRoot, 'node_modules', name, 'package.json'), 'utf8'),
    ) as Pick<Manifest, 'version'>;
    expect(version.startsWith(range.replace(/^~(\d+\.\d+\.)\d+$/, '$1'))).toBe(true);
  }
});
