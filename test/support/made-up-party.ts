import type { TransferOrder } from '../../src/domain/order';

/** An account or an owner's tax id of any made-up order (dev/made-up-order.ts). */
export const MADE_UP_PARTY = /(?:00090016|99900018)\d{14}|\b(?:20|23|30|33)\d{9}\b/;

export const accountsAndOwners = ({ from, to }: TransferOrder): readonly string[] =>
  [from, to].flatMap(({ address, owner }) => [address, owner.personId]);
