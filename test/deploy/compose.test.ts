import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { DYNAMIC_CONFIG } from '../../dev/temporal-server';
import { packageRoot } from '../../dev/package-root';
import {
  SERVICES_OF_A_SERVER,
  sqlToolEnvironment,
  temporalEnvironment,
} from '../../dev/topology/temporal-environment';
import { loadSettings } from '../../src/config/settings';
import type { Need } from '../../src/config/settings';
import { VARIABLES } from '../../src/config/variables';
import { processIo } from '../../src/program/io';
import { makeClientCertificate } from '../../src/sandbox-bank';
import { POOL_MAX_DEFAULT } from '../../src/journal/database';
import { giroProgram } from '../../src/starter';
import { giro } from '../commands/support/memory-io';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly secrets?: readonly (string | { readonly source: string })[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: unknown;
  readonly user?: string;
  readonly group_add?: readonly string[];
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const SECRETS = 'ops/compose/secrets/';
const compose = parse(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === 'giro:local');
/** Variables of the image, not of Giro. */
const OF_THE_IMAGE = ['HEALTH_URL'];

let folder: string;
let made: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'giro-compose-'));
  makeSecrets();
  made = mkdtempSync(join(tmpdir(), 'giro-compose-made-'));
  writeFileSync(join(made, 'ca.pem'), (await makeClientCertificate()).caPem);
  const command = compose.services['keys']?.command ?? [];
  const keygen = () => giro(command.map((word) => word.replace(/=\/\w+\//, `=${made}/`)));
  expect(await keygen()).toMatchObject({ code: 0 });
  const before = readdirSync(made).map((file) => readFileSync(join(made, file), 'utf8'));
  // Each start of the whole runs it again.
  expect(await keygen()).toMatchObject({ code: 0 });
  expect(readdirSync(made).map((file) => readFileSync(join(made, file), 'utf8'))).toEqual(before);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(made, { recursive: true });
});

const makeSecrets = () => execFileSync(join(packageRoot, 'ops/compose/make-secrets.sh'), [folder]);
const secretsNow = () =>
  readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);

it('has every part of Giro, two workers, and what watches them', () => {
  expect(Object.keys(compose.services).sort()).toEqual([
    'alertmanager',
    'client',
    'codec-gateway',
    'codec-server',
    'grafana',
    'keys',
    'operator',
    'postgres',
    'prometheus',
    'receiver',
    'sandbox-bank',
    'setup',
    'temporal',
    'temporal-namespace',
    'temporal-schema',
    'temporal-ui',
    'worker',
  ]);
  expect(compose.services['worker']).toMatchObject({ deploy: { replicas: 2 } });
});

/** What Compose knows of a service and is used here: it refuses a name that it does not know. */
const KEYS =
  'build cap_add cap_drop command depends_on deploy entrypoint env_file environment group_add healthcheck image network_mode ' +
  'networks ports profiles read_only restart secrets security_opt stop_grace_period tmpfs user volumes';

it.each(services)('%s: only names that Compose has', (_name, service) => {
  expect(Object.keys(service).filter((key) => !KEYS.split(' ').includes(key))).toEqual([]);
});

it.each(services)('%s: pinned to a version, published on loopback only', (_name, { image, ports = [] }) => {
  expect(image).toMatch(/:(local|v?\d+\.\d+)/);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

it.each(services)(
  '%s: waits for services that exist, and for health only where it is checked',
  (_name, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(compose.services)).toContain(name);
      if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck).toBeDefined();
    }
  },
);

it.each(services)('%s: mounts volumes and files that are there', (_name, { volumes = [] }) => {
  for (const source of volumes.map((volume) => volume.split(':')[0] ?? '')) {
    if (source.startsWith('./'))
      expect(`${source} ${String(existsSync(join(packageRoot, source)))}`).toBe(`${source} true`);
    else expect(compose.volumes).toHaveProperty(source);
  }
});

it.each(services)('%s: its secrets are made by the script, and the file has none', (name, service) => {
  const files = (service.env_file ?? []).map((file) => file.replace(SECRETS, ''));
  const mounted = (service.secrets ?? []).map((secret) =>
    typeof secret === 'string' ? secret : secret.source,
  );
  for (const secret of mounted)
    files.push((compose.secrets[secret]?.file ?? 'not declared').replace(SECRETS, ''));
  for (const file of files) expect(readdirSync(folder)).toContain(file);
  const inClear = Object.keys(service.environment ?? {}).filter((variable) =>
    /(PASSWORD|PWD|SECRET|TOKEN|KEY)$/.test(variable),
  );
  expect(`${name}: ${inClear.join()}`).toBe(`${name}: `);
});

