import type { EchoField } from '../echo';
import type { ReportedMoney, RequestError } from './answers';
import { createDueMs, lookupDueMs } from './cadence';
import { evidenceNumberOf } from './evidence';
import { isHeld, isRaised, openReasons } from './flags';
import type { AttentionReason } from './flags';
import type { DecisionAction, ProposedAction } from './decisions/decision';
import type { TransferResultStatus } from './result';
import { openDecisions } from './decisions/judge-decision';
import type { SendingStop } from './records';
import type { TransferState } from './state';

export const TRANSFER_PHASES = [
  'received',
  'sending',
  'looking-up',
  'polling',
  'held',
  'annulling',
  'ended',
] as const;
export type TransferPhase = (typeof TRANSFER_PHASES)[number];

/** The answer of query `state` (contract section 3). Times are ISO UTC. */
export interface TransferView {
  readonly originId: number;
  readonly phase: TransferPhase;
  readonly bankStatus: string | null;
  readonly movementId: string | null;
  readonly networkId: string | null;
  readonly needsAttention: boolean;
  readonly attentionReasons: readonly AttentionReason[];
  readonly polls: number;
  readonly lastPolledAt: string | null;
  /** When the next request to the bank is due; null: none is planned, or it is the first create, due at once. */
  readonly nextPollAt: string | null;
  readonly orderSha256: string | null;
  readonly cancelRequested: boolean;
  readonly history: readonly { readonly status: string; readonly at: string }[];
  /** Decisions of a first operator that wait for a second operator. */
  readonly proposals: readonly ProposalView[];
  /** What operators may decide under the open flags. They may also withdraw a proposal; everything else is refused. */
  readonly mayDecide: readonly OpenDecision[];
  /** While `JOURNAL_CONFLICT` is open, what the journal refuses or contradicts, for people. */
  readonly journalConflict: string | null;
  /** Creates that may have reached the bank. */
  readonly sends: number;
  /** The emergency brake holds the create back: nothing is sent until `sending go`. */
  readonly sendingStopped: SendingStop | null;
  /** Why the last request had no readable answer; null: it had one. */
  readonly lastError: RequestError | null;
  readonly doubtfulAnswer: DoubtfulAnswer | null;
  /**
   * The first request of the unbroken series of equal readable answers, which a signed decision names; errors do not
   * break the series. 0: no readable answer so far.
   */
  readonly evidenceNumber: number;
}

/** The last readable movement when its echo was not a match. */
export interface DoubtfulAnswer {
  readonly status: string;
  readonly echo: 'incomplete' | 'mismatch';
  /** The fields that differ or are absent. */
  readonly fields: readonly EchoField[];
  readonly at: string;
  readonly ordered: { readonly amount: string; readonly currency: string };
  /** Null: not reported, or unreadable. */
  readonly reported: ReportedMoney;
}

export interface ProposalView {
  readonly action: ProposedAction;
  readonly operator: string;
  readonly reason: string;
  readonly at: string;
  /** The bank's last status when the proposal was made. */
  readonly bankStatus: string | null;
}

export interface OpenDecision {
  readonly action: Exclude<DecisionAction, 'withdraw'>;
  /** Number of different operators needed. */
  readonly operators: 1 | 2;
  /** Not before; null: at once. */
  readonly from: string | null;
  /** Not after; null: no bound. For `accept-not-taken` each new not-found extends it. */
  readonly until: string | null;
  readonly says: string;
}

/** The phase while a known end is being recorded; `ended` only after that. */
const PHASE_WHILE_RECORDING: Record<TransferResultStatus, TransferPhase> = {
  COMPLETED: 'polling',
  FAILED: 'annulling',
  REFUSED: 'looking-up',
  WITHDRAWN: 'sending',
};

function phaseOf(state: TransferState): TransferPhase {
  const { stage } = state;
  if (stage.name === 'ended') return 'ended';
  if (isHeld(state.flags)) return 'held';
  switch (stage.name) {
    case 'receiving':
      return 'received';
    case 'sending':
    case 'looking-up':
    case 'polling':
      return stage.name;
    case 'ending':
      return PHASE_WHILE_RECORDING[stage.result.status];
  }
}

