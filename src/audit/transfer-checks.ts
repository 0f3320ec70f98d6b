import { keptDecisionIssue, pairIssue } from '../decisions/decision-signature';
import type { AllowedSigner } from '../decisions/allowed-signers';
import { operatorKey } from '../domain/operator';
import { bodyFingerprint, orderFingerprint } from '../domain/order-fingerprint';
import { NO_ORDER_LIMITS } from '../domain/order';
import type { TransferOrder } from '../domain/order';
import { validateOrder } from '../domain/order-validation';
import type { ProofFault } from '../domain/transfer/answers';
import { endIssue } from '../domain/transfer/end-issue';
import { judgeProof } from '../order-proofs/order-proof';
import type { OrderSigner } from '../order-proofs/order-signers';
import type {
  AuditedAnnulment,
  AuditedTransfer,
  NumberedLines,
} from '../journal/statements/audited-transfers';
import type { Difference } from './difference';

/** The inputs of checks besides the records. */
export interface CheckMeans {
  /** The body that this version renders for a create. */
  readonly createBody: (order: TransferOrder) => string;
  /** Null: proofs are not verified. */
  readonly orderSigners: readonly OrderSigner[] | null;
  /** Null: signatures of decisions are not verified. */
  readonly decisionSigners: readonly AllowedSigner[] | null;
  /**
   * Records since this time must be signed, if their signatures can be verified here; ms since 1970. Null: none must
   * be.
   */
  readonly signedSinceMs: number | null;
}

/** The report of a failed check. */
type RecordDifference = Pick<Difference, 'kept' | 'expected'> & { readonly record?: string };

/**
 * One rule over the records of one transfer. `judge` is pure. Null: the records agree; `not-judged`: the order is
 * sealed with a key that is not available. If a record has an unexpected shape, `judge` may throw, which counts as a
 * difference.
 */
export interface TransferCheck {
  readonly rule: string;
  /** The table of the record that the difference is about. */
  readonly table: string;
  readonly judge: (transfer: AuditedTransfer, means: CheckMeans) => Judgement | Promise<Judgement>;
}

type Judgement = RecordDifference | 'not-judged' | null;

/** In the order of the checks: the first failed check names the record. */
export const TRANSFER_CHECKS: readonly TransferCheck[] = [
  { rule: 'order-sealed', table: 'transfer', judge: orderSealed },
  { rule: 'order-fingerprint', table: 'transfer', judge: ofOrder(fingerprint) },
  { rule: 'order-body', table: 'transfer', judge: ofOrder(body) },
  { rule: 'order-proof', table: 'transfer', judge: orderProof },
  { rule: 'requests-in-order', table: 'request', judge: ({ requests }) => inOrder(requests) },
  { rule: 'flags-in-order', table: 'flags', judge: ({ flags }) => inOrder(flags) },
  { rule: 'decisions-in-order', table: 'decision', judge: decisionsInOrder },
  { rule: 'answer-of-request', table: 'answer', judge: answersOfRequests },
  { rule: 'decision-by-two', table: 'decision', judge: decisionsByTwo },
  { rule: 'decision-signature', table: 'decision', judge: decisionSignatures },
  { rule: 'result-of-order', table: 'result', judge: ofOrder(resultOfOrder) },
  { rule: 'result-fingerprint', table: 'result', judge: resultFingerprint },
  { rule: 'result-evidence', table: 'result', judge: resultEvidence },
  { rule: 'result-by-answers', table: 'result', judge: resultByAnswers },
  { rule: 'annulment-of-result', table: 'annulment', judge: annulmentOfResult },
  { rule: 'annulment-of-order', table: 'annulment', judge: ofOrder(annulmentOfOrder) },
  { rule: 'annulment-evidence', table: 'annulment', judge: annulmentEvidence },
];

/** Applies every check to one transfer. */
export async function judgeTransfer(
  transfer: AuditedTransfer,
  means: CheckMeans,
  checks: readonly TransferCheck[] = TRANSFER_CHECKS,
): Promise<{ readonly differences: readonly Difference[]; readonly isJudged: boolean }> {
  const differences: Difference[] = [];
  let isJudged = true;
  for (const { rule, table, judge } of checks) {
    const said = await judged(async () => judge(transfer, means));
    if (said === 'not-judged') isJudged = false;
    else if (said !== null) {
      const { record = null, kept, expected } = said;
      differences.push({ rule, table, originId: transfer.originId, record, kept, expected });
    }
  }
  return { differences, isJudged };
}

