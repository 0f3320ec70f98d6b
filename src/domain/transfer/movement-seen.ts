import { isFinalStatus, isMovementStatus } from '../movement';
import type { SeenMovement } from './answers';
import { clear, isRaised, raise } from './flags';
import { bankResult } from './make-result';
import type { TransferState } from './state';

/** Words kept in `history`. */
const HISTORY_MAX = 50;

/** Where the answer's originId stands on the wire; a difference there puts the identity itself in doubt. */
const ORIGIN_ID_PATH = 'details.originId';

/**
 * A readable movement came. Its echo decides whether it speaks of our order: a mismatch holds the transfer; a match
 * carries it on, and ends it when the word is final; an incomplete echo may carry it on but never end it.
 */
export function withMovement(
  before: TransferState,
  seen: SeenMovement,
  event: { readonly number: number; readonly atMs: number },
): TransferState {
  const { atMs, number } = event;
  const state: TransferState = {
    ...before,
    // Whatever its echo, something stands under our originId: the order is neither sent again nor taken as refused.
    sends: { ...before.sends, mayRepeat: false, refusal: null },
    bank: { ...before.bank, notFoundRun: 0, lastWord: seen.status, lastAnswer: { ...seen, number, atMs } },
    flags: clear(before.flags, 'OUTCOME_UNKNOWN', 'VANISHED'),
  };
  const otherMovement = changed(state.bank.movementId, seen.movementId);
  if (otherMovement || seen.echo === 'mismatch') {
    return {
      ...state,
      stage: { name: 'polling' },
      bank: {
        ...state.bank,
        identityDoubted:
          state.bank.identityDoubted || otherMovement || seen.echoFields.includes(ORIGIN_ID_PATH),
      },
      flags: raise(state.flags, 'ECHO_MISMATCH', atMs),
    };
  }
  // Held until an answer matches: one that lacks fields takes nothing back of what a wrong one said.
  const stillHeld = seen.echo !== 'match' && isRaised(state.flags, 'ECHO_MISMATCH');
  if (stillHeld || state.bank.identityDoubted) return { ...state, stage: { name: 'polling' } };
  return settleOrGoOn(withOurMovement(state, seen, atMs), seen, event);
}

function settleOrGoOn(
  state: TransferState,
  seen: SeenMovement,
  { number, atMs }: { readonly number: number; readonly atMs: number },
): TransferState {
  if (!isFinalStatus(seen.status)) return { ...state, flags: clear(state.flags, 'ECHO_INCOMPLETE') };
  if (seen.echo === 'incomplete') return { ...state, flags: raise(state.flags, 'ECHO_INCOMPLETE', atMs) };
  return {
    ...state,
    // A conflict in the journal is a person's to resolve; every other cause is gone.
    flags: isRaised(state.flags, 'JOURNAL_CONFLICT') ? raise({}, 'JOURNAL_CONFLICT', atMs) : {},
    stage: {
      name: 'settling',
      result: bankResult(state, seen.status, seen),
      evidenceNumber: number,
      operators: [],
      sinceMs: atMs,
    },
  };
}

/** The movement is ours: its ids and its word are taken over. */
function withOurMovement(state: TransferState, seen: SeenMovement, atMs: number): TransferState {
  const { bank } = state;
  const isNew = bank.status !== seen.status;
  return {
    ...state,
    stage: { name: 'polling' },
    bank: {
      ...bank,
      found: true,
      status: seen.status,
      statusSinceMs: isNew ? atMs : bank.statusSinceMs,
      paceSinceMs: isDelayed(bank.status) === isDelayed(seen.status) ? bank.paceSinceMs : atMs,
      movementId: seen.movementId ?? bank.movementId,
      network: seen.network ?? bank.network,
      networkId: seen.networkId ?? bank.networkId,
    },
    history: isNew ? [...state.history, { status: seen.status, atMs }].slice(-HISTORY_MAX) : state.history,
    flags: isMovementStatus(seen.status)
      ? clear(state.flags, 'ECHO_MISMATCH', 'STATUS_UNKNOWN')
      : raise(clear(state.flags, 'ECHO_MISMATCH'), 'STATUS_UNKNOWN', atMs),
  };
}

const isDelayed = (status: string | null): boolean => status === 'DELAYED';

const changed = (known: string | null, now: string | null): boolean =>
  known !== null && now !== null && known !== now;