describe('networks', () => {
  const networksOf = (name: string) => compose.services[name]?.networks ?? [];
  /** Whom a service may talk to: whoever shares a network with it. */
  const neighbours = (name: string) =>
    services
      .filter(
        ([other, { networks = [] }]) =>
          other !== name && networks.some((one) => networksOf(name).includes(one)),
      )
      .map(([other]) => other)
      .sort();

  it('each service names its own, so that none is in the default one with all others', () => {
    const used = services.flatMap(([name, { networks = [], network_mode }]) => {
      expect([name, networks.length > 0]).toEqual([name, network_mode !== 'none']);
      return networks;
    });
    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.networks).sort());
  });

  it.each([
    ['receiver', ['postgres', 'prometheus']],
    ['codec-server', ['codec-gateway']],
    ['codec-gateway', ['codec-server']],
    ['sandbox-bank', ['worker']],
    ['prometheus', ['alertmanager', 'grafana', 'receiver', 'worker']],
    ['alertmanager', ['grafana', 'prometheus']],
    [
      'temporal',
      [
        'client',
        'operator',
        'postgres',
        'setup',
        'temporal-namespace',
        'temporal-schema',
        'temporal-ui',
        'worker',
      ],
    ],
  ])('%s talks to %p alone', (name, others) => {
    expect(neighbours(name)).toEqual(others);
  });

  it('the receiver shares none with Temporal, which asks nobody who he is', () => {
    expect(networksOf('receiver').filter((one) => networksOf('temporal').includes(one))).toEqual([]);
  });

  it('the codec server has no way out, and every published port a network that has one', () => {
    const ways = (name: string) => networksOf(name).filter((one) => compose.networks[one]?.internal !== true);
    expect(ways('codec-server')).toEqual([]);
    for (const [name, { ports = [] }] of services)
      if (ports.length > 0) expect([name, ways(name).length > 0]).toEqual([name, true]);
  });

  it('each service shares one with those it waits for', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on))
        if (condition !== 'service_completed_successfully')
          expect([name, neighbours(name)]).toEqual([name, expect.arrayContaining([other])]);
  });
});

it('secrets are closed to others: who mounts some is in their group', () => {
  const modes = readdirSync(folder).map((name) => [
    name,
    (statSync(join(folder, name)).mode & 0o777).toString(8),
  ]);
  expect(modes).toEqual(modes.map(([name = '']) => [name, name.endsWith('.env') ? '600' : '640']));
  const group = '${SECRETS_GID:-1000}';
  for (const [name, { secrets = [], group_add }] of services)
    expect([name, group_add]).toEqual([name, secrets.length > 0 ? [group] : group_add]);
});

/** A file mounted alone stays the one that it was: `mv` of another over it is not seen in a container. */
it('docs/deployment.md says how to change a secret that is mounted alone', () => {
  const page = readFileSync(join(packageRoot, 'docs/deployment.md'), 'utf8');
  const [, file = ''] = /`cat \S+ > (ops\/compose\/secrets\/[\w-]+)`/.exec(page) ?? [];
  expect(Object.values(compose.secrets)).toContainEqual({ file });
});

