import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { parse } from 'yaml';
import { lastingPort } from '../../dev/free-port';
import { packageRoot } from '../../dev/package-root';
import { until } from '../../dev/giro-environment';
import { startCodecServer } from '../../src/codec-server/start';
import { fromWire, toWire } from '../../src/codec-server/wire';
import { createPayloadCodec } from '../../src/codec/payload-codec';
import { createLogger } from '../../src/telemetry/logger';
import { freshKeyRing } from '../codec/key-rings';

/** The gateway of docker-compose.yml, which lets the Temporal UI ask the codec server without a token of its own. */
interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
}
const { services, secrets } = parse(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as {
  readonly services: Readonly<Record<'codec-gateway' | 'codec-server' | 'temporal-ui', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const CONF = 'ops/compose/codec-gateway.conf';
const conf = readFileSync(join(packageRoot, CONF), 'utf8');
const UI = 'http://127.0.0.1:8233';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-gateway-'));
  execFileSync(join(packageRoot, 'ops/compose/make-secrets.sh'), [join(folder, 'secrets')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');

it('the UI asks the gateway, and nobody from outside the codec server itself', () => {
  const { ports = [], volumes = [] } = services['codec-gateway'];
  expect(ports).toEqual(['127.0.0.1:8088:8088']);
  expect(services['temporal-ui'].environment?.['TEMPORAL_CODEC_ENDPOINT']).toBe('http://127.0.0.1:8088');
  expect(services['codec-server'].ports).toBeUndefined();
  expect(volumes).toEqual([`./${CONF}:/etc/nginx/codec-gateway.conf:ro`]);
  const [, upstream, port] = /set \$codec ([a-z-]+):(\d+);/.exec(conf) ?? [];
  // Looked up while it runs, not once at its start.
  expect(conf).toMatch(/resolver 127\.0\.0\.11 valid=\d+s/);
  expect(conf).toMatch(/proxy_pass http:\/\/\$codec;/);
  expect(Object.keys(services)).toContain(upstream);
  expect(services['codec-server'].environment).toMatchObject({
    CODEC_SERVER_ADDRESS: `0.0.0.0:${String(port)}`,
    CODEC_SERVER_TRUSTED_HOPS: '1',
  });
});

it('the token comes from a mounted secret, and is that of the codec server', () => {
  const included = [...conf.matchAll(/include \/run\/secrets\/([a-z-]+);/g)].map(([, name = '']) => name);
  expect(services['codec-gateway'].secrets).toEqual(included);
  for (const name of included) expect(secrets[name]?.file).toBe(`ops/compose/secrets/${name}`);
  const token = secret('codec-server-token').trim();
  expect(included.map(secret)).toEqual([`proxy_set_header Authorization "Bearer ${token}";\n`]);
  expect(conf).not.toMatch(/Bearer [^…]/);
});

it('the gateway cannot encrypt: it answers 404 for /encode, and the codec server has no /encode token', () => {
  expect(conf).toMatch(/location ~ \/encode\$ {\s*return 404;\s*}/);
  const { environment = {} } = services['codec-server'];
  expect(Object.keys(environment)).not.toContain('CODEC_SERVER_ENCODE_TOKEN_FILE');
  expect(Object.keys(secrets).filter((name) => name.includes('encode'))).toEqual([]);
});

/** nginx is no part of the development packages; `NGINX_PATH` may name one. */
const nginx = process.env['NGINX_PATH'] ?? 'nginx';
const hasNginx = spawnSync(nginx, ['-v']).status === 0;

(hasNginx ? it : it.skip)(
  'through it a page of the UI reads a payload, and no other page does (needs nginx)',
  async () => {
    const keyRing = freshKeyRing('k1');
    const lines: Record<string, unknown>[] = [];
    const server = await startCodecServer({
      ...{ host: '127.0.0.1', port: 0, keyRing, token: secret('codec-server-token').trim(), origins: [UI] },
      ...{ namespaces: ['payments'], encodeToken: 'e'.repeat(48) },
      ...{ namespace: 'default', requestsPerMinute: 600, trustedHops: 1, operatorHeader: null },
      logger: createLogger({
        level: 'info',
        destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
      }),
    });
    const port = await lastingPort();
    // The file as it is, but for the places of this machine: upstream, port, secret, folder of what it writes.
    const here = conf
      .replaceAll(' /tmp/', ` ${join(folder, 'tmp')}/`)
      .replace('codec-server:8088', server.address)
      .replace('listen 8088', `listen 127.0.0.1:${port}`)
      .replaceAll('/run/secrets/', `${join(folder, 'secrets')}/`);
    mkdirSync(join(folder, 'tmp'), { mode: 0o777 });
    writeFileSync(join(folder, 'nginx.conf'), here);
    const gateway = spawn(
      nginx,
      ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'],
      // nginx logs to /dev/stderr. In the test runner that is a socket, which nginx cannot open, so it gets a file.
      { stdio: ['ignore', 'ignore', openSync(join(folder, 'nginx.log'), 'w')] },
    );
    const ended = once(gateway, 'exit');
    try {
      const url = `http://127.0.0.1:${port}`;
      await until(
        () => fetch(`${url}/healthz`).then(({ status }) => status),
        (status) => status === 200,
      );
      const [sealed] = await createPayloadCodec(keyRing, 'payments').encode([
        defaultPayloadConverter.toPayload('canary'),
      ]);
      const ask = (origin: string, method: string, turn = 'decode') =>
        fetch(`${url}/${turn}`, {
          method,
          headers: {
            origin,
            'content-type': 'application/json',
            'x-namespace': 'payments',
            'access-control-request-method': 'POST',
          },
          ...(method === 'POST' ? { body: JSON.stringify({ payloads: [toWire(sealed ?? {})] }) } : {}),
        });
      const preflight = await ask(UI, 'OPTIONS');
      expect([preflight.status, preflight.headers.get('access-control-allow-credentials')]).toEqual([
        ...[204, 'true'],
      ]);
      const answer = await ask(UI, 'POST');
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, UI]);
      const { payloads } = (await answer.json()) as { payloads: ReturnType<typeof toWire>[] };
      expect(defaultPayloadConverter.fromPayload(fromWire(payloads[0] ?? {}))).toBe('canary');
      expect((await ask(UI, 'POST', 'encode')).status).toBe(404);
      expect((await ask('http://evil.example', 'POST')).status).toBe(403);
      expect(lines).toMatchObject([
        { status: 200, remote: '127.0.0.1', origin: UI, namespace: 'payments', payloads: 1 },
        { status: 403, why: 'origin' },
      ]);
    } finally {
      gateway.kill('SIGTERM');
      await ended;
      await server.close();
    }
  },
);
