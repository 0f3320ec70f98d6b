import { parseBankAccount } from '../domain/bank-account';
import { parseTaxId } from '../domain/tax-id';
import type { LeasedNotification, NewOrphanDebit } from '../journal/inbox';
import type { NotifiedEvent } from './notification';

/**
 * An orphan's ids go into a log, and into a table that nothing is deleted from. A field that is called `id` may hold
 * anything, so what reads as an account or a tax id stays out; looking it up did no harm.
 */
export const orphanOf = (
  { ids: { originIds, movementIds, networkIds }, movementType }: NotifiedEvent,
  { deliveryKey, receivedAt }: Pick<LeasedNotification, 'deliveryKey' | 'receivedAt'>,
  index: number,
): NewOrphanDebit => ({
  // No delivery key holds a space.
  deliveryKey: index === 0 ? deliveryKey : `${deliveryKey} ${index + 1}`,
  movementType,
  ...{ originIds, movementIds: movementIds.filter((id) => !isPersonal(id)), networkIds },
  receivedAt,
});

/** Accounts by their length alone: some banks' sandboxes have wrong check digits. */
const isPersonal = (id: string): boolean =>
  parseBankAccount(id, { checkDigits: false }).ok || parseTaxId(id, { checkDigits: true }).ok;
