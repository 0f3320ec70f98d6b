import { createHash, timingSafeEqual } from 'node:crypto';

/** Tells whether a header is `Bearer <token>`. Digests are compared: equal in length, and in a time that tells nothing. */
export function bearerCheck(token: string): (header: string | undefined) => boolean {
  const wanted = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header ?? ''), wanted);
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
