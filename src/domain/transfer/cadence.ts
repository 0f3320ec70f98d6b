import { isHeld } from './flags';
import type { TransferState } from './state';

/**
 * When the next request about a movement may start (contract 4.3). The gap runs from the end of one request to the
 * start of the next, whatever woke the transfer. The end is `requests.lastEndedAtMs`. Some steps without a
 * request set the end too, so that the next request keeps the gap after them: for example a refusal by the journal, or
 * the receipt of a run that replaces a lost one. `RunClock` provides the time.
 */

/** Longest pause between creates that surely did not reach the bank. */
const NOT_SENT_DELAY_MAX_MS = 300_000;

/**
 * Longest wait for the journal's answer to a claim. The request begins after that answer, so it may begin this long
 * after the recorded time of the claim. The journal's connections enforce this time-out.
 */
export const CLAIM_ANSWER_MS = 7_000;

/** The gap that the bank's last status demands: a lower bound that not even a hint shortens. */
function statusGapMs({ bank, settings }: TransferState): number {
  return bank.lastStatus === 'DELAYED' ? settings.pollDelayedMs : settings.pollActiveMs;
}

/** The gap to keep before the next look-up. A hint shortens a held transfer's gap, never the bank's. */
function lookupGapMs(state: TransferState): number {
  const bound = statusGapMs(state);
  return isHeld(state.flags) && state.hintedAtMs === null
    ? Math.max(bound, state.settings.pollDelayedMs)
    : bound;
}

/** Earliest start of the next look-up. */
export function lookupDueMs(state: TransferState): number {
  return due(state, lookupGapMs(state));
}

/** Earliest start of the next create: at once before the first request. */
export function createDueMs(state: TransferState): number {
  return Math.max(due(state, createGapMs(state)), heldBackUntilMs(state));
}

/** The gap grows while no create reaches the bank. A hint shortens it to the bank's gap, never further. */
function createGapMs(state: TransferState): number {
  const gapMs = statusGapMs(state);
  const { notSentRun } = state.sends;
  if (notSentRun === 0 || state.hintedAtMs !== null) return gapMs;
  const growingMs = state.settings.pollActiveMs * 2 ** Math.min(notSentRun - 1, 16);
  return Math.max(gapMs, Math.min(growingMs, NOT_SENT_DELAY_MAX_MS));
}

/** When the next attempt of a create that is held back is due; a hint brings it forward. */
function heldBackUntilMs({ sends, hintedAtMs }: TransferState): number {
  return sends.heldBack === null || hintedAtMs !== null ? 0 : sends.heldBack.lookAgainAtMs;
}

/** The gap after the last request, or `notBeforeMs` (Retry-After, time of a deferred request) if that is later. */
function due({ requests }: TransferState, gapMs: number): number {
  return requests.lastEndedAtMs === null
    ? requests.notBeforeMs
    : Math.max(requests.lastEndedAtMs + gapMs, requests.notBeforeMs);
}

/**
 * A request that began after a hint uses the hint up. A hint that arrived during the request asks for another request.
 */
export function hintAfter(hintedAtMs: number | null, requestStartedAtMs: number): number | null {
  return hintedAtMs !== null && hintedAtMs > requestStartedAtMs ? hintedAtMs : null;
}
