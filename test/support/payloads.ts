import type { Payload } from '@temporalio/common';

/** A payload in a history. */
export interface FoundPayload {
  readonly where: string;
  readonly encoding: string;
  readonly keyId: string | null;
}

/** Every payload anywhere in a message of Temporal. */
export function payloadsOf(value: unknown, where = ''): FoundPayload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  const { metadata } = value as Payload;
  const encoding = metadata?.['encoding'];
  if (encoding instanceof Uint8Array) {
    const keyId = metadata?.['encryption-key-id'];
    return [{ where, encoding: text(encoding), keyId: keyId == null ? null : text(keyId) }];
  }
  return Object.entries(value).flatMap(([key, member]) => payloadsOf(member, `${where}.${key}`));
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
