import { createHash } from 'node:crypto';
import type { TransferOrder } from './order';
import { canonicalOrderText } from './order';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** `orderSha256`: lower-case hex SHA-256 of the canonical text of a normalised order. */
export function orderFingerprint(order: TransferOrder): string {
  return sha256(canonicalOrderText(order));
}

/** Lower-case hex SHA-256 of a create body: every send of a transfer has exactly these bytes. */
export const bodyFingerprint = (body: string): string => sha256(body);
