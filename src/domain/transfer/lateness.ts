import { nextRequestDueMs } from './view';
import type { TransferState } from './state';

/** How long after its due moment a request begins now; 0 when nothing made it due, as for the first create. */
export function latenessMs(state: TransferState, nowMs: number): number {
  if (state.requests.lastEndedAtMs === null) return 0;
  const dueMs = nextRequestDueMs(state);
  // A hint makes a held transfer due that was not before it came.
  return dueMs === null ? 0 : Math.max(0, nowMs - Math.max(dueMs, state.hintedAtMs ?? 0));
}
