import { createHash, timingSafeEqual } from 'node:crypto';

/** Long enough to cost nothing even at high rates, short enough for a rotation by hand. */
const REREAD_AFTER_MS = 2_000;

/**
 * The secrets of a file that may change while the process runs. If the file becomes unreadable, the secrets stay
 * unchanged, and `onUnreadable` is called once until the file is readable again.
 *
 * @param read returns the current secrets; null: the file cannot be read
 */
export function rotatingSecrets(
  initial: readonly string[],
  read: () => readonly string[] | null,
  onUnreadable: () => void,
  now: () => number = () => performance.now(),
): () => readonly string[] {
  let secrets = initial;
  let readAtMs = now();
  let isReadable = true;
  return () => {
    if (now() - readAtMs < REREAD_AFTER_MS) return secrets;
    readAtMs = now();
    const current = read();
    if (current === null && isReadable) onUnreadable();
    isReadable = current !== null;
    secrets = current ?? secrets;
    return secrets;
  };
}

/**
 * Whether a path segment is one of the secrets. Compares all digests, so that the time reveals neither how many
 * characters were right nor which secret it was.
 */
export function isPathSecret(segment: string, secrets: readonly string[]): boolean {
  const given = digest(segment);
  return secrets.map((secret) => timingSafeEqual(given, digest(secret))).includes(true);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
