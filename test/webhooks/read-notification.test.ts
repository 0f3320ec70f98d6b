import { parseJsonPointer } from '../../src/bank/http/json';
import type { NotificationIds, NotificationReading, NotifiedEvent } from '../../src/webhooks/notification';
import { CANDIDATES_MAX, NODES_MAX } from '../../src/webhooks/reading-budget';
import { giveUpAfterMs } from '../../src/webhooks/process-notification';
import { readDocument, readNotification } from '../../src/webhooks/read-notification';

const DEFAULTS: NotificationReading = { idPointers: [], debitPointer: null, debitTypes: ['DEBIT_*'] };
const NO_IDS: NotificationIds = { originIds: [], movementIds: [], networkIds: [], requestIds: [] };

function readAll(body: unknown, reading: Partial<NotificationReading> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const notification = readNotification(bytes, { ...DEFAULTS, ...reading });
  if (notification.kind === 'unreadable') throw new Error('unreadable');
  return notification;
}

function read(body: unknown, reading: Partial<NotificationReading> = {}): NotifiedEvent {
  const { events } = readAll(body, reading);
  const [event] = events;
  if (event === undefined || events.length > 1) throw new Error(`${events.length} events`);
  return event;
}

const fields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

/** Counts the values that are read of a document. */
function countingReads<Node extends object>(node: Node, reads: { values: number }): Node {
  return new Proxy(node, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || key === 'length' || !Object.hasOwn(target, key)) return value;
      reads.values++;
      return typeof value === 'object' && value !== null ? countingReads(value, reads) : value;
    },
  });
}

