import { readOrders } from '../../src/commands/support/input/read-orders';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { order, orderByReference } from './support/orders';

const json = JSON.stringify;

function read(text: string) {
  const { good, bad, count } = readOrders(text, DEFAULT_ORDER_LIMITS);
  expect(bad).toEqual([]);
  expect(good).toHaveLength(count);
  return good.map(({ place, prepared }) => ({
    place,
    key: prepared.by === 'reference' ? prepared.reference : prepared.order.originId,
    amount: prepared.by === 'reference' ? null : prepared.order.body.amount,
  }));
}

const amountOf = (literal: string) =>
  read(json(order(1, { amount: '@' })).replace('"@"', literal))[0]?.amount;

describe('input that `transfer start` takes', () => {
  test.each([
    ['one object on a line', json(order(1))],
    ['one object over lines, with CRLF', json(order(1), null, 2).replaceAll('\n', '\r\n')],
    ['an array of one', `\n[ ${json(order(1))} ]\n`],
    ['a line and blank lines', `\n\n${json(order(1))}\n\n`],
  ])('%s', (_name, text) => {
    expect(read(text)).toMatchObject([{ key: 1, amount: '1500.25' }]);
  });

  test('places count orders and lines', () => {
    expect(
      read(`${json(order(1))}\n\n${json(order(2))}\r\n${json(orderByReference('ñandú'))}`),
    ).toMatchObject([
      { place: 'order 1, line 1', key: 1 },
      { place: 'order 2, line 3', key: 2 },
      { place: 'order 3, line 4', key: 'ñandú' },
    ]);
    expect(read(json([order(1), order(2)], null, 1)).map(({ place }) => place)).toEqual([
      'order 1, line 2',
      'order 2, line 27',
    ]);
  });

  test('brackets, quotes and separators inside strings split nothing', () => {
    const description = 'a "]}, {[" \\ b';
    expect(read(json([order(1, { description }), order(2, { description })]))).toHaveLength(2);
    expect(read(`${json(order(1, { description }))}\n${json(order(2, { description }))}`)).toHaveLength(2);
  });

  test.each([
    ['1500.25', '1500.25'],
    ['1500.250000000000000000000', '1500.25'],
    ['1.5e3', '1500.00'],
    ['100.10', '100.10'],
    ['0.01', '0.01'],
    ['9999999999999', '9999999999999.00'],
    ['"9999999999999.99"', '9999999999999.99'],
  ])('an amount counts by its value: %s', (literal, amount) => {
    expect(amountOf(literal)).toBe(amount);
  });

  test.each(['4711', '4711.0', '4.711e3'])(
    'an originId counts by its value, as it does by the engine: %s',
    (text) => {
      expect(read(json(order('@')).replace('"@"', text))).toMatchObject([{ key: 4711 }]);
    },
  );

  test('a broken line spoils no other', () => {
    const { good, bad } = readOrders(`${json(order(1))}\n{"a\n${json(order(2))}`, DEFAULT_ORDER_LIMITS);
    expect(good.map(({ place }) => place)).toEqual(['order 1, line 1', 'order 3, line 3']);
    expect(bad).toHaveLength(1);
  });

  test.each([
    ['with two values', '{"originId": 2, "originId": 3}'],
    ['with one value', '{"originId": 2, "originId": 2}'],
  ])('an order of an array with a field twice, %s, spoils no other', (_, twice) => {
    const { good, bad } = readOrders(`[${json(order(1))},\n${twice}]`, DEFAULT_ORDER_LIMITS);
    expect(good.map(({ place }) => place)).toEqual(['order 1, line 1']);
    expect(bad).toEqual([expect.stringMatching(/^order 2, line 2: the order has the same field twice/)]);
  });

  test.each([
    ['broken', '{"originId": 2,}'],
    ['broken after a field that comes twice', '{"originId": 2, "originId": 3,}'],
  ])('an array with an order that is %s is no JSON: nothing of it is read', (_, broken) => {
    expect(() => readOrders(`[${json(order(1))},\n${broken}]`, DEFAULT_ORDER_LIMITS)).toThrow(
      /^order 2, line 2: the order /,
    );
  });

  test('a reference may have 64 characters of any script', () => {
    expect(read(json(orderByReference('💸'.repeat(64))))).toHaveLength(1);
  });
});