/** `judge` may throw: the database's owner may have written anything. */
async function judged(judge: () => Promise<Judgement>): Promise<Judgement> {
  try {
    return await judge();
  } catch {
    return { kept: 'a record of another shape', expected: null };
  }
}

const differ = (kept: string | null, expected: string | null): RecordDifference | null =>
  kept === expected ? null : { kept, expected };

/** A check that must read the order. An order that does not open is reported by `order-sealed` alone. */
function ofOrder(
  judge: (
    order: TransferOrder,
    transfer: AuditedTransfer,
    means: CheckMeans,
  ) => RecordDifference | null | Promise<RecordDifference | null>,
): TransferCheck['judge'] {
  return (transfer, means) => {
    const { order } = transfer;
    if (order.kind === 'unreadable') return 'not-judged';
    return order.kind === 'open' ? judge(order.order, transfer, means) : null;
  };
}

function orderSealed({ order }: AuditedTransfer): Judgement {
  if (order.kind === 'unreadable') return 'not-judged';
  if (order.kind === 'altered')
    return { kept: 'sealed, does not open', expected: 'sealed for this transfer' };
  return order.isBelieved ? null : { kept: 'in clear', expected: 'sealed' };
}

function fingerprint(
  order: TransferOrder,
  { originId, orderSha256 }: AuditedTransfer,
): RecordDifference | null {
  const isOrder = validateOrder(order, NO_ORDER_LIMITS).ok && order.originId === originId;
  return isOrder
    ? differ(orderSha256, orderFingerprint(order))
    : { kept: 'no order of this transfer', expected: null };
}

function body(
  order: TransferOrder,
  { bodySha256 }: AuditedTransfer,
  { createBody }: CheckMeans,
): RecordDifference | null {
  return differ(bodySha256, bodyFingerprint(createBody(order)));
}

/** Not checked: a key's current limits may differ from its limits when the order was received. */
const LIMITS_OF_TODAY: ReadonlySet<ProofFault> = new Set([
  ...(['PROOF_FROM_ACCOUNT', 'PROOF_TO_ACCOUNT', 'PROOF_AMOUNT'] as const),
]);

/**
 * Orders without a proof may be from before proofs were required. They are counted, and are differences since
 * `signedSinceMs`.
 */
function orderProof(transfer: AuditedTransfer, means: CheckMeans): ReturnType<TransferCheck['judge']> {
  const { proof: kept, openedAt } = transfer;
  if (means.orderSigners !== null && kept === null && isToBeSigned(openedAt.getTime(), means))
    return { kept: null, expected: 'a proof' };
  return ofOrder(proof)(transfer, means);
}

const isToBeSigned = (atMs: number, { signedSinceMs }: CheckMeans): boolean =>
  signedSinceMs !== null && atMs >= signedSinceMs;

async function proof(
  order: TransferOrder,
  { proof: kept, openedAt }: AuditedTransfer,
  { orderSigners }: CheckMeans,
): Promise<RecordDifference | null> {
  if (orderSigners === null || kept === null) return null;
  const fault = await judgeProof(orderSigners, { order, proof: kept, receivedAt: openedAt });
  return fault === null || LIMITS_OF_TODAY.has(fault)
    ? null
    : { kept: fault, expected: 'a proof of this order by an enrolled key' };
}

/**
 * As for proofs: unsigned decisions are counted, and are differences since `signedSinceMs`. A stored signature must be
 * valid for its decision. A signed line counts once; it names its transfer, so no other transfer can have it.
 */
function decisionSignatures(
  { originId, orderSha256, decisions }: AuditedTransfer,
  means: CheckMeans,
): RecordDifference | null {
  const { decisionSigners: signers } = means;
  if (signers === null) return null;
  const used = new Set<string>();
  for (const { seq, action, operator, reason, ...kept } of decisions) {
    if (action === null || operator === null) continue;
    if (kept.line === null) {
      if (!isToBeSigned(kept.recordedAtMs, means)) continue;
      return { kept: null, expected: `a signature of ${operator}`, record: `decision ${seq}` };
    }
    const about = { originId, orderSha256, namespace: null, signers };
    const says = used.has(kept.line)
      ? 'a line that was used before'
      : keptDecisionIssue({ ...kept, action, operator, reason }, about);
    used.add(kept.line);
    if (says !== null)
      return { kept: says, expected: `a signature of ${operator}`, record: `decision ${seq}` };
  }
  return null;
}