it('secrets are made once: a second run changes none, and others cannot enter their folder', () => {
  const before = secretsNow();
  makeSecrets();
  expect(secretsNow()).toEqual(before);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

describe('the script that makes the secrets', () => {
  const tools = ['dirname', 'mkdir', 'chmod', 'find', 'cat', 'mv', 'tr', 'od', 'head', 'chgrp', 'id'];
  /** Runs a copy of `ops` checked out under `umask`, with no other programs than `programs`. */
  const run = (programs: readonly string[], umask: string, env: Readonly<Record<string, string>> = {}) => {
    const copy = mkdtempSync(join(tmpdir(), 'giro-ops-'));
    const bin = join(copy, 'bin');
    mkdirSync(bin);
    for (const name of programs) {
      const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(path, join(bin, name));
    }
    execFileSync('sh', ['-c', `umask ${umask}; cp -R "$1" "$2"`, 'sh', join(packageRoot, 'ops'), copy]);
    rmSync(join(copy, 'ops/compose/secrets'), { recursive: true, force: true });
    const { status, stderr } = spawnSync('/bin/sh', [join(copy, 'ops/compose/make-secrets.sh')], {
      env: { PATH: bin, ...env },
      encoding: 'utf8',
    });
    return { status, stderr, copy, made: join(copy, 'ops/compose/secrets') };
  };
  const copies: string[] = [];
  const ran = (...args: Parameters<typeof run>) => {
    const result = run(...args);
    copies.push(result.copy);
    return result;
  };
  afterAll(() => {
    for (const copy of copies) rmSync(copy, { recursive: true });
  });

  it('needs nothing but what every system has', () => {
    const { status, stderr, made } = ran(tools, '022');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const words = readdirSync(made)
      .filter((name) => !name.includes('.') && !name.endsWith('-authorization'))
      .map((name) => readFileSync(join(made, name), 'utf8'));
    expect(words).toHaveLength(12);
    for (const word of words) expect(word).toMatch(/^[0-9a-f]{48}\n$/);
    expect(new Set(words).size).toBe(12);
  });

  it.each(['head', 'od', 'tr'])('without %s it fails, and leaves no empty secret', (missing) => {
    const { status, stderr, made } = ran(
      tools.filter((name) => name !== missing),
      '022',
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('no random bytes');
    for (const name of readdirSync(made)) expect(readFileSync(join(made, name), 'utf8')).not.toBe('');
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? it : it.skip)(
    'gives the files to the group that it is told, by default 1000 (needs root)',
    () => {
      const groups = (made: string) => [
        ...new Set(readdirSync(made).map((name) => statSync(join(made, name)).gid)),
      ];
      expect(groups(ran(tools, '022').made)).toEqual([1000]);
      expect(groups(ran(tools, '077', { SECRETS_GID: '4711' }).made)).toEqual([4711]);
    },
  );

  it('makes them here, not in a folder of the same name elsewhere', () => {
    const { copy } = ran(tools, '022');
    const { copy: elsewhere, made } = ran(tools, '022');
    rmSync(join(copy, 'ops/compose/secrets'), { recursive: true });
    rmSync(join(made, 'bank-token'));
    const program = 'ops/compose/make-secrets.sh';
    execFileSync(program, { cwd: copy, env: { ...process.env, CDPATH: elsewhere } });
    expect(existsSync(join(copy, 'ops/compose/secrets/bank-token'))).toBe(true);
    expect(existsSync(join(made, 'bank-token'))).toBe(false);
  });

  it('says what to do when files may not be given to that group', () => {
    const { status, stderr } = ran(
      tools.filter((name) => name !== 'chgrp'),
      '022',
    );
    expect(status).toBe(1);
    expect(stderr).toContain('export SECRETS_GID=');
  });

  it('lets containers read what they mount, whatever the umask of the checkout was', () => {
    const { copy } = ran(tools, '077');
    const mounted = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .flatMap((volume) => (volume.startsWith('./') ? [volume.split(':')[0]!] : []));
    expect(mounted).toContain('./ops/prometheus');
    for (const path of mounted) {
      const below = execFileSync('find', [join(copy, path), '!', '-perm', '-a=r'], { encoding: 'utf8' });
      expect(below).toBe('');
      const closed = execFileSync('find', [join(copy, path), '-type', 'd', '!', '-perm', '-a=x'], {
        encoding: 'utf8',
      });
      expect(closed).toBe('');
    }
    expect(statSync(join(copy, 'ops/compose/secrets')).mode & 0o777).toBe(0o700);
  });
});

it.each(ours)('%s: read-only and without capabilities; root only where it says why', (name, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  expect(service.user).toBe(name === 'sandbox-bank' ? 'root' : undefined);
});

it.each(['signed-orders', 'signed-decisions'])('%s.yaml: optional, for services that there are', (name) => {
  const file = `ops/compose/${name}.yaml`;
  const override = parse(readFileSync(join(packageRoot, file), 'utf8')) as Pick<Compose, 'services'>;
  const known = VARIABLES.map((variable) => variable.name);
  expect(Object.keys(override.services)).toEqual(['worker', 'operator']);
  for (const [service, { environment = {}, volumes, ...rest }] of Object.entries(override.services)) {
    expect(compose.services).toHaveProperty(service);
    expect(rest).toEqual({});
    expect(volumes).toEqual(['./ops/compose/signers:/signers:ro']);
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    for (const value of Object.values(environment)) expect(value).toMatch(/^$|^\/signers\//);
  }
  // One of both: a worker takes no DECIDERS beside its DECIDERS_FILE.
  const { DECIDERS_FILE, DECIDERS } = override.services['worker']?.environment ?? {};
  expect(DECIDERS_FILE === undefined ? DECIDERS : DECIDERS === '').toBe(
    DECIDERS_FILE === undefined ? undefined : true,
  );
  expect(readFileSync(join(packageRoot, 'docs', 'signatures.md'), 'utf8')).toContain(file);
});

it.each(ours)('%s: sets only variables that Giro has', (_name, { environment = {} }) => {
  const known = [...VARIABLES.map(({ name }) => name), ...OF_THE_IMAGE];
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
});

it('each process has its own login', () => {
  const logins = ours.flatMap(([, { env_file: files = [] }]) => files);
  expect(logins.map((file) => file.replace(SECRETS, '')).sort()).toEqual(
    ['client', 'operator', 'owner', 'receiver', 'worker'].map((name) => `giro-${name}.env`),
  );
});

it('who drains gets more time for it than the 10 s of the engine', () => {
  const grace = (name: string) => compose.services[name]?.stop_grace_period;
  expect([grace('worker'), grace('receiver')]).toEqual(['90s', '30s']);
});

it('two operators may decide what takes two', () => {
  const { environment = {} } = compose.services['worker'] ?? {};
  expect(environment['DECIDERS']?.split(',')).toHaveLength(2);
});

const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  setup: ['temporal', 'journal'],
  worker: ['temporal', 'journal', 'bank', 'orderLimits', 'transferSettings', 'verifications', 'worker'],
  receiver: ['inbox', 'receiver'],
  operator: ['temporal', 'journal'],
  client: ['temporal', 'journal'],
  'codec-server': ['codecServer'],
};

it.each(Object.entries(NEEDS))(
  '%s: its settings are taken, with the secrets that were made',
  (name, needs) => {
    const service = compose.services[name];
    const env = { ...service?.environment, ...envOf(service?.env_file ?? []) };
    const here = Object.entries(env).map(([variable, value]) => [variable, inFolder(value)]);
    const problems = () => loadSettings(Object.fromEntries(here) as Record<string, string>, needs);
    expect(problems).not.toThrow();
  },
);

/** Mounted secrets where the script has put them, and what containers make when they start, as made here. */
function inFolder(value: string): string {
  const secret = value.replace('/run/secrets/', '');
  if (/^\/(bank|keys|seal)\//.test(value)) return join(made, basename(value));
  return value.startsWith('/run/secrets/')
    ? join(folder, compose.secrets[secret]!.file.replace(SECRETS, ''))
    : value;
}

function envOf(files: readonly string[]): Record<string, string> {
  const text = files.map((file) => readFileSync(join(folder, file.replace(SECRETS, '')), 'utf8')).join('\n');
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, variable = '', value = '']) => [variable, value]),
  );
}

it.each(ours)('%s: its command and every option of it exist', (_name, { command = [] }) => {
  let found: Command = giroProgram({ io: processIo(), end: () => undefined });
  const words = command.filter((word) => !word.startsWith('--'));
  for (const word of words) {
    const next = found.commands.find((one) => one.name() === word);
    expect([word, next?.name()]).toEqual([word, word]);
    found = next ?? found;
  }
  const known = found.options.map(({ long }) => long);
  for (const option of command.slice(words.length)) expect(known).toContain(option.split('=')[0]);
});

describe('the Temporal server', () => {
  const toldTo = (name: string) => ({
    ...compose.services[name]?.environment,
    ...envOf(compose.services[name]?.env_file ?? []),
  });
  const login = () => ({
    ...{ host: 'postgres', port: 5432, user: 'temporal' },
    password: readFileSync(join(folder, 'temporal-password'), 'utf8').trim(),
  });
  const connections = { store: 20, visibility: 10 };

  /** `npm run topology` starts the very server with the same names: what it does not read has no effect. */
  it('has the settings of the topology', () => {
    const told = temporalEnvironment({
      ...login(),
      ...{ shards: 512, connections, bindOnIp: '0.0.0.0' },
      dynamicConfigFile: '/etc/temporal/dynamic/temporal-dynamic.yaml',
    });
    expect(toldTo('temporal')).toEqual({ ...told, SQL_PASSWORD: login().password });
    expect(toldTo('temporal-schema')).toEqual({
      ...sqlToolEnvironment(login()),
      POSTGRES_PWD: login().password,
    });
  });

  it('has the file it does not start without, with the settings of the servers of the tests', () => {
    const { environment = {}, volumes = [] } = compose.services['temporal']!;
    const mounted = volumes
      .map((volume) => volume.split(':'))
      .find(([, target]) => target === environment['DYNAMIC_CONFIG_FILE_PATH']);
    expect(mounted?.[2]).toBe('ro');
    const settings = parse(readFileSync(join(packageRoot, mounted?.[0] ?? 'none'), 'utf8')) as object;
    expect(Object.keys(settings)).not.toHaveLength(0);
    for (const [name, values] of Object.entries(settings))
      expect({ [name]: values }).toEqual({ [name]: [{ value: DYNAMIC_CONFIG[name] }] });
  });

  it('leaves PostgreSQL connections for Giro', () => {
    const text = compose.services['postgres']?.command?.join(' ') ?? '';
    const allowed = Number(/max_connections=(\d+)/.exec(text)?.[1]);
    const temporal = SERVICES_OF_A_SERVER * (connections.store + connections.visibility);
    const processes = 2 + (compose.services['worker']?.deploy?.replicas ?? 0);
    const reserved = 3;
    expect(temporal + processes * POOL_MAX_DEFAULT + reserved).toBeLessThanOrEqual(allowed);
  });
});
