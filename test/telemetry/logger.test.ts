import { createLogger } from '../../src/telemetry/logger';
import type { LoggerOptions } from '../../src/telemetry/logger';

const CBU = '9990001800000000000017';
const CUIT = '30714979732';

/** Every one of these must never be seen in a line, wherever it was put. */
const BY_PATTERN = {
  cbu: CBU,
  cuit: CUIT,
  bearer: 'Bearer canary-bearer',
  url: 'postgres://giro:canary-password@db/giro',
  pem: '-----BEGIN PRIVATE KEY-----\ncanary-pem\n-----END PRIVATE KEY-----',
};
const LEAKS = [CBU, CUIT, 'canary'];

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'trace', destination, ...options });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  return { log, lines, last };
}

function expectNoLeak(lines: readonly string[]): void {
  expect(lines.length).toBeGreaterThan(0);
  for (const leak of LEAKS) expect(lines.join('')).not.toContain(leak);
}

test('one JSON object a line, with level, time, pid and msg', () => {
  const { log, lines, last } = capture();
  log.info('ready');
  log.warn({ originId: 4711, nested: { a: [1, 'two', null, true] } }, 'line one\nline two');
  expect(lines.map((line) => line.split('\n').length)).toEqual([2, 2]);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    pid: process.pid,
    msg: 'ready',
  });
  expect(last()).toMatchObject({
    level: 'warn',
    originId: 4711,
    nested: { a: [1, 'two', null, true] },
    msg: 'line one\nline two',
  });
});

test('the level filters, and may be silent', () => {
  const { log, lines } = capture({ level: 'warn' });
  log.info('no');
  log.warn('yes');
  const silent = capture({ level: 'silent' });
  silent.log.fatal('no');
  expect([lines.length, silent.lines.length]).toEqual([1, 0]);
});

test('pretty text for people, redacted too', () => {
  const { log, lines } = capture({ pretty: true });
  log.info({ originId: 4711, account: CBU }, 'ready');
  expect(lines.join('')).toMatch(/INFO.*ready/);
  expect(lines.join('')).toContain('4711');
  expectNoLeak(lines);
});

describe.each(Object.entries(BY_PATTERN))('a value that looks like %s is redacted', (_, value) => {
  const { log, lines, last } = capture();

  test.each<[string, () => void]>([
    ['as the message', () => log.info(value)],
    ['inside the message', () => log.info(`before ${value} after`)],
    ['filled into the message', () => log.info('before %s after', value)],
    ['filled in as an object', () => log.info('before %j %o', { x: value }, [value])],
    ['beyond the placeholders', () => log.info(...(['before', value] as unknown as [string]))],
    ['in a field', () => log.info({ field: value }, 'm')],
    ['deep in objects and arrays', () => log.info({ a: { b: [{ c: [value] }] } }, 'm')],
    ['as a key', () => log.info({ [value]: 1 }, 'm')],
    ['in a Map and a Set', () => log.info({ map: new Map([[value, value]]), set: new Set([value]) }, 'm')],
    ['in an error as the record', () => log.error(new Error(`failed: ${value}`))],
    ['in an error with a message', () => log.error(new Error(`failed: ${value}`), 'm')],
    ['in an error as err', () => log.error({ err: new Error(`failed: ${value}`) })],
    ['in an error in any field', () => log.error({ what: { ever: new Error(value) } }, 'm')],
    ['in an error filled into the message', () => log.error('failed: %s', new Error(value))],
    [
      'in a cause',
      () => log.error(new Error('outer', { cause: new Error('inner', { cause: new Error(value) }) })),
    ],
    ['in a cause that is no error', () => log.error(new Error('outer', { cause: { value } }))],
    ['in an aggregate', () => log.error(new AggregateError([new Error(value), value], value))],
    ['in a code', () => log.error(Object.assign(new Error('outer'), { code: value }))],
    ['in a name', () => log.error(Object.assign(new Error('outer'), { name: value }))],
    ['in a stack', () => log.error(Object.assign(new Error('outer'), { stack: value }))],
    ['in a child binding', () => log.child({ binding: value }).info('m')],
    [
      'in a grandchild binding',
      () =>
        log
          .child({})
          .child({ deep: { binding: value } }, {})
          .info('m'),
    ],
    [
      'in bindings set later',
      () => {
        const child = log.child({});
        child.setBindings({ later: value });
        child.info('m');
      },
    ],
    ['in a field called msg', () => log.info({ msg: value })],
  ])('%s', (_where, write) => {
    lines.length = 0;
    write();
    expectNoLeak(lines);
    expect(last()).toMatchObject({ level: expect.any(String) });
  });
});

