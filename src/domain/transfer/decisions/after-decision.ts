import type { DecisionRecord, Proposal, ProposedAction } from './decision';
import { clear, isHeld, isRaised, openReasons } from '../flags';
import type { Flags } from '../flags';
import { isOf } from './judge-decision';
import { operatorsResult } from '../make-result';
import { takesRepeatAway } from '../repeat';
import { forgetsIds, echoAfterDecision } from '../echo-state';
import { NO_IDS } from '../movement-status';
import type { BankView, TransferState } from '../state';

/**
 * Applies an operator's decision that `judgeDecision` allows in this state. The journal records the decision before the
 * run acts on it.
 */
export function afterDecision(before: TransferState, record: DecisionRecord, atMs: number): TransferState {
  const { action } = record;
  const { proposals, unrecorded } = before.decisions;
  const state: TransferState = {
    ...before,
    decisions: { proposals: [], unrecorded: [...unrecorded, record] },
  };
  switch (action) {
    case null:
    case 'withdraw':
      return state;
    case 'resume':
      return resumed(state, record, atMs);
    case 'resend':
    case 'accept-not-taken':
    case 'accept-completed':
    case 'accept-failed':
      return record.outcome === 'accepted'
        ? accepted(state, action, record, { proposals, atMs })
        : { ...state, decisions: { ...state.decisions, proposals: withProposal(proposals, record, atMs) } };
  }
}

/** One proposal for each operator: a new one replaces the earlier one. */
function withProposal(
  proposals: readonly Proposal[],
  { id, action, operator, reason, bankStatus, proof }: DecisionRecord,
  atMs: number,
): readonly Proposal[] {
  if (operator === null) return proposals;
  const proposal = {
    ...{ id, action: action as ProposedAction, operator, reason, atMs, bankStatus },
    ...(proof === undefined ? {} : { keyFingerprint: proof.keyFingerprint }),
  };
  return [...proposals.filter((one) => !isOf(one, operator)), proposal];
}

/** The reasons of the operators who decided together, each once. */
export function reasonOfAcceptance(
  { action, reason }: Pick<DecisionRecord, 'action' | 'reason'>,
  proposals: readonly Proposal[],
): string {
  const reasons = proposals.filter((one) => one.action === action).map((one) => one.reason);
  return [...new Set([...reasons, reason])].join('; ');
}

function accepted(
  state: TransferState,
  action: ProposedAction,
  record: DecisionRecord,
  { proposals, atMs }: { readonly proposals: readonly Proposal[]; readonly atMs: number },
): TransferState {
  if (action === 'resend') return sentAgain(state, record);
  return {
    ...state,
    flags: {},
    stage: {
      name: 'ending',
      result: operatorsResult(state, action, reasonOfAcceptance(record, proposals)),
      evidenceNumber: state.bank.lastAnswer?.number ?? state.requests.lastNumber,
      operators: record.operators,
      sinceMs: atMs,
    },
  };
}

/**
 * Allows one more send, and no automatic one after it. Answers to earlier creates no longer count: operators know that
 * those creates are lost.
 */
function sentAgain(state: TransferState, record: DecisionRecord): TransferState {
  const holding = openReasons(state.flags).filter((reason) => isHeld({ [reason]: 0 }));
  return {
    ...state,
    flags: clear(state.flags, ...holding),
    stage: { name: 'sending' },
    sends: { ...state.sends, mayRepeat: false },
    bank: { ...bankAfter(state.bank, record), notFoundRun: 0 },
  };
}

/**
 * A person has seen every flag: each cause is checked afresh. If the outcome was unknown, Giro sends nothing more
 * without operators.
 */
function resumed(state: TransferState, record: DecisionRecord, atMs: number): TransferState {
  const { flags, bank, sends } = state;
  const outcomeOpen =
    isRaised(flags, 'OUTCOME_UNKNOWN') ||
    isRaised(flags, 'VANISHED') ||
    (isRaised(flags, 'ORDER_TAMPERED') && sends.count > 0);
  const reread = isRaised(flags, 'JOURNAL_CONFLICT');
  return {
    ...state,
    flags: NO_FLAGS,
    stage: stageAfterResume(state, outcomeOpen, reread),
    resumedAtMs: isRaised(flags, 'OPEN_TOO_LONG') ? atMs : state.resumedAtMs,
    sends: takesRepeatAway(record, sends.count > 0) ? { ...sends, mayRepeat: false } : sends,
    bank: {
      ...bankAfter(bank, record),
      notFoundRun: outcomeOpen ? 0 : bank.notFoundRun,
      unauthorizedRun: isRaised(flags, 'BANK_UNAUTHORIZED') ? 0 : bank.unauthorizedRun,
    },
  };
}

/** After a decision that discards the reported ids, only later answers bring ids. */
const bankAfter = (bank: BankView, record: DecisionRecord): BankView => ({
  ...bank,
  echo: echoAfterDecision(bank.echo, record),
  ...(forgetsIds(record) ? NO_IDS : {}),
});

function stageAfterResume(
  { stage, sends }: TransferState,
  outcomeOpen: boolean,
  reread: boolean,
): TransferState['stage'] {
  if (reread) return { name: 'receiving' };
  // A repeat that was due is no longer sent.
  return outcomeOpen && stage.name === 'sending' && sends.count > 0 ? { name: 'looking-up' } : stage;
}

const NO_FLAGS: Flags = {};