describe('ids', () => {
  test.each<[string, unknown, Partial<NotificationIds>]>([
    [
      'an envelope',
      { id: 'e-1', type: 'X', data: { id: '77', details: { originId: 4711, networkId: 'N22' } } },
      { originIds: [4711], movementIds: ['77'], networkIds: ['N22'] },
    ],
    [
      'a flat event',
      { originId: '4711', movementId: 77, coelsaId: 'N22' },
      { originIds: [4711], movementIds: ['77'], networkIds: ['N22'] },
    ],
    [
      'other spellings',
      { ORIGIN_ID: 1, 'network-id': 'N', debinID: 'D' },
      { originIds: [1], networkIds: ['N', 'D'] },
    ],
    ['a verification', { event: { requestId: 'a1-b2' } }, { requestIds: ['a1-b2'] }],
    [
      'any requestId that can be tracked',
      { requestId: 'a/b+c=@1?x#%&y' },
      { requestIds: ['a/b+c=@1?x#%&y'] },
    ],
    ['null ids', { originId: null, id: null, networkId: null }, {}],
    ['an originId above what a double holds', '{"originId":9007199254740993}', {}],
    ['the largest originId', '{"originId":9007199254740991}', { originIds: [9007199254740991] }],
    ['an originId with leading zeros or a fraction', { a: { originId: '007' }, b: { originId: 1.5 } }, {}],
    ['one id many times', { id: '1', data: { id: 1, movementId: '1' } }, { movementIds: ['1'] }],
    ['paths and patterns', { id: '../x', networkId: '%', requestId: 'a b' }, {}],
    ['the id of an envelope without data', { id: 'e-1', redeliveries: 0, originId: 1 }, { originIds: [1] }],
    ['the id of a flat event', { id: 'M-1', originId: 1 }, { originIds: [1], movementIds: ['M-1'] }],
    [
      'ids of people and accounts',
      {
        data: {
          counterparty: { id: '20218346414', account: { id: '0009001600000000000017' } },
          movement: { owner: { details: { id: 'x' } }, details: { id: 'M-1' } },
        },
      },
      { movementIds: ['M-1'] },
    ],
  ])('%s', (_, body, ids) => {
    expect(read(body).ids).toEqual({ ...NO_IDS, ...ids });
  });

  test('at the configured places, of a kind or of any', () => {
    const reading = {
      idPointers: [
        { kind: 'originId' as const, tokens: parseJsonPointer('/operacion/0/referencia') },
        { kind: null, tokens: parseJsonPointer('/clave') },
      ],
    };
    expect(read({ operacion: [{ referencia: '4711' }], clave: 'K22' }, reading).ids).toEqual({
      ...{ originIds: [4711], movementIds: ['K22'], networkIds: ['K22'], requestIds: ['K22'] },
    });
    expect(read({ operacion: 'x' }, reading).ids).toEqual(NO_IDS);
  });

  test('a huge list does not hide the fields next to it; what is beyond the bound is not read, and reported', () => {
    const list = Array.from({ length: 5_000 }, (_, i) => ({ movementId: `x${i}` }));
    expect(read({ list, originId: 1 }).ids.originIds).toEqual([1]);
    expect(read({ list: [...list, { deep: { originId: 1 } }] }).ids.originIds).toEqual([]);
    expect(read({ list: list.slice(0, 20) }).ids.movementIds).toHaveLength(16);
    const isCut = (body: unknown) => readAll(body).isCut;
    expect([isCut({ list }), isCut({ list: list.slice(0, 17) }), isCut(list.slice(0, 101))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isCut({ list: list.slice(0, 16) }), isCut(list.slice(0, 100))]).toEqual([false, false]);
  });

  test.each<[string, object]>([
    ['a list beside the movements', { list: Array(50_000).fill(1), data: Array(100).fill({ id: 'M-1' }) }],
    ['many fields beside the movements', { ...fields(20_000), data: Array(100).fill({ id: 'M-1' }) }],
    ['large movements', { data: Array(100).fill(fields(500)) }],
    ['lists inside lists', { data: Array(100).fill({ list: Array(500).fill([1]) }) }],
  ])('one budget for the whole notification: %s', (_, document) => {
    const reads = { values: 0 };
    const notification = readDocument(countingReads(document, reads), DEFAULTS);
    expect(notification).toMatchObject({ kind: 'readable', isCut: true });
    expect(notification).toHaveProperty('events.length', 100);
    // The budget, and what it takes to find the movements.
    expect(reads.values).toBeLessThan(NODES_MAX + 1_000);
  });

  test('a large movement leaves the others their share, and ids have a bound in all', () => {
    const ids = (prefix: string) => Array.from({ length: 16 }, (_, i) => ({ movementId: `${prefix}${i}` }));
    const { events } = readAll({
      data: [{ list: Array(20_000).fill(1) }, ...Array.from({ length: 99 }, (_, i) => ({ originId: i + 1 }))],
    });
    expect(events.slice(1).map((event) => event.ids.originIds)).toEqual(
      Array.from({ length: 99 }, (_, i) => [i + 1]),
    );
    const many = readAll({ data: Array.from({ length: 100 }, (_, i) => ({ list: ids(`m${i}-`) })) });
    expect(many.isCut).toBe(true);
    expect(many.events.flatMap((event) => event.ids.movementIds)).toHaveLength(CANDIDATES_MAX);
  });

  test('a text that is not UTF-8 is read byte by byte', () => {
    const bytes = Buffer.from('{"originId":4711,"message":"Peña"}', 'latin1');
    expect(readNotification(bytes, DEFAULTS)).toMatchObject({ events: [{ ids: { originIds: [4711] } }] });
  });
});

