import { parseJsonPointer } from '../../src/bank/json-pointer';
import type { NotificationIds, NotificationReading } from '../../src/webhooks/notification';
import { patienceMs } from '../../src/webhooks/patience';
import { readNotification } from '../../src/webhooks/read-notification';

const DEFAULTS: NotificationReading = { idPointers: [], debitPointer: null, debitTypes: ['DEBIT_*'] };
const NO_IDS: NotificationIds = { originIds: [], movementIds: [], networkIds: [], requestIds: [] };

function read(body: unknown, reading: Partial<NotificationReading> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const notification = readNotification(bytes, { ...DEFAULTS, ...reading });
  if (notification.kind === 'unreadable') throw new Error('unreadable');
  return notification;
}

describe('ids', () => {
  test.each<[string, unknown, Partial<NotificationIds>]>([
    [
      'an envelope',
      { id: 'e-1', type: 'X', data: { id: '77', details: { originId: 4711, networkId: 'N22' } } },
      { originIds: [4711], movementIds: ['e-1', '77'], networkIds: ['N22'] },
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
    ['one id many times', [{ id: '1' }, { id: '1' }, { id: 1 }], { movementIds: ['1'] }],
    ['paths and patterns', { id: '../x', networkId: '%', requestId: 'a b' }, {}],
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

  test('a huge list does not hide the fields beside it; what is beyond the bound is not looked at', () => {
    const list = Array.from({ length: 5_000 }, (_, i) => ({ id: `x${i}` }));
    expect(read({ list, originId: 1 }).ids.originIds).toEqual([1]);
    expect(read({ list: [...list, { deep: { originId: 1 } }] }).ids.originIds).toEqual([]);
    expect(read({ list }).ids.movementIds.length).toBeLessThanOrEqual(16);
  });
});

describe('which way the money went', () => {
  test.each<[string, unknown, Partial<NotificationReading>, string, string | null]>([
    [
      'a type of a debit, anywhere',
      { a: { b: 'DEBIT_TRANSFER_SENT_CVU' } },
      {},
      'debit',
      'DEBIT_TRANSFER_SENT_CVU',
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

test('one that matches nothing is looked at again while an answer may still bring its id', () => {
  const minutes = (body: unknown) => patienceMs(read(body)) / 60_000;
  expect(minutes({ type: 'DEBIT_X', networkId: 'N' })).toBe(15);
  expect(minutes({ networkId: 'N' })).toBe(1);
  // An originId is in the journal before the bank has it.
  expect(minutes({ type: 'DEBIT_X', originId: 1, networkId: 'N' })).toBe(0);
  expect(minutes({ type: 'DEBIT_X' })).toBe(0);
});
