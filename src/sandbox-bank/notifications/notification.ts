import { randomUUID } from 'node:crypto';
import { literal, writeJson } from '../json';
import type { BankMovement } from '../book/movement';
import { currentStatus } from '../book/movement';
import type { Notify } from '../rules/notify-schema';

/** The text for the subscriber. Only the counter in the envelope differs between attempts. */
export interface NotificationText {
  readonly id: string;
  readonly eventType: string;
  readonly originId: string | null;
  readonly status: string | null;
  text(redeliveries: number): string;
}

export const MONEY_MOVEMENT = 'NEW_MONEY_MOVEMENT';

/** A movement in its current state, in one of the two shapes that similar banks use. */
export function movementNotification(movement: BankMovement, { shape, ids }: Notify): NotificationText {
  const id = randomUUID();
  const status = currentStatus(movement);
  const created = new Date().toISOString();
  const { originId } = movement.order;
  const has = (name: Notify['ids'][number]): boolean => ids.includes(name);
  const details = {
    type: `DEBIT_TRANSFER_SENT_${movement.order.from.address.startsWith('000') ? 'CVU' : 'CBU'}`,
    originId: has('originId') ? literal(originId) : null,
    networkId: has('networkId') ? movement.networkId : null,
  };
  const movementId = has('movementId') ? movement.id : null;
  const text = (redeliveries: number): string =>
    writeJson(
      shape === 'envelope'
        ? { id, type: MONEY_MOVEMENT, created, data: { id: movementId, status, details }, redeliveries }
        : { event: MONEY_MOVEMENT, eventDatetime: created, movementId, status, ...details },
    );
  return { id, eventType: MONEY_MOVEMENT, originId, status, text };
}

/** Any text, for events without a movement in these books: incoming money, a debit that nobody ordered. */
export function freeNotification(eventType: string, body: unknown): NotificationText {
  const text = writeJson(body);
  return { id: randomUUID(), eventType, originId: null, status: null, text: () => text };
}
