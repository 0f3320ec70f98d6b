/** Two books are never written at one moment: for so long one may have what the other has not. */
const UNDER_WAY_MS = 10 * 60_000;

/** So near to the moment of the run, or after it, that the other book may not have it yet. Both ISO UTC. */
export function isUnderWay(at: string, asOf: string): boolean {
  return Date.parse(asOf) - Date.parse(at) < UNDER_WAY_MS;
}
