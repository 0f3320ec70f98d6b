import { freshKeyRing } from '../codec/key-rings';
import { createPayloadCodec } from '../../src/codec/payload-codec';
import { SealError, open } from '../../src/codec/seal';
import { journalKeyRing, orderCipher, sealText } from '../../src/journal/ciphers';
import { bindJournal } from '../../src/journal/journal';
import type { OrdinalLine } from '../../src/journal/statements/bank-statements';
import { anOpening } from './support/transfers';

const { order } = anOpening(4711);
const ring = freshKeyRing('k1');
const cipher = orderCipher(ring);

test('an order is sealed and opened', () => {
  const sealed = cipher.sealOrder(order);
  expect(JSON.stringify(sealed)).not.toMatch(/30714979732|0009001600000000000017|Factura/);
  expect(cipher.openOrder(sealed, 4711)).toEqual(order);
});

test('a row cannot replace another, nor another sealed value an order', () => {
  expect(() => cipher.openOrder(cipher.sealOrder(order), 4712)).toThrow('sealed for another place');
  const another = sealText(ring, 'giro/journal/answer/4711', JSON.stringify(order));
  expect(() => cipher.openOrder(another, 4711)).toThrow('sealed for another place');
});

test('what was written in clear stays readable, and what was sealed names its key where there is no ring', () => {
  const clear = orderCipher(null);
  expect(cipher.openOrder(clear.sealOrder(order), 4711)).toEqual(order);
  const message = 'this order is encrypted with key k1, and CODEC_KEYS_FILE is not set';
  expect(() => clear.openOrder(cipher.sealOrder(order), 4711)).toThrow(message);
  expect(() => clear.openOrder(cipher.sealOrder(order), 4711)).toThrow(SealError);
});

const CHANGE = new Date('2026-01-05T10:00:00Z');
const BEFORE = new Date(CHANGE.getTime() - 1);

test.each([
  ['in clear, before CODEC_CLEAR_BEFORE', { clearBefore: CHANGE, openedAt: BEFORE }, true],
  ['in clear, at that moment', { clearBefore: CHANGE, openedAt: CHANGE }, false],
  ['in clear, and the variable is not set', { clearBefore: null, openedAt: BEFORE }, false],
])('with a key ring an order %s', (_what, { clearBefore, openedAt }, isBelieved) => {
  const sealing = orderCipher(ring, clearBefore);
  expect(sealing.isBelieved(orderCipher(null).sealOrder(order), openedAt)).toBe(isBelieved);
  expect(sealing.isBelieved(sealing.sealOrder(order), openedAt)).toBe(true);
  expect(orderCipher(null, clearBefore).isBelieved(order, openedAt)).toBe(true);
});

describe('the journal has separate keys', () => {
  /** Says what was written, and answers with `rows`. */
  const journalOn = (rows: readonly object[]) => {
    const written: unknown[] = [];
    const run = <Row extends object>(_: unknown, values: readonly unknown[]) => {
      written.push(...values);
      return Promise.resolve(rows as Row[]);
    };
    return { written, journal: bindJournal({ run }, { keyRing: ring, clearBefore: null }) };
  };

  test('what a codec seals for a place of the journal opens there for nobody', async () => {
    const context = 'giro/journal/verification/r1';
    const [sealed] = await createPayloadCodec(ring, context).encode([{ data: Buffer.from('forged') }]);
    const text = `k1:${Buffer.from(sealed?.data ?? []).toString('base64')}`;
    const { journal } = journalOn([{ sealed: text, recorded_at: new Date() }]);
    await expect(journal.verificationAnswer('r1')).rejects.toThrow('sealed for another place');
  });

  test('nor does what the journal sealed open as a payload of a namespace of that name', async () => {
    const { written, journal } = journalOn([]);
    const line = { line: 1, counterpartyAccount: '9990001800000000000017' } as OrdinalLine;
    await journal.addLines(7, [line]);
    const [[{ counterparty }]] = [JSON.parse(String(written[1]))] as [[{ counterparty: string }]];
    const [keyId = '', data = ''] = counterparty.split(':');
    const sealed = { keyId, data: Buffer.from(data, 'base64') };
    expect(() => open(ring, 'giro/journal/statement/7/1', sealed)).toThrow('sealed for another place');
    expect(open(journalKeyRing(ring), 'giro/journal/statement/7/1', sealed).toString()).toBe(
      line.counterpartyAccount,
    );
  });
});