test.each([
  'authorization',
  'Proxy-Authorization',
  'token',
  'bankToken',
  'access_token',
  'secret',
  'client_secret',
  'password',
  'passphrase',
  'apiKey',
  'api-key',
  'personId',
  'personName',
  'address',
  'owner',
  'owners',
  'body',
  'description',
  'headers',
  'cookie',
  'legalReason',
  'email',
  'databaseUrl',
  'cause',
  'signature',
  'proof',
])('the field %s is redacted, whatever it holds', (key) => {
  const { log, lines, last } = capture();
  for (const value of ['canary', 4711, ['canary'], { x: 'canary' }]) {
    log.info({ [key]: value, deep: [{ [key]: value }] }, 'm');
    expectNoLeak(lines);
    expect(last()).toMatchObject({ [key]: '[redacted]', deep: [{ [key]: '[redacted]' }] });
  }
  log.info({ [key]: null, deep: { [key]: false } }, 'm');
  expect(last()).toMatchObject({ [key]: null, deep: { [key]: false } });
});

test('ids and quantities survive with any number of digits', () => {
  const { log, last } = capture();
  const fields = {
    originId: Number(CUIT),
    originIds: [Number(CUIT)],
    networkId: CBU,
    movementId: CUIT,
    workflowId: `transfer-${CUIT}`,
    runId: '01234567-89ab-7cde-8f01-12345678901a',
    elapsedNs: 12_345_678_901,
    deep: { networkId: CBU, GiroOriginId: CUIT },
  };
  log.child({ originId: Number(CUIT) }).info(fields, 'm');
  expect(last()).toMatchObject(fields);
});

test('a field of ids is no hiding place for a secret', () => {
  const { log, lines } = capture();
  log.info({ networkId: `Bearer canary`, workflowId: `to ${CBU}`, originId: `${CUIT} x` }, 'm');
  expectNoLeak(lines);
});

test('a number that could be a tax id is redacted', () => {
  const { log, last } = capture();
  log.info({ who: Number(CUIT), big: BigInt(CBU), small: 42, count: 10n }, 'm');
  expect(last()).toMatchObject({ who: '[redacted:cuit]', big: '[redacted:cbu]', small: 42, count: '10' });
});

