import { createJournal } from '../journal/create-journal';
import type { KeyRing } from '../codec/key-ring';
import { readProcessEnv } from '../config/env';
import { databaseTransport } from '../config/journal';
import { PlaintextRefusedError } from './errors';
import type { ReferenceJournal } from './giro-client';

/**
 * The journal of `DATABASE_URL`, for orders that carry a `reference`, for events and for full answers of verifications.
 * `keyRing`: the ring of `CODEC_KEYS_FILE`, if the workers have one. Only full answers need it; they throw `SealError`
 * if the ring is absent or lacks their key. Works as role `giro_client`, so the login must be a member. Connects when
 * first needed; close it when done.
 *
 * @throws PlaintextRefusedError the database is not on loopback and lacks verified TLS, and `allowPlaintext` is not set
 */
export function openReferenceJournal(
  databaseUrl: string,
  keyRing: KeyRing | null = null,
  { allowPlaintext = false }: { readonly allowPlaintext?: boolean } = {},
): ReferenceJournal & { close(): Promise<void> } {
  // Text that is not an address: node-postgres rejects it later.
  const isPlain =
    URL.canParse(databaseUrl) &&
    databaseTransport(new URL(databaseUrl), { env: readProcessEnv() }) === 'plaintext';
  if (isPlain && !allowPlaintext) throw new PlaintextRefusedError();
  const { journal, close } = createJournal(databaseUrl, { keyRing, identity: 'giro_client' });
  return { ...journal, close };
}
