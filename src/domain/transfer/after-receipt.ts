import type { ReceivedEvent } from './events';
import type { Stage, TransferState } from './state';

/**
 * The order is in the journal. For a new transfer nothing was asked yet and the create may go; a run that follows a
 * lost one goes on by look-up from what the journal holds, and waits the gap before its first request.
 */
export function afterReceipt(state: TransferState, event: ReceivedEvent): TransferState {
  const { past, atMs } = event;
  const { lastMovement } = past;
  const ago = (ms: number | null) => (ms === null ? null : atMs - ms);
  const wasAsked = past.lastNumber > 0;
  return {
    ...state,
    orderSha256: event.orderSha256,
    amount: { ...state.amount, value: event.amountValue },
    settings: event.settings,
    openedAtMs: atMs - past.sinceOpenedMs,
    stage: { name: stageAfter(past) },
    requests: {
      ...state.requests,
      lastNumber: past.lastNumber,
      lastEndedAtMs: wasAsked ? atMs + past.inFlightMs : null,
      polls: past.polls,
    },
    sends: {
      ...state.sends,
      count: past.sends,
      firstAtMs: ago(past.sinceFirstSendMs),
      lastAtMs: ago(past.sinceLastSendMs),
      refusal: past.refusal,
      mayRepeat: lastMovement === null,
    },
    bank:
      lastMovement === null
        ? state.bank
        : {
            ...state.bank,
            status: lastMovement.status,
            statusSinceMs: atMs - lastMovement.sinceMs,
            paceSinceMs: atMs - lastMovement.sinceMs,
            movementId: lastMovement.movementId,
            network: lastMovement.network,
            networkId: lastMovement.networkId,
            found: true,
          },
    history:
      lastMovement === null
        ? state.history
        : [{ status: lastMovement.status, atMs: atMs - lastMovement.sinceMs }],
  };
}

function stageAfter(past: ReceivedEvent['past']): Exclude<Stage['name'], 'settling' | 'ended'> {
  if (past.lastMovement !== null) return 'polling';
  return past.sends > 0 ? 'looking-up' : 'sending';
}
