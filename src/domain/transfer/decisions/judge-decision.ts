import { isDecider, operatorKey } from '../../operator';
import { evidenceNumberOf } from '../evidence';
import { proofOf, takesTwo } from './decision';
import type { DecisionAnswer, DecisionRecord, DecisionRequest, Proposal } from './decision';

import { readDecision } from './decision-request';
import type { DecisionIssue } from './decision-request';
import { DECISION_TABLE } from './decision-table';
import type { DecisionRow, Permission } from './decision-table';
import { isRaised, openReasons } from '../flags';
import { lacksDeciders } from '../settings';
import type { TransferState } from '../state';

export type Judgement =
  | { readonly kind: 'refused'; readonly issues: readonly DecisionIssue[] }
  /** The same operator has made the same proposal before: no change. */
  | { readonly kind: 'known'; readonly answer: DecisionAnswer }
  | {
      readonly kind: 'decided';
      readonly answer: DecisionAnswer;
      readonly record: Omit<DecisionRecord, 'id'>;
    };

/**
 * Whether an operator's decision is allowed now, and its effect. Pure: the update's validator calls it when a decision
 * arrives, and the workflow's main loop again when it takes the decision up.
 *
 * @param input the update's argument as received
 * @param verified a worker's verification of the signature; null: not verified yet, or not needed
 */
export function judgeDecision(
  state: TransferState,
  input: unknown,
  nowMs: number,
  verified: Verified | null = null,
): Judgement {
  const read = readDecision(input);
  if (!read.ok) return { kind: 'refused', issues: read.issues };
  const { request } = read;
  const areRulesKnown = verified !== null || !mayHaveOldSettings(state);
  const issue =
    transferIssue(state, request) ??
    (areRulesKnown ? (deciderIssue(state, request) ?? signingIssue(state, request)) : null) ??
    evidenceIssue(state, request) ??
    stageIssue(state) ??
    actionIssue(state, request, nowMs);
  return issue === null
    ? decide(state, request, verified?.keyFingerprint ?? null)
    : { kind: 'refused', issues: [issue] };
}

/**
 * A worker's verification of a decision. `keyFingerprint`: the key of the valid signature; null: no valid signature, or
 * decisions are not signed.
 */
export interface Verified {
  readonly keyFingerprint: string | null;
}

/**
 * Whether this run may have outdated settings about who may decide, and whether decisions are signed. Then a worker
 * must report its current settings when a decision arrives. A run receives changed settings with the answers to its
 * requests. A run that has sent nothing yet (held, or while sending is stopped) has made no requests, and under
 * `JOURNAL_CONFLICT` the journal may grant none.
 */
export const mayHaveOldSettings = ({ flags, sends, orderSha256 }: TransferState): boolean =>
  orderSha256 !== null && (sends.count === 0 || isRaised(flags, 'JOURNAL_CONFLICT'));

/**
 * The decisions that the open flags and the bank's answers permit, each action once. `permission` bounds the time at
 * which a decision is allowed. Actions that take two operators are left out while `DECIDERS` is missing
 * (`lacksDeciders`).
 */
export function openDecisions(
  state: TransferState,
): readonly { readonly row: DecisionRow; readonly permission: Permission & { readonly ok: true } }[] {
  if (stageIssue(state) !== null) return [];
  const actions = new Set<string>();
  return rowsOf(state).flatMap((row) => {
    const permission = row.permission(state);
    if (!permission.ok || actions.has(row.action)) return [];
    if (row.operators === 2 && lacksDeciders(state.settings)) return [];
    actions.add(row.action);
    return [{ row, permission }];
  });
}

function rowsOf({ flags, conflict, stage }: TransferState): readonly DecisionRow[] {
  // If the journal contradicts the run, an end cannot be recorded: the journal is read again first. If that does not
  // resolve the conflict, the terms of a mismatch apply.
  const isContradicted = isRaised(flags, 'JOURNAL_CONFLICT');
  const mayEnd = !isContradicted || (conflict?.isUnexplained === true && stage.name !== 'receiving');
  return DECISION_TABLE.filter(
    ({ reasons, action }) =>
      reasons.some((reason) => isRaised(flags, reason)) &&
      (action === 'resume' || (mayEnd && !(isContradicted && action === 'resend'))),
  );
}

function transferIssue(state: TransferState, { originId }: DecisionRequest): DecisionIssue | null {
  return originId === undefined || originId === state.originId
    ? null
    : { field: 'originId', rule: 'is that of another transfer' };
}

function deciderIssue(
  { settings }: TransferState,
  { action, operator }: DecisionRequest,
): DecisionIssue | null {
  if (!isDecider(settings.deciders, operator))
    return { field: 'operator', rule: 'is not listed in DECIDERS' };
  return lacksDeciders(settings) && takesTwo(action)
    ? { field: 'action', rule: 'takes two operators of DECIDERS, and DECIDERS is not set' }
    : null;
}

