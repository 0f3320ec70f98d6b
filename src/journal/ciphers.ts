import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '../codec/key-ring';
import { SealError, open, seal } from '../codec/seal';
import type { DifferingValue } from '../domain/echo';
import type { TransferOrder } from '../domain/order';

const JOURNAL_KEYS = 'giro/journal';

/**
 * The ring that seals everything in the journal: one key derived from each key of the ring (HKDF-SHA-256, RFC 5869),
 * under the same id. So a payload that was sealed for Temporal, by a caller or by `/encode`, never opens in the
 * journal, and values of the journal open nowhere else.
 */
export function journalKeyRing(ring: KeyRing): KeyRing {
  const derived = [...ring.keys].map(
    ([id, key]) => [id, Buffer.from(hkdfSync('sha256', key, '', JOURNAL_KEYS, key.length))] as const,
  );
  return { ...ring, keys: new Map(derived) };
}

/**
 * How orders are stored in the journal. A sealed order must be openable for ever, because rows never change. Sealed
 * values are bound to their transfer, so one row's order cannot be put into another row.
 */
export interface OrderCipher {
  /** Ids of the available keys; values sealed under other keys do not open here. */
  readonly keyIds: readonly string[];
  /** Any JSON value. */
  sealOrder(order: TransferOrder): unknown;
  /** @throws SealError the ring lacks the key, no ring is configured, or the row was altered */
  openOrder(stored: unknown, originId: number): TransferOrder;
  /**
   * False: the order is in clear although orders are sealed, so anybody with write access to the rows may have written
   * it.
   */
  isBelieved(stored: unknown, openedAt: Date): boolean;
}

const orderContext = (originId: number) => `giro/journal/order/${originId}`;

/**
 * Seals orders under the journal's keys; `ring` null: stores orders in clear. With a ring, orders in clear stay
 * readable, and are trusted if their transfer was opened before `clearBefore`.
 */
export function orderCipher(ring: KeyRing | null, clearBefore: Date | null = null): OrderCipher {
  return {
    keyIds: ring === null ? [] : [...ring.keys.keys()],
    sealOrder: (order) =>
      ring === null ? order : sealText(ring, orderContext(order.originId), JSON.stringify(order)),
    isBelieved: (stored, openedAt) =>
      ring === null || typeof stored === 'string' || (clearBefore !== null && openedAt < clearBefore),
    openOrder: (stored, originId) => {
      if (typeof stored !== 'string') return stored as TransferOrder;
      if (ring === null) return noRing(stored);
      return JSON.parse(openText(ring, orderContext(originId), stored)) as TransferOrder;
    },
  };
}

/**
 * The value that `read` returns; null: `read` throws, for example because a sealed value does not open. Callers that
 * read many values continue with the others.
 */
export function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function noRing(stored: string): never {
  const keyId = SEALED.exec(stored)?.[1] ?? '?';
  throw new SealError(
    'unknown-key',
    `this order is encrypted with key ${keyId}, and CODEC_KEYS_FILE is not set`,
  );
}

/** How full answers of the verification query are stored in the journal: encrypted, or not at all. */
export interface AnswerCipher {
  seal(text: string, requestId: string): string;
  /** @throws SealError */
  open(sealed: string, requestId: string): string;
}

const answerContext = (requestId: string) => `giro/journal/verification/${requestId}`;

/** Seals answers under the journal's keys; `ring` null: both methods throw, so nothing is ever stored in clear. */
export function answerCipher(ring: KeyRing | null): AnswerCipher {
  const keys = (): KeyRing => {
    if (ring === null)
      throw new SealError('unknown-key', 'full answers are kept encrypted, and CODEC_KEYS_FILE is not set');
    return ring;
  };
  return {
    seal: (text, requestId) => sealText(keys(), answerContext(requestId), text),
    open: (sealed, requestId) => openText(keys(), answerContext(requestId), sealed),
  };
}

/** The answer that reported the values: the values open only for this answer. */
interface AnswerKey {
  readonly originId: number;
  readonly number: number;
}

/** How accounts and tax ids that differ are stored in the journal: encrypted, or not at all. */
export interface DifferenceCipher {
  /** A key ring is configured: values are kept. */
  readonly seals: boolean;
  /** Null: without a key ring nothing is kept. */
  seal(values: readonly DifferingValue[], answer: AnswerKey): string | null;
  /** @throws SealError */
  open(sealed: string, answer: AnswerKey): readonly DifferingValue[];
}

const differenceContext = ({ originId, number }: AnswerKey) =>
  `giro/journal/differing-values/${originId}/${number}`;

/** Seals differing values under the journal's keys; `ring` null: nothing is sealed, and nothing opens. */
export function differenceCipher(ring: KeyRing | null): DifferenceCipher {
  return {
    seals: ring !== null,
    seal: (values, answer) =>
      ring === null ? null : sealText(ring, differenceContext(answer), JSON.stringify(values)),
    open: (sealed, answer) => {
      if (ring === null) {
        throw new SealError(
          'unknown-key',
          'values that differ are kept encrypted, and CODEC_KEYS_FILE is not set',
        );
      }
      return JSON.parse(openText(ring, differenceContext(answer), sealed)) as readonly DifferingValue[];
    },
  };
}

/** A sealed value as stored in a row: `k2:<base64>`. No value in clear begins like this. */
const SEALED = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+={0,2})$/;

/** `context` names the place: a value sealed for one place opens in no other. */
export function sealText(ring: KeyRing, context: string, plain: string): string {
  const { keyId, data } = seal(ring, context, Buffer.from(plain, 'utf8'));
  return `${keyId}:${data.toString('base64')}`;
}

/** @throws SealError */
export function openText(ring: KeyRing, context: string, sealed: string): string {
  const [, keyId = '', data = ''] = SEALED.exec(sealed) ?? [];
  return open(ring, context, { keyId, data: Buffer.from(data, 'base64') }).toString('utf8');
}
