import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a path segment is one of the secrets. Digests are compared, all of them, so that the time taken tells
 * neither how many characters were right nor which secret it was.
 */
export function isPathSecret(segment: string, secrets: readonly string[]): boolean {
  const given = digest(segment);
  return secrets.map((secret) => timingSafeEqual(given, digest(secret))).includes(true);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
