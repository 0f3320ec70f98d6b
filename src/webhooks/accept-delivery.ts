import type { DeliveryOutcome } from './observer';
import type { Delivery, DeliveryVerifier } from './verify';
import { createHash } from 'node:crypto';
import {
  isJsonObject,
  parseJson,
  scalarText,
  stringifyJson,
  parseJsonPointer,
  valueAt,
} from '../bank/http/json';
import type { Inbox } from '../journal/inbox';
import type { Stored } from '../journal/statements/store-notification';
import { bodyText } from './notification';

export type AcceptDelivery = (delivery: Delivery) => Promise<DeliveryOutcome>;

export interface AcceptOptions {
  readonly verify: DeliveryVerifier;
  readonly inbox: Pick<Inbox, 'storeNotification'>;
  /** RFC 6901; null: signed ids and contents only. */
  readonly deliveryIdPointer: string | null;
  /** Called after a new notification is stored. */
  readonly onStored: () => void;
  /** Why nothing could be stored. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** The steps of a delivery: verify its bytes, store it once, and only then answer. Workers read its content later. */
export function acceptDelivery(options: AcceptOptions): AcceptDelivery {
  const { verify, inbox, deliveryIdPointer, onStored, onStoreFailed } = options;
  return async (delivery) => {
    const verification = verify(delivery);
    if (!verification.ok) return 'bad-signature';
    const key = deliveryKey(delivery.body, verification.deliveryId, deliveryIdPointer);
    let stored: Stored;
    try {
      stored = await inbox.storeNotification({ deliveryKey: key, body: delivery.body });
    } catch (error) {
      onStoreFailed(error);
      // For any reason, the sender must repeat the delivery: only a commit accepts it.
      return 'store-down';
    }
    if (stored === 'stored') onStored();
    return stored;
  };
}

/** The one field of the known envelopes that differs between repeats of a delivery. */
const REPEAT_COUNTER = 'redeliveries';

/** Parsing the largest body takes a tenth of a second. The sender should not wait for that; notifications are small. */
const READ_FOR_ID_MAX_BYTES = 32 * 1024;

/**
 * The key that is equal for repeats of one delivery: the signed id, else the value at `WEBHOOK_DELIVERY_ID_POINTER`,
 * else the content without the counter of repeats. A body above 32 KiB is not read: without a signed id, its complete
 * content counts. An `id` elsewhere in the body does not count as the delivery's. In flat events it is the movement's,
 * and two events of one movement must not count as one.
 */
export function deliveryKey(body: Buffer, signedId: string | null, idPointer: string | null): string {
  if (signedId !== null) return idKey(signedId);
  const mayTell =
    body.length <= READ_FOR_ID_MAX_BYTES && (idPointer !== null || body.includes(REPEAT_COUNTER));
  const parsed = mayTell ? parseJson(bodyText(body)) : null;
  if (parsed?.ok !== true) return `sha256:${sha256(body)}`;
  const { value } = parsed;
  const id = idPointer === null ? null : scalarText(valueAt(value, parseJsonPointer(idPointer)));
  if (id !== null && id !== '') return idKey(id);
  if (!isJsonObject(value) || !Object.hasOwn(value, REPEAT_COUNTER)) return `sha256:${sha256(body)}`;
  const { [REPEAT_COUNTER]: _, ...content } = value;
  return `sha256:${sha256(stringifyJson(content))}`;
}

const idKey = (id: string): string =>
  /^[\x21-\x7e]{1,200}$/.test(id) ? `id:${id}` : `id-sha256:${sha256(id)}`;

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
