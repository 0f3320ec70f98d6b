/**
 * How long something has taken, in ms: since the call of this function, or since `fromWallMs` (ms since 1970, by the
 * clock of this machine). The larger duration of the monotonic and the wall clock counts. The monotonic clock stops
 * while the machine is suspended; the wall clock may be set back. A duration that is too long only makes Giro wait
 * longer or not send; a duration that is too short would break a gap.
 */
export function elapsedSince(fromWallMs: number = Date.now()): () => number {
  const startedAt = performance.now();
  return () => Math.max(performance.now() - startedAt, Date.now() - fromWallMs);
}
