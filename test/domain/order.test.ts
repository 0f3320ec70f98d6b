import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { packageRoot } from '../../dev/package-root';
import {
  DEFAULT_ORDER_LIMITS,
  canonicalOrderText,
  originIdOfWorkflow,
  transferWorkflowId,
} from '../../src/domain/order';
import type { TransferOrder } from '../../src/domain/order';
import { orderFingerprint } from '../../src/domain/order-fingerprint';
import { describeIssues, validateOrder } from '../../src/domain/order-validation';
import { anyOrder } from './any-order';
import { orderJson } from './order-json';
import type { OrderChanges } from './order-json';

const read = (json: string): TransferOrder => {
  const judged = validateOrder(JSON.parse(json), DEFAULT_ORDER_LIMITS);
  if (!judged.ok) throw new Error(describeIssues(judged.issues));
  return judged.order;
};
const orderOf = (changes: OrderChanges = {}): TransferOrder => read(orderJson(changes));

/** The same value with the keys of every object in reverse. */
const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, reversed(inner)]),
      )
    : value;

test('the workflow id', () => {
  expect(transferWorkflowId(4711)).toBe('transfer-4711');
  expect(transferWorkflowId(Number.MAX_SAFE_INTEGER)).toBe('transfer-9007199254740991');
  for (const originId of [1, 4711, Number.MAX_SAFE_INTEGER])
    expect(originIdOfWorkflow(transferWorkflowId(originId))).toBe(originId);
  for (const other of ['transfer-0', 'transfer-01', 'transfer-9007199254740992', 'transfer-1 ', 'kyc-1'])
    expect(originIdOfWorkflow(other)).toBeNull();
});

describe('the fingerprint', () => {
  // Journals hold fingerprints of this text for ever: any change of it turns the same order into a conflict.
  test('is SHA-256 of this very text', () => {
    const order = orderOf({ 'body.description': '"Ñandú \\"17\\" \\u2028 😀"' });
    expect(canonicalOrderText(order)).toBe(
      '{"originId":4711,' +
        '"from":{"addressType":"CBU_CVU","address":"0009001600000000000017",' +
        '"owner":{"personIdType":"CUI","personId":"30714979732"}},' +
        '"to":{"addressType":"CBU_CVU","address":"9990001800000000000017",' +
        '"owner":{"personIdType":"CUI","personId":"20218346414"}},' +
        '"body":{"currencyId":"032","amount":"1500.25","description":"Ñandú \\"17\\" \u2028 😀","concept":"FAC"}}',
    );
    expect(orderFingerprint(order)).toBe('8c19660868e03ff0792135f87ea3139251f991fcd47e9e62bf1530fea678138d');
    expect(orderFingerprint(orderOf())).toBe(
      '8d7fe234b9fff9bc60f56cb702ea2d496409ac083349ac5ed2740e009ef093e6',
    );
  });

  test.each<[string, OrderChanges, OrderChanges]>([
    ['separators in an account', {}, { 'from.address': '"000 90016-00000000000017"' }],
    ['separators in a tax id', {}, { 'to.owner.personId': '"20-21834641-4"' }],
    ['one decimal or two', { 'body.amount': '"1500.2"' }, { 'body.amount': '"1500.20"' }],
    ['none or two', { 'body.amount': '"1500"' }, { 'body.amount': '"1500.00"' }],
    ['text or number', {}, { 'body.amount': '1500.25' }],
    ['number with exponent', { 'body.amount': '"1500.00"' }, { 'body.amount': '1.5e3' }],
    ['originId with exponent', {}, { originId: '4.711E3' }],
    ['no description or an empty one', { 'body.description': null }, { 'body.description': '""' }],
  ])('is the same for another spelling: %s', (_, one, other) => {
    expect(orderFingerprint(orderOf(one))).toBe(orderFingerprint(orderOf(other)));
  });

  test('is the same in any order of the keys', () => {
    const backwards = JSON.stringify(reversed(JSON.parse(orderJson())));
    expect(backwards).not.toBe(orderJson());
    expect(orderFingerprint(read(backwards))).toBe(orderFingerprint(orderOf()));
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(canonicalOrderText(reversed(order) as TransferOrder)).toBe(canonicalOrderText(order));
      }),
    );
  });

  test.each<OrderChanges>([
    { originId: '4712' },
    { 'from.address': '"0009001600000000000024"' },
    { 'from.owner.personId': '"30707101020"' },
    { 'to.address': '"3220001880500009999902"' },
    { 'to.owner.personId': '"27361705039"' },
    { 'body.amount': '"1500.26"' },
    { 'body.description': '"Factura 18"' },
    { 'body.description': '"Factura 17 "' },
    { 'body.description': null },
    { 'body.concept': '"VAR"' },
    {
      'from.address': '"9990001800000000000017"',
      'to.address': '"0009001600000000000017"',
    },
  ])('is another for %p', (changes) => {
    expect(orderFingerprint(orderOf(changes))).not.toBe(orderFingerprint(orderOf()));
  });

  test('is equal only for equal orders', () => {
    fc.assert(
      fc.property(anyOrder, anyOrder, (a, b) => {
        expect(JSON.parse(canonicalOrderText(a))).toEqual(a);
        expect(orderFingerprint(a) === orderFingerprint(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  test('survives the engine, which carries orders as JSON', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const carried = JSON.parse(JSON.stringify(order)) as TransferOrder;
        expect(orderFingerprint(carried)).toBe(orderFingerprint(order));
      }),
    );
  });
});

test('the fingerprint that docs/orders.md shows is that of its order', () => {
  const page = readFileSync(join(packageRoot, 'docs/orders.md'), 'utf8');
  const json = /```json\n([^`]*)```/.exec(page)?.[1] ?? '';
  const validated = validateOrder(JSON.parse(json), DEFAULT_ORDER_LIMITS);
  if (!validated.ok) throw new Error('the order in docs/orders.md is not valid');
  expect(page).toContain(`\`${orderFingerprint(validated.order)}\``);
});
