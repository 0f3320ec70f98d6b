import { judgeKeptSignature, keptDecisionIssue, pairIssue } from '../decisions/decision-signature';
import { operatorKey } from '../domain/operator';
import { proofOf, takesTwo } from '../domain/transfer/decisions/decision';
import type { DecisionProof, DecisionRecord, DecisionRequest } from '../domain/transfer/decisions/decision';
import { decisionLine, readDecisionLine } from '../domain/transfer/decisions/decision-line';
import type { TransferResult } from '../domain/transfer/result';
import type { TransferSettings } from '../domain/transfer/settings';
import type { DecisionSignature } from '../journal/statements/record-decision';
import type { DecisionBasis, KeptDecisions } from '../journal/statements/signed-decisions';
import type { DecisionSigners, TransferActivityContext } from './context';
import type { JournalRefusal } from './journal-refusal';

/**
 * The signature of a decision is verified three times: before a run takes the decision up, before the decision is
 * recorded, and before an end that rests on it is recorded or a create that rests on it leaves. Each time it is
 * verified from the signature, the worker's list of keys and the journal, because a writer of Temporal's database can
 * write histories.
 */

type Needed = Pick<TransferActivityContext, 'journal' | 'observer' | 'decisionSigners'>;

export interface VerifyDecisionInput {
  readonly originId: number;
  /** The run's value; the journal's value, if any, overrides it. */
  readonly orderSha256: string;
  readonly request: DecisionRequest;
}

export interface VerifiedDecision {
  /** Null: the signature is not valid, or this worker requires none. */
  readonly keyFingerprint: string | null;
  /** For people: why the signature is not valid; null: it is. */
  readonly refused: string | null;
  /** This worker's current settings, which say whether decisions are signed, and who may decide. */
  readonly settings: TransferSettings;
}

/** Verifies the signature of a decision that waits to be taken up. Writes nothing. */
export function verifyDecision(context: Needed & Pick<TransferActivityContext, 'settings'>) {
  return async ({ originId, orderSha256, request }: VerifyDecisionInput): Promise<VerifiedDecision> => {
    const { action, operator, reason } = request;
    const { settings } = context;
    const basis = context.decisionSigners ? await context.journal.decisionBasis(originId) : null;
    const decision = { originId, orderSha256, action, operator, reason, proof: proofOf(request) };
    const judged = judgeProof(context, basis, decision);
    if (judged.ok) return { keyFingerprint: judged.signed?.keyFingerprint ?? null, refused: null, settings };
    context.observer?.decisionRefused?.({ originId, action, operator, reason: judged.says, step: 'decide' });
    return { keyFingerprint: null, refused: judged.says, settings };
  };
}

export type DecisionJudgement =
  /** `signed` null: decisions are not signed. */
  | { readonly ok: true; readonly signed: DecisionSignature | null }
  | { readonly ok: false; readonly says: string };

interface Judged extends Pick<DecisionRequest, 'action' | 'operator' | 'reason'> {
  readonly originId: number;
  /** The run's value, for a transfer that the journal has lost; null: not given. */
  readonly orderSha256: string | null;
  readonly proof: DecisionProof | null;
}

/**
 * Verifies the signature before the decision is recorded. A voided proposal is not an operator's decision, and needs no
 * signature.
 */
export async function judgeRecord(
  context: Needed,
  originId: number,
  record: DecisionRecord,
): Promise<DecisionJudgement> {
  const { id, outcome, action, operator, reason, proof = null } = record;
  if (action === null || operator === null) return UNSIGNED;
  const basis = context.decisionSigners ? await context.journal.decisionBasis(originId) : null;
  const written = basis?.decisions.find((line) => line.id === id);
  // A repeated step: the signature was verified when the decision was recorded, and may have expired since.
  if (written?.outcome === outcome && written.action === action && written.operator === operator)
    return UNSIGNED;
  return judgeProof(context, basis, { originId, orderSha256: null, action, operator, reason, proof });
}

const UNSIGNED: DecisionJudgement = { ok: true, signed: null };

function judgeProof(
  { decisionSigners = null }: Needed,
  basis: DecisionBasis | null,
  { proof, orderSha256: known, ...decision }: Judged,
): DecisionJudgement {
  if (decisionSigners === null) return proof === null ? UNSIGNED : no('this worker has no DECIDERS_FILE');
  if (proof === null) return no('it is not signed');
  const { evidenceNumber, expiresAt, signature } = proof;
  const orderSha256 = basis?.orderSha256 ?? known;
  if (orderSha256 === null) return no('the journal does not have the transfer');
  const { namespace } = decisionSigners;
  const line = decisionLine({ ...decision, namespace, evidenceNumber, expiresAt, orderSha256 });
  const judged = judgeKeptSignature({
    line,
    signature,
    signers: decisionSigners.current(),
    atMs: Date.now(),
  });
  if (!judged.ok) return no(judged.says);
  const { keyFingerprint } = judged;
  if (basis?.usedLines.includes(line) === true) return no('the signature has been used: sign anew');
  if (basis !== null && !isStillTold(decision.action, evidenceNumber, basis))
    return no(`the bank has answered something else since request ${evidenceNumber}`);
  if (basis !== null && restsOnOther(decision, evidenceNumber, basis))
    return no('the proposal was signed over other evidence: withdraw it, and sign both anew');
  return { ok: true, signed: { line, signature, keyFingerprint } };
}