/** Counts unsigned records: the order, and the decisions. */
export const isUnsigned = ({ proof, decisions }: AuditedTransfer) => ({
  order: proof === null,
  decisions: decisions.filter(({ operator, line }) => operator !== null && line === null).length,
});

function inOrder({ count, last }: NumberedLines): RecordDifference | null {
  return differ(`${count} rows up to number ${last}`, `${last} rows up to number ${last}`);
}

function decisionsInOrder({ decisions }: AuditedTransfer): RecordDifference | null {
  return inOrder({ count: decisions.length, last: decisions.at(-1)?.seq ?? 0 });
}

const KINDS_OF = {
  create: ['answered', 'not-sent', 'refused', 'unknown'],
  lookup: ['movement', 'not-found', 'no-answer'],
  withdrawal: [],
} as const satisfies Record<string, readonly AuditedTransfer['answers'][number]['kind'][]>;

function answersOfRequests({ answers }: AuditedTransfer): RecordDifference | null {
  for (const { number, requestKind, kind } of answers) {
    const kinds: readonly string[] = requestKind === null ? [] : KINDS_OF[requestKind];
    if (!kinds.includes(kind)) {
      const expected =
        requestKind === null ? 'no answer without its request' : `an answer of a ${requestKind}`;
      return { kept: kind, expected, record: `answer ${number}` };
    }
  }
  return null;
}

/**
 * Each acceptance rests on another operator's proposal of the same action; both are signed, or neither is. A proposal
 * counts until that operator proposes again, or until a row that is no proposal ends it (`giro.live_proposals`).
 */
function decisionsByTwo({ decisions }: AuditedTransfer): RecordDifference | null {
  for (const decision of decisions) {
    if (decision.outcome !== 'accepted') continue;
    const { seq, action, operator, operators } = decision;
    const [first = '', second = ''] = operators;
    const before = decisions.filter((one) => one.seq < seq);
    const live = before.slice(before.findLastIndex(({ outcome }) => outcome !== 'proposed') + 1);
    const latest = live.findLast((one) => operatorKey(one.operator ?? '') === operatorKey(first));
    const proposed = latest?.action === action && latest.operator === first ? latest : undefined;
    const areTwo =
      operators.length === 2 && operatorKey(first) !== operatorKey(second) && second === operator;
    const said = operators.join(' + ');
    const issue = proposed === undefined || !areTwo ? said : pairIssue(proposed, decision);
    if (issue === null) continue;
    const expected =
      'a proposal and its acceptance by two operators: both unsigned, or both signed with different keys over the same evidence';
    return { kept: issue, expected, record: `decision ${seq}` };
  }
  return null;
}

function resultOfOrder(order: TransferOrder, { result }: AuditedTransfer): RecordDifference | null {
  if (result === null) return null;
  const { originId, amount } = result;
  return differ(
    `${originId} ${amount.currency} ${amount.value}`,
    `${order.originId} ${order.body.currencyId} ${order.body.amount}`,
  );
}

function resultFingerprint({ result, orderSha256 }: AuditedTransfer): RecordDifference | null {
  return result === null ? null : differ(result.orderSha256, orderSha256);
}

const ACTIONS = {
  COMPLETED: 'accept-completed',
  FAILED: 'accept-failed',
  REFUSED: 'accept-not-taken',
  WITHDRAWN: null,
} as const;

