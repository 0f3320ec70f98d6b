import { createHash } from 'node:crypto';
import type { TransferOrder } from './order';
import { canonicalOrderText } from './order';

/** `orderSha256`: lower-case hex SHA-256 of the canonical text of a normalised order. */
export function orderFingerprint(order: TransferOrder): string {
  return createHash('sha256').update(canonicalOrderText(order), 'utf8').digest('hex');
}
