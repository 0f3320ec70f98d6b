import { freshKeyRing } from '../codec/key-rings';
import { SealError } from '../../src/codec/seal';
import { orderCipher, sealText } from '../../src/journal/ciphers';
import { anOpening } from './support/transfers';

const { order } = anOpening(4711);
const ring = freshKeyRing('k1');
const cipher = orderCipher(ring);

test('an order is sealed and opened', () => {
  const sealed = cipher.sealOrder(order);
  expect(JSON.stringify(sealed)).not.toMatch(/30714979732|0009001600000000000017|Factura/);
  expect(cipher.openOrder(sealed, 4711)).toEqual(order);
});

test('a row cannot stand in for another, nor another sealed value for an order', () => {
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
