import type { ReceivedEvent } from './events';
import { CLAIM_ANSWER_MS } from './cadence';
import type { EchoState } from './echo-state';
import { ATTENTION_REASONS, clear, raise } from './flags';
import type { AttentionReason, Flags } from './flags';
import { withdrawn } from './make-result';
import { voidedRecord } from './decisions/voided-proposals';
import type { TransferFacts } from './facts';
import { NO_IDS } from './movement-status';
import type { TransferSettings } from './settings';
import type { BankView, Sends, TransferState } from './state';

/**
 * The order is in the journal. A new transfer has made no request, and its create may leave. A run that follows a lost
 * run continues by look-up from the journal's facts and flags, and waits for the gap before its first request.
 */
export function afterReceipt(state: TransferState, event: ReceivedEvent): TransferState {
  const { facts, orderSha256, settings, journalId } = event;
  const known: TransferState = {
    ...state,
    ...{ orderSha256, settings, journalId },
    amount: { ...state.amount, value: event.amountValue },
  };
  if (facts === null && state.requests.lastNumber === 0) {
    return {
      ...known,
      openedAtMs: event.atMs,
      stage: { name: 'sending' },
      recordedReasons: [],
      // The journal, which refused the order before, has accepted the order now.
      flags: clear(known.flags, 'JOURNAL_CONFLICT'),
    };
  }
  if (facts === null) return afterLosses(known, NOTHING_REMAINS, event);
  return state.requests.lastNumber > facts.lastNumber
    ? afterLosses(known, facts, event)
    : fromFacts(known, facts, event);
}

type Remaining = Pick<
  TransferFacts,
  'lastNumber' | 'openFlags' | 'readAtMs' | 'isLastSendOpen' | 'evidence'
> & {
  readonly sends: TransferFacts['sends'] | null;
  readonly bank: Pick<TransferFacts['bank'], keyof typeof NO_IDS>;
};

/**
 * For a transfer that the journal has lost completely. No create of the transfer has left; otherwise the journal would
 * hold a doubt.
 */
const NOTHING_REMAINS: Remaining = {
  ...{ lastNumber: 0, openFlags: [], readAtMs: 0 },
  ...{ sends: null, isLastSendOpen: false, bank: NO_IDS },
};

/**
 * A restore from a backup has lost requests that this run made, and operators have resumed the run. The run keeps its
 * knowledge and repeats no send; its numbers follow the journal's last number. Old numbers cannot be compared with new
 * ones, so decisions and ends rest only on the records that the journal still has.
 */
function afterLosses(state: TransferState, remaining: Remaining, event: ReceivedEvent): TransferState {
  const { bank: known, requests } = state;
  const bank = withEvidenceOf(known, remaining);
  const sends =
    remaining.sends === null
      ? state.sends
      : sendsAfter(
          state.sends,
          remaining.sends,
          event.atMs - remaining.readAtMs,
          sendInFlightMs(remaining, event.settings),
        );
  return {
    ...state,
    stage: { name: stageOf({ bank, sends }) },
    sends,
    requests: { ...requests, lastNumber: remaining.lastNumber, isUnanswered: false },
    bank: { ...bank, ...idsOf(remaining.bank), lastAnswer: null, lastNotFound: null, notFoundRun: 0 },
    recordedReasons: recordedReasonsOf(remaining),
  };
}

function fromFacts(state: TransferState, facts: TransferFacts, event: ReceivedEvent): TransferState {
  const { settings, atMs } = event;
  const runMs = (ms: number): number => ms + atMs - facts.readAtMs;
  const runMsOrNull = (ms: number | null): number | null => (ms === null ? null : runMs(ms));
  const { bank, acceptance } = facts;
  const { echo } = bank;
  const sends = sendsAfter(state.sends, facts.sends, atMs - facts.readAtMs, sendInFlightMs(facts, settings));
  const voided = facts.proposals.at(-1)?.id ?? acceptance?.id ?? null;
  const recorded = recordedReasonsOf(facts);
  const known: TransferState = {
    ...state,
    openedAtMs: runMs(facts.openedAtMs),
    stage: { name: stageOf({ bank, sends }) },
    requests: {
      ...state.requests,
      ...requestsAfter(facts, settings, { atMs, runMs }),
      lastPolledAtMs: runMsOrNull(facts.lastPolledAtMs),
    },
    sends,
    bank: {
      ...withEvidenceOf(state.bank, facts),
      // Earlier not-founds may have come before a send: the twelve are counted anew.
      notFoundRun: 0,
      status: bank.status,
      statusSinceMs: runMsOrNull(bank.statusSinceMs),
      paceSinceMs: runMsOrNull(bank.paceSinceMs),
      ...idsOf(bank),
      lastStatus: bank.lastStatus,
      echo,
      foundByLookup: bank.foundByLookup,
    },
    flags: openFlags(facts, echo, atMs),
    conflict:
      facts.conflict === null
        ? state.conflict
        : { reason: facts.conflict, cause: null, isUnexplained: false },
    recordedReasons: ATTENTION_REASONS.filter((reason) => recorded.includes(reason)),
    decisions: {
      // Proposals and an accepted end without a recorded result are lost with their run: operators decide again.
      proposals: [],
      unrecorded:
        voided === null
          ? state.decisions.unrecorded
          : [...state.decisions.unrecorded, voidedRecord(voided, 'the run was lost', bank.lastStatus)],
    },
    history: facts.history.map(({ status, atMs: sinceMs }) => ({ status, atMs: runMs(sinceMs) })),
  };
  const { lastRequest } = facts;
  return lastRequest?.kind === 'withdrawal' && known.stage.name === 'sending'
    ? withdrawn(known, { number: facts.lastNumber, atMs })
    : known;
}

