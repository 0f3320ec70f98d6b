import type { NotifiedEvent } from './notification';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Pauses between the tries of one notification: 1, 2, 4 … 60 s, and up to a fifth more so that they spread. */
export function againAfterMs(tries: number, random: () => number = Math.random): number {
  const pauseMs = Math.min(SECOND_MS * 2 ** Math.min(tries - 1, 10), MINUTE_MS);
  return Math.round(pauseMs * (1 + random() / 5));
}

/**
 * How long a notification of something that matches nothing is looked at again. The bank's ids of a transfer become known with an
 * answer, which may come after the notification: after the create's time-out, or after a look-up while DELAYED
 * (10 m 30 s). An originId is known before the create goes out, so one that is unknown stays so.
 */
export function patienceMs({ ids, direction }: NotifiedEvent): number {
  const mayBecomeKnown = ids.movementIds.length + ids.networkIds.length > 0;
  if (ids.originIds.length > 0 || !mayBecomeKnown || direction === 'other') return 0;
  return direction === 'debit' ? 15 * MINUTE_MS : MINUTE_MS;
}
