import { isFinalStatus, isMovementStatus } from '../movement';
import type { CreateAnswer, LookupAnswer, SeenMovement } from './answers';
import { echoAfter } from './echo-state';
import { evidenceAfter } from './evidence';
import { clear, isRaised, raise } from './flags';
import type { Flags } from './flags';
import { bankResult } from './make-result';
import { HISTORY_MAX, withStatus } from './movement-status';
import type { TransferState } from './state';

interface AnsweredRequest {
  readonly number: number;
  readonly atMs: number;
  readonly by: 'create' | 'lookup';
}

/** Updates the evidence: the first request of the current series of equal answers (`Evidence`). */
export function withEvidence(
  state: TransferState,
  { number, answer }: { readonly number: number; readonly answer: CreateAnswer | LookupAnswer },
): TransferState {
  const evidence = evidenceAfter(state.bank.evidence, number, answer);
  return evidence === undefined ? state : { ...state, bank: { ...state.bank, evidence } };
}

/**
 * A readable movement arrived. The echo decides whether the movement is about our order. A mismatch holds the transfer.
 * A match continues the transfer, and ends it if the status is final. An incomplete echo may continue the transfer, but
 * never ends it.
 */
export function withMovement(
  before: TransferState,
  seen: SeenMovement,
  request: AnsweredRequest,
): TransferState {
  const { atMs, number, by } = request;
  const { echo, isReported, isOurs } = echoAfter(before.bank.echo, seen, by);
  const held: TransferState = {
    ...before,
    stage: { name: 'polling' },
    // With any echo, the bank has a movement under our originId: the order is neither repeated nor refused.
    sends: { ...before.sends, mayRepeat: false, refusal: null },
    bank: {
      ...before.bank,
      echo,
      notFoundRun: 0,
      lastStatus: seen.status,
      lastAnswer: { ...seen, number, atMs },
      foundByLookup: before.bank.foundByLookup || by === 'lookup',
    },
    flags: clear(before.flags, 'OUTCOME_UNKNOWN', 'VANISHED', 'ORDER_TAMPERED'),
  };
  const state = isReported ? withReported(held, seen, atMs) : held;
  if (isOurs)
    return endOrContinue({ ...state, flags: flagsOfStatus(state.flags, seen.status, atMs) }, seen, request);
  return echo.isMismatched ? { ...state, flags: raise(state.flags, 'ECHO_MISMATCH', atMs) } : state;
}

function endOrContinue(
  state: TransferState,
  seen: SeenMovement,
  { number, atMs }: { readonly number: number; readonly atMs: number },
): TransferState {
  if (!isFinalStatus(seen.status)) return { ...state, flags: clear(state.flags, 'ECHO_INCOMPLETE') };
  if (seen.echo === 'incomplete') return { ...state, flags: raise(state.flags, 'ECHO_INCOMPLETE', atMs) };
  return {
    ...state,
    // Only a person can resolve a journal conflict; every other cause is gone.
    flags: isRaised(state.flags, 'JOURNAL_CONFLICT') ? raise({}, 'JOURNAL_CONFLICT', atMs) : {},
    stage: {
      name: 'ending',
      result: bankResult(state, seen.status, seen),
      evidenceNumber: number,
      operators: [],
      sinceMs: atMs,
    },
  };
}

/** Takes over status and ids of the answer. */
function withReported(state: TransferState, seen: SeenMovement, atMs: number): TransferState {
  const isNew = state.bank.status !== seen.status;
  return {
    ...state,
    bank: withStatus(state.bank, seen, atMs),
    history: isNew ? [...state.history, { status: seen.status, atMs }].slice(-HISTORY_MAX) : state.history,
  };
}

/** The answer is about our order: the causes of earlier holds are gone. */
const flagsOfStatus = (flags: Flags, status: string, atMs: number): Flags =>
  isMovementStatus(status)
    ? clear(flags, 'ECHO_MISMATCH', 'STATUS_UNKNOWN')
    : raise(clear(flags, 'ECHO_MISMATCH'), 'STATUS_UNKNOWN', atMs);