describe('errors', () => {
  test('are type, message, code, stack and cause, and nothing that hangs on them', () => {
    const { log, lines, last } = capture();
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), {
      code: 'ECONNRESET',
      config: { headers: { Authorization: 'canary' }, data: '{"x":"canary"}' },
      request: { canary: 1 },
      response: { data: 'canary' },
      toJSON: () => ({ canary: 'canary' }),
    });
    log.error({ err: error, again: error }, 'failed');
    expectNoLeak(lines);
    expect(Object.keys(last()['err'] as object)).toEqual(['type', 'message', 'code', 'stack', 'cause']);
    expect(last()).toMatchObject({
      err: { type: 'TypeError', message: 'outer', code: 'ECONNRESET', cause: { message: 'inner' } },
      again: { type: 'TypeError' },
      msg: 'failed',
    });
  });

  test('lend their message to a line without one', () => {
    const { log, last } = capture();
    log.error(new Error('boom'));
    expect(last()['msg']).toBe('boom');
    log.error({ err: new Error('boom 2') });
    expect(last()['msg']).toBe('boom 2');
  });

  test('a chain of causes is bounded, and may be a ring', () => {
    const { log, last } = capture();
    let chain = new Error('link 0');
    for (let i = 1; i < 100; i++) chain = new Error(`link ${i}`, { cause: chain });
    log.error(chain);
    expect(JSON.stringify(last())).toContain('[more causes]');
    expect(JSON.stringify(last())).not.toContain('link 90');
    const ring = new Error('ring');
    ring.cause = ring;
    log.error(ring);
    expect(last()).toMatchObject({ err: { message: 'ring', cause: '[circular]' } });
  });

  test('objects that HTTP clients hang on them are not written elsewhere either', () => {
    const { log, lines } = capture();
    log.info({ config: { url: 'canary' }, response: { data: 'canary' }, request: { path: 'canary' } }, 'm');
    expectNoLeak(lines);
  });

  test("the engine's payloads are not", () => {
    const { log, lines, last } = capture();
    const payload = { metadata: { encoding: 'json/plain' }, data: { name: 'canary' } };
    log.trace({ activation: { jobs: [{ arguments: [payload] }] }, payloads: [payload], payload }, 'm');
    expectNoLeak(lines);
    log.info({ input: 'orders.json', data: 3 }, 'm');
    expect(last()).toMatchObject({ input: 'orders.json', data: 3 });
  });
});

describe('odd values', () => {
  test('depth, width, size and rings are bounded', () => {
    const { log, lines, last } = capture();
    let deep: unknown = 'bottom';
    for (let i = 0; i < 1_000; i++) deep = { deep };
    const ring: Record<string, unknown> = {};
    ring['self'] = ring;
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 'v'.repeat(100)]));
    const bushy = Array.from({ length: 50 }, () =>
      Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => wide)),
    );
    log.info({ deep, ring, wide, bushy, list: Array(5_000).fill('x'), text: 'x'.repeat(1_000_000) }, 'm');
    expect(lines.at(-1)!.length).toBeLessThan(200_000);
    expect(last()).toMatchObject({ ring: { self: '[circular]' }, wide: { '…': '4950 more' } });
    expect(JSON.stringify(last()['deep'])).toContain('[too deep]');
  });

  test('are written as data, and none throws', () => {
    const { log, last } = capture();
    const hostile = Object.defineProperty({ ok: 1 }, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('canary');
      },
    });
    log.info(
      {
        date: new Date(0),
        badDate: new Date(NaN),
        bytes: Buffer.from('canary'),
        url: new URL('http://u:p@h/x'),
        fn: () => 'canary',
        symbol: Symbol('canary'),
        nan: NaN,
        hostile,
        revoked: (() => {
          const { proxy, revoke } = Proxy.revocable({}, {});
          revoke();
          return proxy;
        })(),
        json: JSON.parse('{"__proto__":{"x":1}}'),
      },
      'm',
    );
    expect(last()).toMatchObject({
      date: '1970-01-01T00:00:00.000Z',
      badDate: 'Invalid Date',
      bytes: '[6 bytes]',
      url: 'http://[redacted:credentials]@h/x',
      hostile: { ok: 1, trap: '[unreadable]' },
      revoked: '[unreadable]',
      msg: 'm',
    });
    expect(JSON.stringify(last())).not.toContain('canary');
  });

  test("a field does not replace the logger's own fields", () => {
    const { log, lines, last } = capture();
    log.info({ level: 'fatal', time: 'never', pid: 1, msg: 'field' }, 'message');
    expect(last()).toMatchObject({
      level: 'info',
      pid: process.pid,
      level_: 'fatal',
      time_: 'never',
      msg: 'message',
    });
    expect(lines.at(-1)!.match(/"level"/g)).toHaveLength(1);
  });

  test('percent signs are text once the message is made', () => {
    const { log, last } = capture();
    log.info('100%s', '%d');
    expect(last()['msg']).toBe('100%d');
    log.info({}, '100% done %');
    expect(last()['msg']).toBe('100% done %');
  });
});
