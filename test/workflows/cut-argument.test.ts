import { describeIssues, validateOrder } from '../../src/domain/order-validation';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { cutArgument } from '../../src/workflows/cut-argument';
import { BAD_ORDERS } from '../domain/bad-orders';
import { order } from '../commands/support/orders';

const nested = (levels: number): unknown =>
  JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`) as unknown;

test('a valid order is as it was', () => {
  expect(cutArgument(order(1))).toEqual(order(1));
});

test.each(BAD_ORDERS.map(({ name, json }) => [name, json]))('%s: the verdict is the same', (_, json) => {
  const input = JSON.parse(json) as unknown;
  expect(validateOrder(cutArgument(input), DEFAULT_ORDER_LIMITS)).toEqual(
    validateOrder(input, DEFAULT_ORDER_LIMITS),
  );
});

test.each([
  ['the order itself', nested(20_000), 'the order must be a JSON object'],
  [
    'the id of an owner',
    { ...order(1), to: { ...order(1).to, owner: { personIdType: 'CUI', personId: nested(20_000) } } },
    'to.owner.personId must be a string',
  ],
])('%s may nest deeper than a JSON writer can follow', (_, input, sentence) => {
  expect(() => JSON.stringify(input)).toThrow('Maximum call stack size exceeded');
  const read = validateOrder(JSON.parse(JSON.stringify(cutArgument(input))), DEFAULT_ORDER_LIMITS);
  expect(describeIssues(read.ok ? [] : read.issues)).toBe(sentence);
});

test('bytes are no order, and are not taken apart', () => {
  expect(cutArgument(new Uint8Array(3))).toEqual({});
});
