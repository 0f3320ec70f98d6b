import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../dev/package-root';
import { VARIABLES } from '../../src/config/variables';
import { main } from '../../src/starter';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const compose = parse(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === 'giro:local');

it('has PostgreSQL, Temporal on it, its UI, a bank and a worker', () => {
  expect(Object.keys(compose.services)).toEqual(
    expect.arrayContaining(['postgres', 'temporal', 'temporal-ui', 'sandbox-bank', 'setup', 'worker']),
  );
});

it.each(services)('%s: pinned to a version, published on loopback only', (_name, { image, ports = [] }) => {
  expect(image).toMatch(/:(local|\d+\.\d+)/);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

it.each(services)(
  '%s: waits for services that exist, and for health only where it is checked',
  (_name, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(compose.services)).toContain(name);
      if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck).toBeDefined();
    }
    for (const volume of service.volumes ?? [])
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
  },
);

it.each(ours)('%s: sets only variables that Giro has', (_name, { environment = {} }) => {
  expect(Object.keys(environment).filter((name) => !(name in VARIABLES))).toEqual([]);
});

it.each(ours)('%s: its command and every option of it exist', async (_name, { command = [] }) => {
  const [name = '', ...rest] = command;
  let help = '';
  const io = {
    stdout: { write: (text: string) => (help += text) },
    stderr: { write: (text: string) => (help += text) },
  } as unknown as Parameters<typeof main>[1];
  expect(await main([name, '--help'], io)).toBe(0);
  for (const option of rest.filter((word) => word.startsWith('--'))) expect(help).toContain(option);
});
