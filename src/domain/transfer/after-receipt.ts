import type { ReceivedEvent } from './events';
import { CLAIM_ANSWER_MS } from './claim-answer';
import { ATTENTION_REASONS, openReasons, raise } from './flags';
import { voidedRecord } from './decisions/voided-proposals';
import type { Flags } from './flags';
import { sendsOf } from './known-sends';
import type { TransferPast } from './past';
import type { TransferSettings } from './settings';
import type { Sends, Stage, TransferState } from './state';

/**
 * The order is in the journal. For a new transfer nothing was asked yet and the create may go; a run that follows a
 * lost one goes on by look-up from what the journal holds, with the flags it holds, and waits the gap before its
 * first request.
 */
export function afterReceipt(state: TransferState, event: ReceivedEvent): TransferState {
  const known: TransferState = {
    ...state,
    orderSha256: event.orderSha256,
    amount: { ...state.amount, value: event.amountValue },
    settings: event.settings,
  };
  return state.requests.lastNumber > event.past.lastNumber
    ? beyondTheJournal(known, event.past)
    : fromTheJournal(known, event);
}

/**
 * The journal has lost requests that this run made (it was restored from a backup), and operators have resumed the
 * run: what it knows stands, nothing that was sent is sent again, and numbers follow the journal's last. Answers of
 * before have numbers of before, which are not to be compared with those to come: no decision rests on them.
 */
function beyondTheJournal(state: TransferState, past: TransferPast): TransferState {
  const { sends, bank, requests } = state;
  return {
    ...state,
    stage: { name: stageAfter(bank.found || bank.foundByLookup, sends.count) },
    requests: { ...requests, lastNumber: past.lastNumber },
    bank: { ...bank, lastAnswer: null, lastNotFound: null },
    recordedReasons: openReasons(flagsOf(past, 0)),
  };
}

function fromTheJournal(state: TransferState, event: ReceivedEvent): TransferState {
  const { past, atMs } = event;
  const { lastMovement } = past;
  const sends = sendsAfter(state.sends, sendsOf(past, atMs));
  const flags = flagsOf(past, atMs);
  const voided = past.openProposal ?? past.lostAcceptance?.id ?? null;
  return {
    ...state,
    openedAtMs: atMs - past.sinceOpenedMs,
    stage: { name: stageAfter(past.sawMovement, sends.count) },
    requests: { ...state.requests, ...requestsAfter(past, event.settings, atMs) },
    sends,
    bank: {
      ...state.bank,
      // What this run counted before may lie on the other side of a send: twelve not-founds are counted anew.
      notFoundRun: 0,
      lastWord: past.lastWord,
      identityDoubted: past.identityDoubted,
      // The journal keeps no look-up that told the same as the create: it may have been one.
      foundByLookup: past.sawMovement,
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
    recordedReasons: openReasons(flagsOf({ ...past, identityDoubted: false, lostAcceptance: null }, atMs)),
    decisions: {
      // A proposal, and an end that was accepted but not written down, go with their run: operators look again.
      proposals: [],
      unrecorded:
        voided === null
          ? state.decisions.unrecorded
          : [...state.decisions.unrecorded, voidedRecord(voided, 'the run was lost', past.lastWord)],
    },
    history:
      lastMovement === null || state.history.length > 0
        ? state.history
        : [{ status: lastMovement.status, atMs: atMs - lastMovement.sinceMs }],
  };
}

/**
 * What this run knows of its sends stands beside what the journal tells: a journal that knows of fewer has lost some,
 * and who has taken a repeat away does not give it back by reading.
 */
function sendsAfter(own: Sends, told: Sends): Sends {
  const lastAtMs = Math.max(own.lastAtMs ?? 0, told.lastAtMs ?? 0);
  return {
    ...told,
    count: Math.max(told.count, own.count),
    firstAtMs: told.firstAtMs ?? own.firstAtMs,
    lastAtMs: lastAtMs === 0 ? null : lastAtMs,
    refusal: own.count > told.count ? null : told.refusal,
    mayRepeat: told.mayRepeat && own.mayRepeat,
    isCountKnown: told.isCountKnown !== false && own.isCountKnown !== false,
  };
}

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

function stageAfter(sawMovement: boolean, sends: number): Exclude<Stage['name'], 'settling' | 'ended'> {
  if (sawMovement) return 'polling';
  return sends > 0 ? 'looking-up' : 'sending';
}

function flagsOf({ openFlags, identityDoubted, lostAcceptance }: TransferPast, atMs: number): Flags {
  const restored = lostAcceptance?.openFlags ?? [];
  const open = ATTENTION_REASONS.filter(
    (reason) =>
      openFlags.includes(reason) ||
      restored.includes(reason) ||
      (identityDoubted && reason === 'ECHO_MISMATCH'),
  );
  return open.reduce<Flags>((flags, reason) => raise(flags, reason, atMs), {});
}
