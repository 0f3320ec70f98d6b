/**
 * How long something has taken, in ms, since this was called or since `fromWallMs` (ms since 1970, by the clock of this
 * machine): the larger of the monotonic and the wall clock. The monotonic clock stops while the machine is suspended;
 * the wall clock may be set back. A duration that is too long only makes Giro wait longer or not send; one that is
 * too short would break a gap.
 */
export function elapsedSince(fromWallMs: number = Date.now()): () => number {
  const startedAt = performance.now();
  return () => Math.max(performance.now() - startedAt, Date.now() - fromWallMs);
}
