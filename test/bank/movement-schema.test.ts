import { parseJson } from '../../src/bank/http/json';
import { readMovement } from '../../src/bank/apibank/movements/read-movement';
import { MOVEMENT_TEXT } from './fixtures';

function read(text: string) {
  const json = parseJson(text);
  if (!json.ok) throw new Error('the test wrote broken JSON');
  return readMovement(json.value);
}

const BARE = {
  id: null,
  status: 'CREATED',
  hasDetails: false,
  type: null,
  originId: null,
  amount: null,
  currency: null,
  network: null,
  networkId: null,
  postingAt: null,
  completedAt: null,
  destination: { address: null, personIds: [] },
  source: { address: null, personIds: [] },
};

test('the whole movement, without names', () => {
  expect(read(MOVEMENT_TEXT)).toEqual({
    id: '8812345678901234567',
    status: 'IN_PROGRESS',
    hasDetails: true,
    type: 'DEBIT_TRANSFER_SENT_CVU',
    originId: '4711',
    amount: '100.10',
    currency: '032',
    network: 'COELSA',
    networkId: 'EXM1ZL9PQ2QY5QGLN6R08D',
    postingAt: '2026-03-01T12:00:00.000Z',
    completedAt: null,
    destination: { address: '9990001800000000000017', personIds: ['20218346414'] },
    source: { address: '0009001600000000000017', personIds: ['30714979732'] },
  });
});

describe('tolerant', () => {
  test.each([
    ['nothing but a status', '{"status":"CREATED"}', {}],
    [
      'parts that are null',
      '{"id":null,"status":"CREATED","details":null,"counterparty":null,"thisSubAccount":null}',
      {},
    ],
    [
      'empty parts',
      '{"status":"CREATED","details":{},"counterparty":{},"thisSubAccount":{}}',
      { hasDetails: true },
    ],
    ['blank texts', '{"id":"","status":"CREATED","counterparty":{"personId":" "}}', {}],
    [
      'unknown fields',
      '{"status":"CREATED","extra":{"deep":[1,{"x":null}]},"details":{"more":true}}',
      { hasDetails: true },
    ],
    ['a number as id', '{"id":9007199254740993,"status":"CREATED"}', { id: '9007199254740993' }],
    [
      'numbers as strings',
      '{"status":"CREATED","details":{"originId":"4711","amount":"100.1"}}',
      { hasDetails: true, originId: '4711', amount: '100.1' },
    ],
    [
      'strings as numbers',
      '{"status":"CREATED","details":{"amountCurrency":32,"networkId":123}}',
      { hasDetails: true, currency: '32', networkId: '123' },
    ],
    [
      'an account as a number, its leading zeros put back',
      '{"status":"CREATED","counterparty":{"personId":20218346414,"accountRouting":{"address":9001600000000000017}}}',
      { destination: { address: '0009001600000000000017', personIds: ['20218346414'] } },
    ],
    [
      'owners as a list',
      '{"status":"CREATED","thisSubAccount":{"owners":[{"personId":"1"},null,{},{"personId":"2"}]}}',
      { source: { address: null, personIds: ['1', '2'] } },
    ],
    ['no owners', '{"status":"CREATED","thisSubAccount":{"owners":null,"accountRouting":null}}', {}],
    [
      'wrong types where nothing is decided',
      '{"status":"CREATED","details":{"network":{"name":"X"},"networkId":[1],"postingDatetime":true}}',
      { hasDetails: true },
    ],
    [
      'a key named __proto__',
      '{"status":"CREATED","__proto__":{"id":"1"},"details":{"__proto__":{"amount":1}}}',
      { hasDetails: true },
    ],
    ['a key that comes twice and says the same', '{"status":"CREATED","id":"1","id":"1"}', { id: '1' }],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual({ ...BARE, ...expected });
    expect(({} as Record<string, unknown>)['id']).toBeUndefined();
  });
});

describe('strict on what decides', () => {
  test.each([
    ['no status', '{"id":"1"}'],
    ['a status that is null', '{"status":null}'],
    ['an empty status', '{"status":""}'],
    ['a blank status', '{"status":"  "}'],
    ['a number as status', '{"status":200}'],
    ['an object as status', '{"status":{"code":"COMPLETED"}}'],
    ['a status of 201 characters', `{"status":"${'A'.repeat(201)}"}`],
    ['a status deeper down', '{"data":{"status":"COMPLETED"}}'],
    ['a status of the prototype', '{"__proto__":{"status":"COMPLETED"}}'],
    ['a list as id', '{"status":"FAILED","id":["1"]}'],
    ['true as originId', '{"status":"FAILED","details":{"originId":true}}'],
    [
      'an object as amount',
      '{"status":"FAILED","details":{"amount":{"value":"100.10","isLosslessNumber":true}}}',
    ],
    ['a list as currency', '{"status":"FAILED","details":{"amountCurrency":["032"]}}'],
    ['details as a text', '{"status":"FAILED","details":"none"}'],
    ['details as a number', '{"status":"FAILED","details":5}'],
    ['details as a list', '{"status":"FAILED","details":[]}'],
    ['a counterparty as a text', '{"status":"FAILED","counterparty":"somebody"}'],
    ['a routing as a text', '{"status":"FAILED","counterparty":{"accountRouting":"999"}}'],
    ['an account as a list', '{"status":"FAILED","thisSubAccount":{"accountRouting":{"address":["999"]}}}'],
    ['owners as a text', '{"status":"FAILED","thisSubAccount":{"owners":"somebody"}}'],
    ['an owner as a number', '{"status":"FAILED","thisSubAccount":{"owners":[7]}}'],
  ])('%s is no movement', (_, text) => {
    expect(read(text)).toBeNull();
  });
});
