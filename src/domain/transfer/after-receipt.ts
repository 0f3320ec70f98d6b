import type { ReceivedEvent } from './events';
import { ATTENTION_REASONS, openReasons, raise } from './flags';
import type { Flags } from './flags';
import type { TransferPast } from './past';
import type { TransferSettings } from './settings';
import type { Stage, TransferState } from './state';

/**
 * The order is in the journal. For a new transfer nothing was asked yet and the create may go; a run that follows a
 * lost one goes on by look-up from what the journal holds, with the flags it holds, and waits the gap before its
 * first request.
 */
export function afterReceipt(state: TransferState, event: ReceivedEvent): TransferState {
  const { past, atMs } = event;
  const { lastMovement } = past;
  const ago = (ms: number | null) => (ms === null ? null : atMs - ms);
  const flags = flagsOf(past, atMs);
  return {
    ...state,
    orderSha256: event.orderSha256,
    amount: { ...state.amount, value: event.amountValue },
    settings: event.settings,
    openedAtMs: atMs - past.sinceOpenedMs,
    stage: { name: stageAfter(past) },
    requests: { ...state.requests, ...requestsAfter(past, event.settings, atMs) },
    sends: {
      ...state.sends,
      count: past.sends,
      firstAtMs: ago(past.sinceFirstSendMs),
      lastAtMs: ago(past.sinceLastSendMs),
      refusal: past.sawMovement ? null : past.refusal,
      mayRepeat: !past.sawMovement,
    },
    bank: {
      ...state.bank,
      lastWord: past.lastWord,
      identityDoubted: past.identityDoubted,
      ...(lastMovement === null
        ? {}
        : {
            status: lastMovement.status,
            statusSinceMs: atMs - lastMovement.sinceMs,
            paceSinceMs: atMs - lastMovement.sinceMs,
            movementId: lastMovement.movementId,
            network: lastMovement.network,
            networkId: lastMovement.networkId,
            found: true,
          }),
    },
    flags,
    recordedReasons: openReasons(flagsOf({ ...past, identityDoubted: false }, atMs)),
    history:
      lastMovement === null || state.history.length > 0
        ? state.history
        : [{ status: lastMovement.status, atMs: atMs - lastMovement.sinceMs }],
  };
}

/** The journal's own time-out: a claim's request begins only when the claim has been answered. */
const CLAIM_ANSWER_MS = 5_000;

function requestsAfter(
  { lastNumber, lastClaim, polls }: TransferPast,
  settings: TransferSettings,
  atMs: number,
) {
  if (lastClaim === null) return { lastNumber, polls };
  const callMs = lastClaim.kind === 'create' ? settings.createTimeoutMs : settings.lookupTimeoutMs;
  const longestMs = callMs + CLAIM_ANSWER_MS;
  return {
    lastNumber,
    polls,
    // It may be under way still; the gap runs from its end.
    lastEndedAtMs: atMs + (lastClaim.answered ? 0 : Math.max(0, longestMs - lastClaim.agoMs)),
    // Counted from the answer, which came so long after the claim at most.
    notBeforeMs:
      lastClaim.retryAfterMs === null ? 0 : atMs + lastClaim.retryAfterMs + longestMs - lastClaim.agoMs,
  };
}

function stageAfter(past: TransferPast): Exclude<Stage['name'], 'settling' | 'ended'> {
  if (past.sawMovement) return 'polling';
  return past.sends > 0 ? 'looking-up' : 'sending';
}

function flagsOf({ openFlags, identityDoubted }: TransferPast, atMs: number): Flags {
  const open = ATTENTION_REASONS.filter(
    (reason) => openFlags.includes(reason) || (identityDoubted && reason === 'ECHO_MISMATCH'),
  );
  return open.reduce<Flags>((flags, reason) => raise(flags, reason, atMs), {});
}
