import { deliveryKey } from './delivery-key';
import type { DeliveryOutcome } from './observer';
import type { Delivery, DeliveryVerifier } from './verify';
import type { Journal } from '../journal/journal';

export type AcceptDelivery = (delivery: Delivery) => Promise<DeliveryOutcome>;

export interface AcceptOptions {
  readonly verify: DeliveryVerifier;
  readonly inbox: Pick<Journal, 'storeNotification'>;
  /** RFC 6901; null: signed ids and contents only. */
  readonly deliveryIdPointer: string | null;
  /** Called after a new notification is stored. */
  readonly onStored: () => void;
  /** Why nothing could be stored. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** What a delivery goes through: verified as bytes, stored once, and only then answered; what it says comes later. */
export function acceptDelivery(options: AcceptOptions): AcceptDelivery {
  const { verify, inbox, deliveryIdPointer, onStored, onStoreFailed } = options;
  return async (delivery) => {
    const verification = verify(delivery);
    if (!verification.ok) return 'bad-signature';
    const key = deliveryKey(delivery.body, verification.deliveryId, deliveryIdPointer);
    let isNew: boolean;
    try {
      isNew = await inbox.storeNotification({ deliveryKey: key, body: delivery.body });
    } catch (error) {
      onStoreFailed(error);
      // Whatever the reason, the sender has to repeat it: only a commit is an acceptance.
      return 'store-down';
    }
    if (isNew) onStored();
    return isNew ? 'stored' : 'duplicate';
  };
}
