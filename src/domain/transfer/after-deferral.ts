import { latenessMs } from './lateness';
import type { TransferState } from './state';

/** The bank's limit or its absence makes the request wait: later than it was due, never earlier. */
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
