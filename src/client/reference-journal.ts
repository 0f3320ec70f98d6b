import { createJournal } from '../journal/create-journal';
import type { KeyRing } from '../codec/key-ring';
import type { ReferenceJournal } from './giro-client';

/**
 * The journal of `DATABASE_URL`, for orders that carry a `reference`, for events and for full answers of verifications.
 * `keyRing`: that of `CODEC_KEYS_FILE`, if the workers have one; only full answers need it, which are told as `SealError`
 * when it is absent or lacks their key. Works as role `giro_client`, of which the login has to be a member. Connects when
 * first needed; close it when done.
 */
export function openReferenceJournal(
  databaseUrl: string,
  keyRing: KeyRing | null = null,
): ReferenceJournal & { close(): Promise<void> } {
  const { journal, close } = createJournal(databaseUrl, { keyRing, identity: 'giro_client' });
  return { ...journal, close };
}