describe('several movements in one notification', () => {
  const movements = [
    { originId: 4711, type: 'DEBIT_X' },
    { id: 'M-2', networkId: 'N-2', type: 'DEBIT_Y' },
  ];
  const events = [
    expect.objectContaining({ ids: { ...NO_IDS, originIds: [4711] }, movementType: 'DEBIT_X' }),
    expect.objectContaining({
      ids: { ...NO_IDS, movementIds: ['M-2'], networkIds: ['N-2'] },
      movementType: 'DEBIT_Y',
    }),
  ];

  test.each<[string, unknown]>([
    ['a list', movements],
    ['a list with other things in it', [null, ...movements, 'x', 7, []]],
    ['a list in an envelope', { id: 'e-1', type: 'NEW_MONEY_MOVEMENT', data: movements, redeliveries: 0 }],
  ])('%s: one event for each', (_, body) => {
    expect(readAll(body)).toEqual({ kind: 'readable', events, isCut: false });
  });

  test('pointers: of one movement by its index, of each without, of the envelope', () => {
    const body = { sobre: 'K9', data: [{ clave: 'A1' }, { clave: 'B2' }, { clave: 'C3' }] };
    const networkIds = (pointer: string) =>
      readAll(body, {
        idPointers: [{ kind: 'networkId', tokens: parseJsonPointer(pointer) }],
      }).events.map(({ ids }) => ids.networkIds.join());
    expect(networkIds('/data/1/clave')).toEqual(['', 'B2', '']);
    expect(networkIds('/data/clave')).toEqual(['A1', 'B2', 'C3']);
    expect(networkIds('/sobre')).toEqual(['K9', 'K9', 'K9']);
  });

  test('an empty list, and one without movements, is one event', () => {
    for (const body of [[], ['4711'], { data: [] }, { data: ['x'], originId: 1 }])
      expect(readAll(body).events).toHaveLength(1);
  });
});

describe('which way the money went', () => {
  test.each<[string, unknown, Partial<NotificationReading>, string, string | null]>([
    [
      'a type of a debit, at any depth',
      { type: 'NEW_MONEY_MOVEMENT', a: { movement_type: 'DEBIT_TRANSFER_SENT_CVU' } },
      {},
      'debit',
      'DEBIT_TRANSFER_SENT_CVU',
    ],
    [
      'the words of somebody who pays in',
      { data: { details: { type: 'CREDIT_TRANSFER_RECEIVED', message: 'DEBIT_X', description: 'DEBIT_Y' } } },
      {},
      'unknown',
      null,
    ],
    ['no such word', { type: 'CREDIT_TRANSFER' }, {}, 'unknown', null],
    ['at the pointer', { t: 'SALIDA' }, pointing(['SALIDA']), 'debit', 'SALIDA'],
    ['another word at the pointer', { t: 'ENTRADA', x: 'SALIDA' }, pointing(['SALIDA']), 'other', 'ENTRADA'],
    ['nothing at the pointer', { x: 'SALIDA' }, pointing(['SALIDA']), 'unknown', null],
    ['exact words do not begin others', { t: 'DEBIT_X' }, pointing(['DEBIT']), 'other', 'DEBIT_X'],
    ['a text that is no word is not kept', { t: 'DEBIT_ de Ana' }, pointing(['DEBIT_*']), 'debit', null],
  ])('%s', (_, body, reading, direction, movementType) => {
    expect(read(body, reading)).toMatchObject({ direction, movementType });
  });

  function pointing(debitTypes: readonly string[]): Partial<NotificationReading> {
    return { debitPointer: parseJsonPointer('/t'), debitTypes };
  }
});

test.each(['', 'x', '"text"', '1', 'null', '{"a":1', '{"a":1,"a":2}'])('unreadable: %s', (text) => {
  expect(readNotification(Buffer.from(text), DEFAULTS)).toEqual({ kind: 'unreadable' });
});

test('one that matches nothing is checked again while an answer may still bring its id', () => {
  const minutes = (body: unknown) => giveUpAfterMs(read(body)) / 60_000;
  expect(minutes({ type: 'DEBIT_X', networkId: 'N' })).toBe(15);
  expect(minutes({ networkId: 'N' })).toBe(1);
  // An originId is in the journal before the bank has it.
  expect(minutes({ type: 'DEBIT_X', originId: 1, networkId: 'N' })).toBe(0);
  expect(minutes({ type: 'DEBIT_X' })).toBe(0);
});
