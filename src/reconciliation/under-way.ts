/** Two books are never written at one moment: for so long one may have what the other has not. */
const UNDER_WAY_MS = 10 * 60_000;

/** So shortly before the books were read that the other book may not have it yet. Both ISO UTC. */
export function isUnderWay(at: string, readAt: string): boolean {
  return Date.parse(readAt) - Date.parse(at) < UNDER_WAY_MS;
}
