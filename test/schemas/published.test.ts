import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { SCHEMA_NAMES, schemaFile, schemaText } from '../../dev/schemas/published';
import { readOrder } from '../../src/client/order-input';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { readWindow } from '../../src/reconciliation/run-window';
import { isRequestId } from '../../src/domain/verification/request-id';
import { historyFiles, payloadsOf } from './recorded-payloads';
import { validate } from './validate';

test.each(SCHEMA_NAMES)(
  '%s: the published schema is that of the code (GIRO_UPDATE_SCHEMA=1 writes it)',
  (name) => {
    const file = join(packageRoot, schemaFile(name));
    if (process.env['GIRO_UPDATE_SCHEMA'] === '1') writeFileSync(file, schemaText(name));
    expect(readFileSync(file, 'utf8')).toBe(schemaText(name));
  },
);

test('the page names every schema, and each is of the code', () => {
  const page = readFileSync(join(packageRoot, 'docs/schemas/README.md'), 'utf8');
  const files = readdirSync(join(packageRoot, 'docs/schemas')).filter((file) => file.endsWith('.json'));
  for (const file of files) expect(page).toContain(`](${file})`);
  const ours = SCHEMA_NAMES.map((name) => schemaFile(name).replace('docs/schemas/', ''));
  expect(files.filter((file) => file !== 'reconciliation-report.schema.json').sort()).toEqual(
    [...ours].sort(),
  );
});

const order = {
  originId: 4711,
  from: {
    addressType: 'CBU_CVU',
    address: '0009001600000000000017',
    owner: { personIdType: 'CUI', personId: '30714979732' },
  },
  to: {
    addressType: 'CBU_CVU',
    address: '9990001800000000000017',
    owner: { personIdType: 'CUI', personId: '20218346414' },
  },
  body: { currencyId: '032', amount: '1500.25', description: 'Factura 17', concept: 'FAC' },
};
const { originId: _, ...rest } = order;
const withBody = (change: object) => ({ ...order, body: { ...order.body, ...change } });
const withFrom = (change: object) => ({ ...order, from: { ...order.from, ...change } });

/** Orders whose form is judged alike by the schema and by the code that reads orders. */
test.each([
  ['as in the README', order, true],
  ['by reference', { ...rest, reference: 'invoice-17' }, true],
  ['by reference and originId', { ...order, reference: 'invoice-17' }, false],
  ['with neither', rest, false],
  ['a number as amount', withBody({ amount: 100.1 }), true],
  ['no decimals', withBody({ amount: '7' }), true],
  ['spaced digits', withFrom({ address: '00090016 00000000000017' }), true],
  ['dashed tax id', withFrom({ owner: { personIdType: 'CUI', personId: '30-71497973-2' } }), true],
  ['one centavo', withBody({ amount: '0.01' }), true],
  ['ten centavos', withBody({ amount: '0.1' }), true],
  ['zero', withBody({ amount: '0' }), false],
  ['zero with decimals', withBody({ amount: '0.00' }), false],
  ['zero as a number', withBody({ amount: 0 }), false],
  ['a line break in the description', withBody({ description: 'a\nb' }), false],
  ['a control character in the description', withBody({ description: 'a\u0085b' }), false],
  ['letters that are not ASCII', withBody({ description: 'Señal 💶' }), true],
  ['a line break in the reference', { ...rest, reference: 'a\nb' }, false],
  ['three decimals', withBody({ amount: '1.001' }), false],
  ['an exponent', withBody({ amount: '1e3' }), false],
  ['14 integer digits', withBody({ amount: '10000000000000.00' }), false],
  ['a negative amount', withBody({ amount: -1 }), false],
  ['another currency', withBody({ currencyId: '840' }), false],
  ['the currency as a number', withBody({ currencyId: 32 }), false],
  ['an alias', withFrom({ address: 'mi.alias.cuenta' }), false],
  ['21 digits', withFrom({ address: '000900160000000000001' }), false],
  ['a field that is not in this shape', { ...order, priority: 1 }, false],
  ['a nested one', withBody({ iva: 21 }), false],
  ['originId as text', { ...order, originId: '4711' }, false],
  ['originId 0', { ...order, originId: 0 }, false],
  ['an empty reference', { ...rest, reference: '' }, false],
  ['an array', [order], false],
])('an order %s', (_name, input, isFine) => {
  expect(readOrder(input, DEFAULT_ORDER_LIMITS).ok).toBe(isFine);
  const name = 'reference' in input ? 'transfer-order-by-reference' : 'transfer-order';
  expect(validate(name, input) === null).toBe(isFine);
});

test('what the schema cannot say, the worker does', () => {
  const input = withBody({ amount: 1.001 });
  expect(validate('transfer-order', input)).toBeNull();
  expect(readOrder(input, DEFAULT_ORDER_LIMITS)).toMatchObject({
    ok: false,
    issues: [{ path: 'body.amount' }],
  });
});

test.each([
  {},
  { asOf: '2026-01-31T09:00:00Z' },
  { asOf: null, from: '2026-01-31T09:00:00.123-03:00', to: '2026-02-01T00:00:00Z', statementId: 7 },
  { asOf: '2026-01-31' },
  { asOf: 1 },
  { statementId: 0 },
  { until: '2026-01-31T09:00:00Z' },
  [],
])('a reconciliation of %j: schema and code agree', (input) => {
  expect(validate('reconciliation-request', input) === null).toBe(
    readWindow(input, '2026-03-01T00:00:00Z').ok,
  );
});

test.each([
  'req-1',
  'A',
  'a/b?c=d&e',
  'x'.repeat(128),
  'x'.repeat(129),
  '',
  '-a',
  'a b',
  'a"b',
  "a'b",
  'a\\b',
  'a`b',
  'a<b',
  'á',
])('requestId %j: schema and code agree', (requestId) => {
  expect(validate('verification-request', { requestId }) === null).toBe(isRequestId(requestId));
});

describe('recorded histories', () => {
  const payloads = historyFiles().flatMap((file) => payloadsOf(file));

  test('hold arguments and results of workflows, hints and decisions', () => {
    expect([...new Set(payloads.map(({ schema }) => schema))].sort()).toEqual([
      'decision-answer',
      'decision-request',
      'movement-hint',
      'reconciliation-request',
      'reconciliation-result',
      'transfer-order',
      'transfer-result',
      'verification-hint',
      'verification-request',
      'verification-result',
    ]);
  });

  test.each(payloads.map((payload) => [`${payload.file} ${payload.schema}`, payload] as const))(
    '%s',
    (_name, { schema, value }) => {
      expect(validate(schema, value)).toBeNull();
    },
  );
});
