import { isUtf8 } from 'node:buffer';
import type { MovementIds } from '../journal/statements/transfers-of';

/** The ids that a notification may be about; each is a candidate until the journal knows it. */
export interface NotificationIds extends MovementIds {
  /** Ids of identity verifications. */
  readonly requestIds: readonly string[];
}

export type IdKind = 'originId' | 'movementId' | 'networkId' | 'requestId';

/** Where an id is; `kind` null: an id of any kind. */
export interface IdPointer {
  readonly kind: IdKind | null;
  /** RFC 6901, parsed. */
  readonly tokens: readonly string[];
}

/** How notifications are read. Banks do not publish the payloads, so all of this is configuration. */
export interface NotificationReading {
  readonly idPointers: readonly IdPointer[];
  /** Where the movement's type is found; null: in any field whose name ends in `type`. */
  readonly debitPointer: readonly string[] | null;
  /** Types of debits; a type that ends in `*` matches all with that beginning. */
  readonly debitTypes: readonly string[];
}

/** One event that a notification reports. */
export interface NotifiedEvent {
  readonly ids: NotificationIds;
  /** `unknown`: the event does not tell which way the money went. */
  readonly direction: 'debit' | 'other' | 'unknown';
  /** The bank's type, if it matches `[A-Z][A-Z0-9_]{0,63}`. */
  readonly movementType: string | null;
}

/** A notification as far as Giro reads it. Statuses in it are never read: only the bank's answers decide. */
export type Notification =
  | {
      readonly kind: 'readable';
      /** At least one; several for a list of movements. */
      readonly events: readonly NotifiedEvent[];
      /** The notification has more content than Giro reads: the rest was dropped. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'unreadable' };

/**
 * The text of a delivery. JSON is UTF-8. Other bytes are read one by one (Latin-1), so that ids in them are still
 * found, and different bytes stay different texts.
 */
export const bodyText = (body: Buffer): string =>
  isUtf8(body) ? new TextDecoder().decode(body) : body.toString('latin1');
