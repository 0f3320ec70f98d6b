import { seal } from '../../codec/seal';
import type { JournalContext } from '../context';
import type { NewNotification } from '../inbox';

/** A repeat that meets the first one uncommitted waits for it: either is then in the table. */
const text = `
insert into giro.notification (delivery_key, body, key_id) values ($1::text, $2::bytea, $3::text)
on conflict (delivery_key) do nothing
returning id`;

/** What a body is sealed for: its own row. */
export const bodyContext = (deliveryKey: string): string => `giro/journal/notification/${deliveryKey}`;

export async function storeNotification(
  { database, keyRing }: JournalContext,
  { deliveryKey, body }: NewNotification,
): Promise<boolean> {
  const sealed = keyRing === null ? null : seal(keyRing, bodyContext(deliveryKey), body);
  const rows = await database.run({ name: 'store-notification', text }, [
    deliveryKey,
    sealed?.data ?? body,
    sealed?.keyId ?? null,
  ]);
  return rows.length === 1;
}
