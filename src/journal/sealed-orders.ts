import type { KeyRing } from '../codec/key-ring';
import { SealError, open, seal } from '../codec/seal';
import type { TransferOrder } from '../domain/order';
import { CLEAR_ORDERS } from './order-cipher';
import type { OrderCipher } from './order-cipher';

/** A sealed value as it lies in a row: `k2:<base64>`. Nothing that is stored in clear begins so. */
const SEALED = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+={0,2})$/;

const orderContext = (originId: number) => `giro/journal/order/${originId}`;

/**
 * Orders under the key ring of `CODEC_KEYS_FILE`; null: in clear. Rows written in clear stay readable with a ring.
 * Opening throws `SealError`: the ring lacks the key, there is no ring, or the row was altered.
 */
export function orderCipher(ring: KeyRing | null): OrderCipher {
  if (ring === null) {
    return {
      ...CLEAR_ORDERS,
      openOrder: (stored) => (typeof stored === 'string' ? noRing(stored) : (stored as TransferOrder)),
    };
  }
  return {
    sealOrder: (order) => sealText(ring, orderContext(order.originId), JSON.stringify(order)),
    openOrder: (stored, originId) =>
      typeof stored === 'string'
        ? (JSON.parse(openText(ring, orderContext(originId), stored)) as TransferOrder)
        : (stored as TransferOrder),
  };
}

/** `context` names the place: what is sealed for one opens nowhere else. */
export function sealText(ring: KeyRing, context: string, plain: string): string {
  const { keyId, data } = seal(ring, context, Buffer.from(plain, 'utf8'));
  return `${keyId}:${data.toString('base64')}`;
}

/** @throws SealError */
export function openText(ring: KeyRing, context: string, sealed: string): string {
  const [, keyId = '', data = ''] = SEALED.exec(sealed) ?? [];
  return open(ring, context, { keyId, data: Buffer.from(data, 'base64') }).toString('utf8');
}

function noRing(stored: string): never {
  const keyId = SEALED.exec(stored)?.[1] ?? '?';
  throw new SealError(
    'unknown-key',
    `this order is encrypted with key ${keyId}, and CODEC_KEYS_FILE is not set`,
  );
}
