import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giro } from './support/memory-io';
import { PERSONAL, order, orderByReference } from './support/orders';

const json = JSON.stringify;
/** An order with one literal put in place of a string. */
const literal = (field: 'originId' | 'amount', text: string): string =>
  field === 'originId'
    ? json(order('@')).replace('"@"', text)
    : json(order(1, { amount: '@' })).replace('"@"', text);
const lines = (...texts: string[]) => texts.join('\n');

const BAD_INPUTS: readonly [name: string, input: string | Buffer, ...messages: string[]][] = [
  ['nothing', '', 'the input is empty'],
  ['blank lines', '\n \r\n\t\n', 'the input is empty'],
  ['a byte order mark alone', '\uFEFF', 'the input is empty'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the input is not UTF-8 text'],
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'the input is not UTF-8 text'],
  ['text', 'hello', 'order 1, line 1: the order is not JSON (line 1, column 1)'],
  ['a number', '5', 'order 1, line 1: the order must be a JSON object'],
  ['null', 'null', 'order 1, line 1: the order must be a JSON object'],
  ['an empty array', ' [ ] ', 'the array has no orders'],
  ['an array without an end', `[${json(order(1))}`, 'line 1 lacks a comma or the end of the array'],
  ['a string without an end', '[{"originId": 1, "x": "]', 'line 1 begins a value that never ends'],
  ['a trailing comma', `[${json(order(1))},\n]`, 'line 2 lacks an order'],
  ['two arrays', `[${json(order(1))}]\n[]`, 'the input goes on after the array, on line 2'],
  ['an object without an end', json(order(1)).slice(0, -1), 'order 1, line 1: the order is not JSON'],
  [
    'broken JSON deep in an array',
    lines('[', `${json(order(1))},`, '{"originId": 2,}', ']'),
    'order 2, line 3: the order is not JSON (line 3, column 16)',
  ],
  [
    'broken JSON over several lines',
    '{\n "originId": 1,\n "from": nope\n}',
    'order 1, line 1: the order is not JSON (line 3, column 10)',
  ],
  [
    'one broken line among others',
    lines(json(order(1)), '', '{broken', json(order(2))),
    'order 2, line 3: the order is not JSON (line 3, column 2)',
    '1 of 3 orders invalid',
  ],
  ['an array as a line', lines(json(order(1)), '[]'), 'order 2, line 2: the order must be a JSON object'],
  [
    'a key twice with two values',
    '{"originId": 1, "originId": 2}',
    'order 1, line 1: the order has the same field twice',
  ],
  [
    'a key twice with one value',
    '{"originId": 1, "originId": 1}',
    'order 1, line 1: the order has the same field twice',
  ],
  [
    'a nested key twice',
    json(order(1)).replace('"concept"', '"amount":"1500.25","concept"'),
    'has the same field twice',
  ],
  ['JSON that nests deeply', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'the order nests too deep'],
  [
    'an originId that a double would round',
    literal('originId', '9007199254740993'),
    'originId must be at most 9007199254740991',
  ],
  [
    'an originId that a double would round to a whole',
    literal('originId', '4711.00000000000000000001'),
    'originId must be a JSON integer',
  ],
  ['an originId with a fraction', literal('originId', '4711.5'), 'originId must be a JSON integer'],
  ['an originId of text', json(order('4711')), 'originId must be a JSON integer'],
  ['an originId beyond all numbers', literal('originId', '1e999'), 'originId must be a JSON integer'],
  [
    'an amount that a double would round',
    literal('amount', '0.1000000000000000055'),
    'body.amount as a JSON number may have at most 15 significant digits',
  ],
  [
    'an amount of 17 digits',
    literal('amount', '123456789012345.67'),
    'body.amount as a JSON number may have at most 15 significant digits',
  ],
  [
    'an amount that vanishes',
    literal('amount', '1e-400'),
    'body.amount as a JSON number may have at most 15 significant digits',
  ],
  ['currency 032 as a number', json(order(1)).replace('"032"', '032'), 'the order is not JSON'],
  [
    'neither originId nor reference',
    json(orderByReference(undefined)),
    'originId is required (or a reference in its place)',
  ],
  [
    'both originId and reference',
    json({ ...order(1), reference: 'a' }),
    'reference replaces originId: give one of the two',
  ],
  ['an empty reference', json(orderByReference('')), 'reference must have 1 to 64 characters'],
  [
    'a reference of 65 characters',
    json(orderByReference('x'.repeat(65))),
    'reference must have 1 to 64 characters',
  ],
  ['a reference that is a number', json(orderByReference(7)), 'reference must be a string'],
  [
    'a reference with a line break',
    json(orderByReference('a\nb')),
    'reference may not contain control characters',
  ],
  [
    'an originId twice',
    lines(json(order(7)), json(order(8)), json(order(7, { amount: '2' }))),
    'order 1, line 1: the same originId 7 as order 3, line 3',
    'order 3, line 3: the same originId 7 as order 1, line 1',
    '2 of 3 orders invalid',
  ],
  [
    'a reference twice',
    json([orderByReference('r'), orderByReference('r')]),
    'order 1, line 1: the same reference as order 2, line 1',
  ],
  [
    'all wrong fields of all orders',
    json([order(0, { amount: 0 }), { ...order(2), extra: 1 }]),
    'originId must be at least 1',
    'body.amount must be greater than zero',
    'order 2, line 1: extra is not a field of an order',
  ],
];

