import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../../dev/package-root';
import { paymentsApp } from '../../examples/fastify-service/app';
import { nextOriginId, orderOf, useEnvironment } from '../e2e/environment';
import { validate } from '../schemas/validate';
import { testServers } from '../support/servers';

/** The programs of `examples`, run against real servers. What needs a toolchain that is not here is left out. */
const environment = useEnvironment({
  rules: [{ match: { description: 'at once' }, states: ['COMPLETED'] }],
});
const EXAMPLES = join(packageRoot, 'examples');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-examples-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function orderFile(originId: number, change: object = {}): string {
  const file = join(folder, `${originId}.json`);
  writeFileSync(file, JSON.stringify({ ...orderOf(originId, 'at once'), ...change }));
  return file;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: string, args: readonly string[], cwd = folder): Promise<Ended> {
  const { temporalAddress, temporalHttpUrl } = testServers();
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_HTTP: temporalHttpUrl,
    GIRO_TASK_QUEUE: environment().taskQueue,
  };
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, { env, cwd })) };
  } catch (error) {
    return error as Ended;
  }
}

const works = (command: string, args: readonly string[]) => spawnSync(command, args).status === 0;

describe('a fastify service', () => {
  let app: FastifyInstance;
  beforeAll(() => {
    app = paymentsApp(environment().env.giro);
  });
  afterAll(() => app.close());

  test('starts a payment once, and reports its state', async () => {
    const originId = nextOriginId();
    const post = (payload: object) => app.inject({ method: 'POST', url: '/payments', payload });
    const first = await post(orderOf(originId, 'at once'));
    expect([first.statusCode, first.headers['location'], first.json()]).toEqual([
      202,
      `/payments/${originId}`,
      { originId },
    ]);
    await environment().env.giro.waitForTransfer(originId);
    expect((await post(orderOf(originId, 'at once'))).statusCode).toBe(200);
    const state = await app.inject(`/payments/${originId}`);
    expect(state.json()).toMatchObject({ originId, phase: 'ended', bankStatus: 'COMPLETED' });
    expect(validate('transfer-state', state.json())).toBeNull();

    const other = await post(orderOf(originId, 'at once', '2.00'));
    expect([other.statusCode, other.json()]).toEqual([409, { error: 'originId is taken' }]);
  });

  test('reports what is wrong, without values', async () => {
    const order = orderOf(nextOriginId(), 'at once', '-1');
    const refused = await app.inject({ method: 'POST', url: '/payments', payload: order });
    expect([refused.statusCode, refused.json()]).toEqual([
      422,
      { issues: [{ path: 'body.amount', rule: 'must be greater than zero' }] },
    ]);
    expect((await app.inject(`/payments/${nextOriginId()}`)).statusCode).toBe(404);
    expect((await app.inject('/payments/none')).statusCode).toBe(404);
  });
});

const PROGRAMS = [
  {
    name: 'curl, by the HTTP API',
    isThere: () => ['curl', 'jq'].every((tool) => works(tool, ['--version'])),
    command: (file: string) => run(join(EXAMPLES, 'curl/start-transfer.sh'), [file]),
  },
  {
    name: 'Python',
    isThere: () => works('python3', ['-c', 'import temporalio.client']),
    command: (file: string) => run('python3', ['-B', join(EXAMPLES, 'python/start_transfer.py'), file]),
  },
  {
    // Building it for the first time takes minutes.
    name: 'Go (GIRO_TRY_GO=1)',
    isThere: () => process.env['GIRO_TRY_GO'] === '1',
    command: (file: string) => run('go', ['run', '.', file], join(EXAMPLES, 'go')),
  },
];

for (const { name, isThere, command } of PROGRAMS) {
  (isThere() ? test : test.skip)(
    `${name}: starts it, waits; again; another order; a refused one`,
    async () => {
      const originId = nextOriginId();
      const file = orderFile(originId);
      for (const _ of ['once', 'again']) {
        const { code, stdout, stderr } = await command(file);
        expect([code, stderr]).toEqual([0, '']);
        const result: unknown = JSON.parse(stdout);
        expect(result).toMatchObject({ status: 'COMPLETED' });
        expect(validate('transfer-result', result)).toBeNull();
      }
      // Another order under the same originId: the result that is there is not its own.
      const { body } = orderOf(originId, 'at once', '2.00');
      const other = await command(orderFile(originId, { body }));
      expect([other.stdout, other.stderr]).toEqual(['', expect.stringContaining('OriginIdConflict: ')]);
      const refused = await command(orderFile(nextOriginId(), { priority: 1 }));
      expect([refused.stdout, refused.stderr]).toEqual([
        '',
        expect.stringContaining('InvalidTransferOrder: '),
      ]);
      // `go run` ends with 1 whatever the program's own code is.
      const expected = name.startsWith('Go') ? 1 : 2;
      expect([other.code, refused.code]).toEqual([expected, expected]);
    },
  );
}

test('events are of their schema', async () => {
  const events = await environment().env.giro.events();
  expect(events.length).toBeGreaterThan(1);
  for (const event of events) expect(validate('event', event)).toBeNull();
});
