import { freshKeyRing } from '../codec/key-rings';
import { SealError } from '../../src/codec/seal';
import { orderCipher } from '../../src/journal/sealed-orders';
import { anOpening } from './support/transfers';

const { order, createBody } = anOpening(4711);
const ring = freshKeyRing('k1');
const cipher = orderCipher(ring);

test('an order and its create body are sealed and opened', () => {
  const sealed = cipher.sealOrder(order);
  const body = cipher.sealBody(createBody, 4711);
  expect(JSON.stringify([sealed, body])).not.toMatch(/30714979732|0009001600000000000017|Factura/);
  expect(cipher.openOrder(sealed, 4711)).toEqual(order);
  expect(cipher.openBody(body, 4711)).toBe(createBody);
});

test('a row cannot stand in for another, nor a body for an order', () => {
  expect(() => cipher.openOrder(cipher.sealOrder(order), 4712)).toThrow('sealed for another place');
  expect(() => cipher.openBody(cipher.sealBody(createBody, 4711), 4712)).toThrow('sealed for another place');
  expect(() => cipher.openOrder(cipher.sealBody(createBody, 4711), 4711)).toThrow('sealed for another place');
});

test('what was written in clear stays readable, and what was sealed names its key where there is no ring', () => {
  const clear = orderCipher(null);
  expect(cipher.openOrder(clear.sealOrder(order), 4711)).toEqual(order);
  expect(cipher.openBody(clear.sealBody(createBody, 4711), 4711)).toBe(createBody);
  const message = 'this order is encrypted with key k1, and CODEC_KEYS_FILE is not set';
  expect(() => clear.openOrder(cipher.sealOrder(order), 4711)).toThrow(message);
  expect(() => clear.openBody(cipher.sealBody(createBody, 4711), 4711)).toThrow(message);
  expect(() => clear.openBody(cipher.sealBody(createBody, 4711), 4711)).toThrow(SealError);
});