const idsOf = ({ movementId, network, networkId }: Remaining['bank']) => ({ movementId, network, networkId });

function withEvidenceOf(
  { evidence: _, ...bank }: BankView,
  { evidence }: Pick<TransferFacts, 'evidence'>,
): BankView {
  return evidence === undefined ? bank : { ...bank, evidence };
}

/**
 * Combines what this run and the journal know of the sends. A journal that knows fewer sends has lost some, and a
 * repeat that this run no longer allows stays forbidden.
 */
function sendsAfter(
  own: Sends,
  recorded: TransferFacts['sends'],
  aheadMs: number,
  lastInFlightMs: number,
): Sends {
  const runMs = (ms: number | null): number | null => (ms === null ? null : ms + aheadMs);
  const recordedLastMs = runMs(recorded.lastAtMs);
  const lastAtMs = Math.max(own.lastAtMs ?? 0, recordedLastMs === null ? 0 : recordedLastMs + lastInFlightMs);
  return {
    ...recorded,
    notSentRun: 0,
    heldBack: null,
    isTried: own.isTried === true,
    count: Math.max(recorded.count, own.count),
    firstAtMs: runMs(recorded.firstAtMs) ?? own.firstAtMs,
    lastAtMs: lastAtMs === 0 ? null : lastAtMs,
    refusal: own.count > recorded.count ? null : recorded.refusal,
    mayRepeat: recorded.mayRepeat && own.mayRepeat,
    isCountKnown: recorded.isCountKnown !== false && own.isCountKnown !== false,
  };
}

/**
 * How long after its claim the last create may still be in flight: the request may have begun late and taken its full
 * time-out.
 */
const sendInFlightMs = (
  { isLastSendOpen }: Pick<TransferFacts, 'isLastSendOpen'>,
  { createTimeoutMs }: TransferSettings,
): number => (isLastSendOpen ? createTimeoutMs + CLAIM_ANSWER_MS : 0);

function requestsAfter(
  { lastNumber, lastRequest, polls, sends }: TransferFacts,
  settings: TransferSettings,
  { atMs, runMs }: { readonly atMs: number; readonly runMs: (ms: number) => number },
) {
  if (lastRequest === null) return { lastNumber, polls, ...(sends.count > 0 ? { lastEndedAtMs: atMs } : {}) };
  const callMs = lastRequest.kind === 'create' ? settings.createTimeoutMs : settings.lookupTimeoutMs;
  // The latest end: the request may have begun `CLAIM_ANSWER_MS` after its claim and taken its full time-out.
  const endedByMs = runMs(lastRequest.claimedAtMs) + callMs + CLAIM_ANSWER_MS;
  return {
    lastNumber,
    polls,
    isUnanswered: lastRequest.answeredAtMs === null,
    lastEndedAtMs: lastRequest.answeredAtMs === null ? Math.max(atMs, endedByMs) : atMs,
    notBeforeMs: lastRequest.retryAfterMs === null ? 0 : endedByMs + lastRequest.retryAfterMs,
  };
}

const recordedReasonsOf = ({ openFlags }: Pick<TransferFacts, 'openFlags'>): readonly AttentionReason[] =>
  openFlags.filter(({ isUnwritten }) => isUnwritten !== true).map(({ reason }) => reason);

/** The stage at which a transfer continues from its facts. */
export function stageOf({ bank, sends }: StageFacts): 'sending' | 'looking-up' | 'polling' {
  if (bank.lastStatus !== null) return 'polling';
  return sends.count > 0 ? 'looking-up' : 'sending';
}

interface StageFacts {
  readonly bank: Pick<TransferFacts['bank'], 'lastStatus'>;
  readonly sends: Pick<TransferFacts['sends'], 'count'>;
}

/** The recorded flags, the flags at the acceptance of an end, and the flags that follow from the answers. */
function openFlags({ openFlags: recorded, acceptance }: TransferFacts, echo: EchoState, atMs: number): Flags {
  const open = new Set<AttentionReason>([
    ...recorded.map(({ reason }) => reason),
    ...(acceptance?.flags ?? []),
    ...(echo.isMismatched ? (['ECHO_MISMATCH'] as const) : []),
  ]);
  return ATTENTION_REASONS.filter((reason) => open.has(reason)).reduce<Flags>(
    (flags, reason) => raise(flags, reason, atMs),
    {},
  );
}
