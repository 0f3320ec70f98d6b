import type { TransferState } from './state';
import { nextRequestDueMs } from './view';

/**
 * How long after its due moment a request begins now, whatever the cause, the limiter included; 0 when it had no due
 * moment, like the first create.
 */
export function latenessMs(state: TransferState, nowMs: number): number {
  const { lastEndedAtMs, deferredFromMs } = state.requests;
  if (deferredFromMs !== null) return Math.max(0, nowMs - deferredFromMs);
  const dueMs = lastEndedAtMs === null ? null : nextRequestDueMs(state);
  // A hint can make a held transfer due that was not due before.
  return dueMs === null ? 0 : Math.max(0, nowMs - Math.max(dueMs, state.hintedAtMs ?? 0));
}

/** The rate limit or an unreachable bank defers the request: later than it was due, never earlier. */
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
