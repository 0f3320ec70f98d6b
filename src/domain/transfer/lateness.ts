import type { TransferState } from './state';
import { nextRequestDueMs } from './view';

/**
 * How late a request is that begins now, counted from its due time. All causes count, the limiter included. 0 if the
 * request had no due time, like the first create.
 */
export function latenessMs(state: TransferState, nowMs: number): number {
  const { lastEndedAtMs, deferredFromMs } = state.requests;
  if (deferredFromMs !== null) return Math.max(0, nowMs - deferredFromMs);
  const dueMs = lastEndedAtMs === null ? null : nextRequestDueMs(state);
  // A hint can make a held transfer due at once, but not before the hint.
  return dueMs === null ? 0 : Math.max(0, nowMs - Math.max(dueMs, state.hintedAtMs ?? 0));
}

/** The limiter defers the request, because of the rate or an unreachable bank: never to an earlier time. */
export function afterDeferral(
  state: TransferState,
  { atMs, afterMs, isRetry }: { readonly atMs: number; readonly afterMs: number; readonly isRetry?: boolean },
): TransferState {
  const { requests } = state;
  return {
    ...state,
    sends: isRetry === true ? { ...state.sends, isTried: true } : state.sends,
    requests: {
      ...requests,
      notBeforeMs: Math.max(requests.notBeforeMs, atMs + afterMs),
      deferredFromMs: atMs - latenessMs(state, atMs),
    },
  };
}