/** The value of `GiroStatus`: result status, else bank status, else phase. */
export function giroStatus(state: TransferState): string {
  return state.stage.name === 'ended' ? state.stage.result.status : (state.bank.status ?? phaseOf(state));
}

/** When the next request is due; null: none is planned. 0: at once, because no request was made or deferred before. */
export function nextRequestDueMs(state: TransferState): number | null {
  switch (state.stage.name) {
    case 'sending':
      if (!isHeld(state.flags)) return createDueMs(state);
      return state.sends.count === 0 ? null : lookupDueMs(state);
    case 'looking-up':
    case 'polling':
      return lookupDueMs(state);
    case 'ending':
      return isHeld(state.flags) ? lookupDueMs(state) : null;
    case 'receiving':
    case 'ended':
      return null;
  }
}

/** Whether a create is next, or a repeat after the look-ups in between. */
const isSendPlanned = ({ stage, flags }: TransferState): boolean =>
  stage.name === 'sending' || (stage.name === 'looking-up' && !isHeld(flags));

/**
 * Null if the last not-found will be too old at `fromMs`: look-ups continue, and a younger not-found will set a later
 * bound.
 */
const untilMs = ({ fromMs, untilMs: until }: { fromMs: number | null; untilMs: number | null }) =>
  fromMs !== null && until !== null && until <= fromMs ? null : until;

/** `iso` turns ms into ISO UTC: the domain has neither clock nor calendar. */
export function viewOf(state: TransferState, iso: (ms: number) => string): TransferView {
  const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
  const { bank, requests } = state;
  const dueMs = nextRequestDueMs(state);
  return {
    originId: state.originId,
    phase: phaseOf(state),
    bankStatus: bank.status,
    movementId: bank.movementId,
    networkId: bank.networkId,
    needsAttention: openReasons(state.flags).length > 0,
    attentionReasons: openReasons(state.flags),
    polls: requests.polls,
    lastPolledAt: isoOrNull(requests.lastPolledAtMs),
    nextPollAt: dueMs === null || dueMs === 0 ? null : iso(dueMs),
    orderSha256: state.orderSha256,
    cancelRequested: state.cancelRequestedAtMs !== null,
    history: state.history.map(({ status, atMs }) => ({ status, at: iso(atMs) })),
    proposals: state.decisions.proposals.map(({ action, operator, reason, atMs, bankStatus }) => ({
      ...{ action, operator, reason, at: iso(atMs), bankStatus },
    })),
    mayDecide: openDecisions(state).map(({ row: { action, operators, says }, permission }) => ({
      ...{
        action,
        operators,
        from: isoOrNull(permission.fromMs),
        until: isoOrNull(untilMs(permission)),
        says,
      },
    })),
    journalConflict: isRaised(state.flags, 'JOURNAL_CONFLICT') ? (state.conflict?.reason ?? null) : null,
    sends: state.sends.count,
    sendingStopped: isSendPlanned(state) ? (state.sends.heldBack?.stop ?? null) : null,
    lastError: requests.lastError,
    doubtfulAnswer: doubtfulAnswer(state, iso),
    evidenceNumber: evidenceNumberOf(bank),
  };
}

/** For an answer that was recorded without the reported money. */
const NOTHING_REPORTED: ReportedMoney = { amount: null, currency: null };

function doubtfulAnswer(
  { amount: { value, currency }, bank: { lastAnswer } }: TransferState,
  iso: (ms: number) => string,
): DoubtfulAnswer | null {
  if (lastAnswer === null || lastAnswer.echo === 'match') return null;
  const { status, echo, echoFields, atMs, reported = NOTHING_REPORTED } = lastAnswer;
  return {
    ...{ status, echo, fields: echoFields, at: iso(atMs) },
    ...{ ordered: { amount: value, currency }, reported },
  };
}