/** The rules of the database for a new result (`giro.guard_result`). */
function resultEvidence(transfer: AuditedTransfer): RecordDifference | null {
  const { result, answers, requests } = transfer;
  if (result === null) return null;
  const { status, decidedBy } = result;
  const none = (expected: string): RecordDifference => ({
    kept: `${status} by ${decidedBy ?? 'nobody'}`,
    expected,
  });
  const isWithdrawn = requests.lastKind === 'withdrawal';
  if (isWithdrawn !== (status === 'WITHDRAWN')) {
    return none(isWithdrawn ? 'WITHDRAWN: its withdrawal is claimed' : 'a claimed withdrawal');
  }
  if (status === 'WITHDRAWN') return null;
  if (decidedBy === 'operators') {
    const action = ACTIONS[status];
    return acceptance(transfer, action) === null ? none(`${action} of two operators`) : null;
  }
  const matching = answers.some((one) => one.bankStatus === status && one.echo === 'match');
  if (status === 'REFUSED') {
    return answers.some(({ kind }) => kind === 'refused') ? null : none('a refusal of the bank');
  }
  return matching ? null : none(`a matching answer ${status}`);
}

/** The rules of a worker for a new result. Other checks compare order and amount. */
function resultByAnswers({ result, annulment, records }: AuditedTransfer): RecordDifference | null {
  if (result === null) return null;
  const { status, movementId, network, networkId, orderSha256 } = result;
  const end = { result, evidenceNumber: annulment?.evidenceNumber ?? null };
  const issue = endIssue(end, { orderSha256, amount: null, records });
  return issue === null
    ? null
    : {
        kept: [status, movementId, network, networkId].map((it) => it ?? '-').join(' '),
        expected: `an end that the answers show: ${issue}`,
      };
}

/** The acceptance of `action` that an end rests on. Null: the last decision before the result is another one. */
function acceptance(
  { records }: AuditedTransfer,
  action: string,
): AuditedTransfer['records']['decisions'][number] | null {
  const last = records.decisions.at(-1);
  return last?.outcome === 'accepted' && last.action === action ? last : null;
}

/** A FAILED result has an annulment, no other result has one, and the two agree. */
function annulmentOfResult({ result, annulment }: AuditedTransfer): RecordDifference | null {
  if (result?.status !== 'FAILED') {
    return annulment === null ? null : { kept: annulment.id, expected: null };
  }
  if (annulment === null) return { kept: null, expected: result.annulmentId };
  const values = (one: AuditedAnnulment | typeof result): readonly (string | null)[] => [
    ...[one.movementId, one.network, one.networkId, one.decidedBy, one.reason],
  ];
  const { id, amount, currency } = annulment;
  if (!same(values(annulment), values(result))) {
    return { kept: 'ids, decidedBy or reason of its own', expected: 'those of the result' };
  }
  return differ(
    `${id} ${currency} ${amount}`,
    `${result.annulmentId ?? '-'} ${result.amount.currency} ${result.amount.value}`,
  );
}

function annulmentOfOrder(order: TransferOrder, { annulment }: AuditedTransfer): RecordDifference | null {
  if (annulment === null) return null;
  return differ(`${annulment.currency} ${annulment.amount}`, `${order.body.currencyId} ${order.body.amount}`);
}

/** The annulment repeats the bank's answer, a matching FAILED, or rests on the acceptance of two operators. */
function annulmentEvidence(transfer: AuditedTransfer): RecordDifference | null {
  const { annulment, answers } = transfer;
  if (annulment === null) return null;
  const { evidenceNumber, decidedBy, operators } = annulment;
  const evidence = answers.find(({ number }) => number === evidenceNumber);
  const values = (one: Omit<typeof annulment, 'id'> | typeof evidence): string =>
    [one?.bankStatus, one?.evidenceSha256, one?.postingAt, one?.completedAt].map((it) => it ?? '-').join(' ');
  const repeated = differ(values(annulment), values(evidence));
  if (repeated !== null) return repeated;
  if (decidedBy === 'bank') {
    const said = `${evidence?.bankStatus ?? 'nothing'}, echo ${evidence?.echo ?? '-'}`;
    return differ(`${said}, ${operators.length} operators`, 'FAILED, echo match, 0 operators');
  }
  const accepted = acceptance(transfer, 'accept-failed')?.operators ?? [];
  return same(operators, accepted)
    ? null
    : { kept: operators.join(' + '), expected: accepted.join(' + ') || 'an acceptance of two operators' };
}

/** A stored result of an earlier version may lack a field that has no value. */
const same = (
  a: readonly (string | null | undefined)[],
  b: readonly (string | null | undefined)[],
): boolean => a.length === b.length && a.every((one, i) => (one ?? null) === (b[i] ?? null));
