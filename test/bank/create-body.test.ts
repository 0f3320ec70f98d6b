import fc from 'fast-check';
import { LosslessNumber, parse } from 'lossless-json';
import { ourBank } from '../../src/bank/our-bank';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import type { TransferOrder } from '../../src/domain/order';
import { describeIssues, validateOrder } from '../../src/domain/order-validation';
import { anyOrder } from '../domain/any-order';
import { orderJson } from '../domain/order-json';
import type { OrderChanges } from '../domain/order-json';

const { createBody } = ourBank.movements;

function orderOf(changes: OrderChanges = {}): TransferOrder {
  const judged = validateOrder(JSON.parse(orderJson(changes)), DEFAULT_ORDER_LIMITS);
  if (!judged.ok) throw new Error(describeIssues(judged.issues));
  return judged.order;
}

describe('the create body', () => {
  test('is these very bytes', () => {
    const order = orderOf({ 'body.amount': '"100.1"', 'body.description': '"Ñ \\"17\\""' });
    const text =
      '{"originId":4711,' +
      '"from":{"addressType":"CBU_CVU","address":"0009001600000000000017",' +
      '"owner":{"personIdType":"CUI","personId":"30714979732"}},' +
      '"to":{"addressType":"CBU_CVU","address":"9990001800000000000017",' +
      '"owner":{"personIdType":"CUI","personId":"20218346414"}},' +
      '"body":{"currencyId":"032","amount":100.10,"description":"Ñ \\"17\\"","concept":"FAC"}}';
    expect(createBody(order)).toBe(text);
    expect(Buffer.from(createBody(order), 'utf8')).toHaveLength(text.length + 1);
  });

  test('is JSON that says exactly the order, its amount a number with two decimals', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const text = createBody(order);
        expect(parse(text)).toEqual({
          ...order,
          originId: new LosslessNumber(String(order.originId)),
          body: { ...order.body, amount: new LosslessNumber(order.body.amount) },
        });
        expect(text).toMatch(/"amount":[0-9]{1,13}\.[0-9]{2},/);
        // The bytes on the wire are the text: nothing in it is lost in UTF-8.
        expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
      }),
    );
  });

  test.each([
    '"amount":9.99,',
    '\\',
    '\\"',
    '\u2028\u2029',
    '</script>',
    '👩‍👩‍👧',
    'e\u0301',
    '\ufeff',
    '{"a":1}',
    '\u{10ffff}',
  ])('description %p comes out as it went in', (description) => {
    const text = createBody(orderOf({ 'body.description': JSON.stringify(description) }));
    expect(JSON.parse(text)).toMatchObject({ body: { description, amount: 1500.25, concept: 'FAC' } });
  });

  test('equal orders, however written, are the same bytes', () => {
    const other = orderOf({ 'body.amount': '1500.25', 'from.address': '"00090016-00000000000017"' });
    expect(createBody(other)).toBe(createBody(orderOf()));
  });
});