describe('input that `transfer start` refuses', () => {
  test.each(BAD_INPUTS)('%s', async (_name, stdin, ...messages) => {
    const { code, stdout, stderr } = await giro(['transfer', 'start', '-', '--json'], { stdin });

    expect(stderr).toContain(messages[0]);
    for (const message of messages) expect(stderr).toContain(message);
    // 2 and not 4: no server was asked for.
    expect(code).toBe(2);
    expect(stdout).toBe('');
    for (const value of PERSONAL) expect(stderr).not.toContain(value);
  });

  test('a larger input than the limit', async () => {
    const stdin = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
    expect(await giro(['transfer', 'start', '-'], { stdin })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the input is larger than 16 MiB'),
    });
  });

  test('a file that is not there, and a folder', async () => {
    expect(await giro(['transfer', 'start', '/nowhere/at/all'])).toMatchObject({
      code: 2,
      stderr: 'giro: the file /nowhere/at/all does not exist\n',
    });
    expect(await giro(['transfer', 'start', tmpdir()])).toMatchObject({
      code: 2,
      stderr: `giro: the file ${tmpdir()} is a directory\n`,
    });
  });

  test('--skip-invalid starts nothing when nothing is valid', async () => {
    const end = await giro(['transfer', 'start', '-', '--skip-invalid'], { stdin: json(order(0)) });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('1 of 1 orders invalid: nothing was started');
  });

  test('only the first hundred bad orders are listed', async () => {
    const stdin = Array.from({ length: 130 }, () => json(order(0))).join('\n');
    const { stderr } = await giro(['transfer', 'start', '-'], { stdin });
    expect(stderr.match(/originId must be at least 1/g)).toHaveLength(100);
    expect(stderr).toContain('… and 30 more\n');
    expect(stderr).toContain('130 of 130 orders invalid');
  });

  test('a reference needs the journal, and only then it is asked for', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const end = await giro(['transfer', 'start', '-'], { stdin: json(orderByReference('r')), env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_URL is not set') });
  });

  test('what is wrong in the configuration comes before the input', async () => {
    const env = { AMOUNT_MAX: 'lots', TEMPORAL_ADDRESS: ':::' };
    const end = await giro(['transfer', 'start', '-'], { stdin: 'hello', env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('configuration: 2 errors') });
  });

  test('a file on disk is read like stdin', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'giro-input-'));
    try {
      const file = join(folder, 'orders.json');
      await writeFile(file, `\uFEFF${json(order(1, { amount: '0' }))}`);
      const end = await giro(['transfer', 'start', file]);
      expect(end).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('body.amount must be greater than zero'),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test('a name of a field that is no name is not printed, and of very many numbers some are', async () => {
  const canary = '9990001800000000000017 Juan Perez';
  const names = Array.from({ length: 5_000 }, (_, i) => `"${canary} ${i}":1.23456789012345678901`).join();
  const { code, stderr } = await giro(['transfer', 'start', '-'], {
    stdin: json(order(1)).replace('{', `{${names},`),
  });
  expect(code).toBe(2);
  expect(stderr).toContain('(a field whose name is not shown)');
  expect(stderr).not.toContain('Juan');
  expect(stderr.length).toBeLessThan(10_000);
});
