import type { TransferOrder } from '../domain/order';

/**
 * How orders lie in the journal. What is sealed has to be openable for ever: rows never change. Sealed values are
 * bound to their transfer, so that one row's order cannot be put into another row.
 */
export interface OrderCipher {
  /** Any JSON value. */
  sealOrder(order: TransferOrder): unknown;
  openOrder(stored: unknown, originId: number): TransferOrder;
}

export const CLEAR_ORDERS: OrderCipher = {
  sealOrder: (order) => order,
  openOrder: (stored) => stored as TransferOrder,
};