function signingIssue(
  { settings, orderSha256 }: TransferState,
  request: DecisionRequest,
): DecisionIssue | null {
  const proof = proofOf(request);
  if (settings.signsDecisions !== true) {
    return proof === null
      ? null
      : { field: 'signature', rule: 'is not asked for: the worker of the last answer has no DECIDERS_FILE' };
  }
  if (proof === null)
    return { field: 'signature', rule: 'is missing: decisions are signed here (DECIDERS_FILE)' };
  return orderSha256 === null
    ? { field: 'action', rule: 'comes too early: the journal does not have the order that is signed' }
    : null;
}

/** A signature must be over the bank's current answer. */
function evidenceIssue({ bank }: TransferState, request: DecisionRequest): DecisionIssue | null {
  const proof = proofOf(request);
  const evidenceNumber = evidenceNumberOf(bank);
  return proof === null || proof.evidenceNumber === evidenceNumber
    ? null
    : {
        field: 'evidenceNumber',
        rule: `is not ${evidenceNumber}: the bank has answered something else since it was signed`,
      };
}

function stageIssue({ stage, flags }: TransferState): DecisionIssue | null {
  switch (stage.name) {
    case 'ended':
      return { field: 'action', rule: 'comes too late: the transfer has ended' };
    case 'ending':
      return isRaised(flags, 'JOURNAL_CONFLICT')
        ? null
        : { field: 'action', rule: 'comes too late: the end of the transfer is being recorded' };
    case 'receiving':
      return isRaised(flags, 'JOURNAL_CONFLICT')
        ? null
        : { field: 'action', rule: 'comes too early: the journal is being read' };
    case 'sending':
    case 'looking-up':
    case 'polling':
      return null;
  }
}

function actionIssue(state: TransferState, { action }: DecisionRequest, nowMs: number): DecisionIssue | null {
  const refuse = (rule: string): DecisionIssue => ({ field: 'action', rule });
  if (action === 'withdraw') {
    return state.decisions.proposals.length > 0 ? null : refuse('finds no proposal to withdraw');
  }
  const reasons = openReasons(state.flags);
  if (reasons.length === 0) return refuse('finds nothing to decide: no flag is open');
  const rows = rowsOf(state).filter((row) => row.action === action);
  if (rows.length === 0) return refuse(`may not be decided under ${reasons.join(', ')}`);
  const rules = rows.map((row) => brokenRule(row.permission(state), nowMs));
  return rules.includes(null) ? null : refuse(`may not be decided now: ${rules.join('; ')}`);
}

function brokenRule(permission: Permission, nowMs: number): string | null {
  if (!permission.ok) return permission.rule;
  const { fromMs, untilMs } = permission;
  if (fromMs !== null && nowMs < fromMs) return 'it is too early: 24 h have not passed since the last send';
  // With `fromMs`, `untilMs` limits the age of the last not-found; without, the time since the first send.
  if (untilMs !== null && nowMs >= untilMs) {
    return fromMs === null
      ? 'RESEND_WINDOW is over'
      : 'the last not-found is older than POLL_DELAYED: wait for the next';
  }
  return null;
}

function decide(state: TransferState, request: DecisionRequest, keyFingerprint: string | null): Judgement {
  const { action, operator, reason } = request;
  const proof = proofOf(request);
  const made = (outcome: DecisionAnswer['state'], by: readonly string[]): Judgement => ({
    kind: 'decided',
    answer: { state: outcome, by },
    record: {
      ...{ outcome, action, operator, operators: by, reason },
      ...{ bankStatus: state.bank.lastStatus, flags: openReasons(state.flags) },
      afterNumber: state.requests.lastNumber,
      ...(proof === null || keyFingerprint === null ? {} : { proof: { ...proof, keyFingerprint } }),
    },
  });
  if (action === 'resume') return made('resumed', [operator]);
  if (action === 'withdraw') return made('withdrawn', [operator]);
  // A signed and an unsigned decision do not make a pair.
  const same = state.decisions.proposals.filter(
    (proposal) => proposal.action === action && (proposal.keyFingerprint !== undefined) === (proof !== null),
  );
  const other = same.find((proposal) => !isOf(proposal, operator));
  if (other !== undefined && keyFingerprint !== null && other.keyFingerprint === keyFingerprint)
    return { kind: 'refused', issues: [SAME_KEY] };
  if (other !== undefined) return made('accepted', [other.operator, operator]);
  return same.length > 0
    ? { kind: 'known', answer: { state: 'proposed', by: [operator] } }
    : made('proposed', [operator]);
}

const SAME_KEY: DecisionIssue = {
  field: 'signature',
  rule: 'is made with the key of the operator who proposed it: two decisions take two keys',
};

export const isOf = (proposal: Proposal, operator: string): boolean =>
  operatorKey(proposal.operator) === operatorKey(operator);