/**
 * Whether all readable answers from the signed number on are equal. The journal's number may be lower: after a lost
 * run, a late answer to a create may be recorded that the deciding run does not know. A restored journal may have lost
 * every answer; `resume` must be possible even then. A withdrawal of a proposal rests on no answer.
 */
const isStillTold = (action: Judged['action'], signed: number, { evidenceNumber }: DecisionBasis): boolean =>
  action === 'withdraw' ||
  (evidenceNumber <= signed && (!takesTwo(action) || (signed === 0) === (evidenceNumber === 0)));

/** Whether the open proposal that this decision would accept was signed for another evidence number. */
function restsOnOther(
  { action, operator }: Pick<Judged, 'action' | 'operator'>,
  evidenceNumber: number,
  { decisions, usedLines }: DecisionBasis,
): boolean {
  const open = decisions.slice(decisions.findLastIndex(({ outcome }) => outcome !== 'proposed') + 1);
  const other = open.find(
    (one) =>
      one.action === action && one.operator !== null && operatorKey(one.operator) !== operatorKey(operator),
  );
  if (other === undefined) return false;
  const signed = usedLines
    .map(readDecisionLine)
    .findLast((line) => line?.action === action && line.operator === other.operator);
  return signed !== undefined && signed?.evidenceNumber !== evidenceNumber;
}

/**
 * Why an end by operators must not be recorded, when decisions are signed; null: it may. The end needs two recorded
 * decisions over the same evidence, by two operators with two keys. Each signature must have been valid when its
 * decision was recorded.
 */
export async function refusalOfAcceptedEnd(
  { journal, observer, decisionSigners = null }: Needed,
  { originId, status, decidedBy }: Pick<TransferResult, 'originId' | 'status' | 'decidedBy'>,
): Promise<JournalRefusal | null> {
  if (decisionSigners === null || decidedBy !== 'operators') return null;
  const kept = await journal.keptDecisions(originId);
  const says = acceptanceIssue(kept, { originId, action: ACCEPTING[status], decisionSigners });
  if (says === null) return null;
  const reason = `result ${status} of transfer ${originId} refused: ${says}`;
  observer?.decisionRefused?.({ originId, action: null, operator: null, reason: says, step: 'end' });
  return { reason, code: 'GR002' };
}

/**
 * Why a create must not leave by an accepted `resend`, when decisions are signed; null: it may, or it needs none. The
 * terms are those of an accepted end.
 */
export async function refusalOfResend(
  { journal, observer, decisionSigners = null }: Needed,
  originId: number,
): Promise<JournalRefusal | null> {
  if (decisionSigners === null) return null;
  const kept = await journal.keptDecisions(originId);
  if (kept?.isResendDue !== true) return null;
  // Proposals of other decisions may follow the acceptance.
  const accepted = kept.decisions.findLastIndex(({ outcome }) => outcome === 'accepted');
  const decisions = kept.decisions.slice(0, accepted + 1);
  const says = acceptanceIssue({ ...kept, decisions }, { originId, action: 'resend', decisionSigners });
  if (says === null) return null;
  observer?.decisionRefused?.({ originId, action: 'resend', operator: null, reason: says, step: 'create' });
  return { reason: `resend of transfer ${originId} refused: ${says}`, code: 'GR002' };
}

const ACCEPTING: Readonly<Record<TransferResult['status'], string | null>> = {
  COMPLETED: 'accept-completed',
  FAILED: 'accept-failed',
  REFUSED: 'accept-not-taken',
  WITHDRAWN: null,
};

function acceptanceIssue(
  kept: Pick<KeptDecisions, 'orderSha256' | 'decisions'> | null,
  {
    originId,
    action,
    decisionSigners,
  }: { originId: number; action: string | null; decisionSigners: DecisionSigners },
): string | null {
  const accepted = kept?.decisions.at(-1);
  if (kept === null || accepted?.outcome !== 'accepted' || accepted.action !== action)
    return 'no recorded decision of two operators';
  const proposed = kept.decisions.findLast(
    (one) =>
      one.outcome === 'proposed' && one.operator === accepted.operators[0] && one.action === accepted.action,
  );
  if (proposed === undefined) return 'no recorded decision of two operators';
  for (const decision of [proposed, accepted]) {
    const says = keptDecisionIssue(decision, {
      ...{ originId, orderSha256: kept.orderSha256, namespace: decisionSigners.namespace },
      signers: decisionSigners.current(),
    });
    if (says !== null) return `the decision of ${decision.operator}: ${says}`;
  }
  return operatorKey(proposed.operator) === operatorKey(accepted.operator)
    ? 'two decisions take two operators'
    : pairIssue(proposed, accepted);
}

const no = (says: string): DecisionJudgement => ({ ok: false, says });
