import type { Seen, Timed } from './timed';

/** Tells the engine's time, and what the run has seen, so that its history has both. */
export const readClock = (_nothing: null, seen: Seen): Promise<Timed<object>> =>
  Promise.resolve({ atMs: seen.engineMs, seen });
