import { isMovementStatus } from '../movement';
import { NOT_FOUND_CONFIRMATIONS } from './repeat';
import { reasonOfAcceptance } from './decisions/after-decision';
import { factsOf, isCounted, judgeEchoes, observationsOf, proposalsOf } from './facts';
import type { Observation } from './facts';
import { WITHDRAWN_REASON, reasonOfRefusal } from './make-result';
import type { TransferRecords } from './records';
import type { TransferResult } from './result';

/** An end of a transfer: about to be recorded, or already recorded. */
export interface WrittenEnd {
  readonly result: Omit<TransferResult, 'annulmentId'>;
  /** For FAILED: number of the request whose answer the annulment cites. */
  readonly evidenceNumber: number | null;
}

/** The records against which an end is checked. */
export interface EndBasis {
  readonly orderSha256: string;
  /** As ordered; null: the order cannot be read, or the amount is checked elsewhere. */
  readonly amount: TransferResult['amount'] | null;
  readonly records: TransferRecords;
}

/**
 * Why the journal's rows do not justify this end; null: they do. A run's history is not trusted: the bank's end is
 * recomputed from the answers, by the functions that the run also uses. The database checks that operators have
 * accepted an end, and that a withdrawal is claimed. This function checks the results of both against the order and the
 * bank's ids.
 */
export function endIssue(end: WrittenEnd, { orderSha256, amount, records }: EndBasis): string | null {
  const { result } = end;
  if (result.orderSha256 !== orderSha256) return 'its order is not the one that was received';
  if (amount !== null && !isSame(result.amount, amount)) return 'its amount is not the one that was ordered';
  switch (result.status) {
    case 'WITHDRAWN':
      if (result.decidedBy !== null) return 'a withdrawal has no decider';
      if (result.reason !== WITHDRAWN_REASON) return 'its reason is not that of a withdrawal';
      return idsIssue(result, null);
    case 'REFUSED':
      return (
        (result.decidedBy === 'operators'
          ? (acceptanceIssue(result, records) ?? notTakenIssue(records))
          : refusalIssue(result, records)) ?? idsIssue(result, null)
      );
    case 'COMPLETED':
    case 'FAILED':
      return finalIssue(end, records);
  }
}

const isSame = (one: TransferResult['amount'], other: TransferResult['amount']): boolean =>
  one.currency === other.currency && one.value === other.value;

/**
 * Why a REFUSED by the bank is not justified; null: it is. The bank must have refused the only send, and enough
 * look-ups since then may have found nothing.
 */
function refusalIssue({ decidedBy, reason }: WrittenEnd['result'], records: TransferRecords): string | null {
  const { refusal } = factsOf(records).sends;
  if (refusal === null || decidedBy !== 'bank') return 'the bank did not refuse its only send';
  if (reason !== reasonOfRefusal(refusal)) return 'its reason is not the refusal of the bank';
  const notFound = notFoundSinceCreate(records);
  return notFound < NOT_FOUND_CONFIRMATIONS
    ? `${notFound} look-ups found nothing, of ${NOT_FOUND_CONFIRMATIONS}`
    : null;
}

/**
 * Why "not taken" must not be recorded; null: it may. A run that was set back (a reset, a Temporal from a backup) may
 * not know the bank's last answer, and offer the decision nevertheless.
 */
function notTakenIssue({ requests }: TransferRecords): string | null {
  const last = requests.findLast(
    ({ answer }) => answer !== null && (answer.value.kind === 'not-found' || 'movement' in answer.value),
  );
  return last?.answer != null &&
    'movement' in last.answer.value &&
    last.answer.value.movement.echo === 'match'
    ? `the last answer, of request ${last.number}, is a movement that matches the order`
    : null;
}

/** An end by operators has the reason that they gave; without an acceptance the database refuses the end. */
function acceptanceIssue({ reason }: WrittenEnd['result'], { decisions }: TransferRecords): string | null {
  const at = decisions.findLastIndex(({ outcome }) => outcome === 'accepted');
  const accepted = decisions[at];
  if (accepted === undefined) return null;
  const proposals = proposalsOf(decisions.slice(0, at));
  return reason === reasonOfAcceptance(accepted, proposals)
    ? null
    : 'its reason is not what the operators gave';
}

/**
 * Look-ups after the last create that may have found nothing. A look-up without a recorded answer had the same answer
 * as the look-up before, or none. `lines` lacks such a look-up, so it shows as a gap between two numbers.
 */
function notFoundSinceCreate({ requests }: TransferRecords): number {
  const create = requests.findLast(({ kind }) => kind === 'create')?.number ?? 0;
  const lines = requests.filter(({ kind, answer }) => kind !== 'lookup' || answer !== null);
  const last = requests.at(-1)?.number ?? 0;
  return lines.reduce(
    (count, { number, answer }, at) =>
      answer?.value.kind === 'not-found' && number > create
        ? count + (lines[at + 1]?.number ?? last + 1) - number
        : count,
    0,
  );
}

/** A final status must be that of the last reported movement. */
function finalIssue({ result, evidenceNumber }: WrittenEnd, records: TransferRecords): string | null {
  const { requests, decisions } = records;
  const observations = observationsOf(requests);
  const last = observations.findLast(isCounted);
  if (last === undefined) return 'no answer reports a movement';
  const evidence = requests.findLast(
    ({ number, answer }) => answer !== null && evidenceNumber !== null && number <= evidenceNumber,
  );
  if (evidenceNumber !== null && evidence?.number !== last.number)
    return `its annulment rests on another answer than the last, of request ${last.number}`;
  if (result.decidedBy === 'operators')
    return (
      acceptanceIssue(result, records) ?? acceptedStatusIssue(result, last, records) ?? idsIssue(result, last)
    );
  const { reported, ours, isCurrent } = judgeEchoes(observations, decisions);
  const { status, echo } = last.seen;
  if (status !== result.status || echo !== 'match')
    return `the last answer, of request ${last.number}, says ${status} with echo ${echo}`;
  if (!isCurrent(last) || !ours.has(last.recordId))
    return `it is in doubt whether the last answer, of request ${last.number}, is about this transfer`;
  if (result.decidedBy !== 'bank' || result.reason !== null)
    return 'the bank decided it, and gives no reason';
  const known = observations.filter((one) => isCurrent(one) && reported.has(one.recordId));
  return idsIssue(result, last, known);
}

/**
 * Why operators' COMPLETED or FAILED must not be recorded; null: it may. The bank's last answer must have this status, or
 * an unknown one (`DECISION_TABLE`). Like `notTakenIssue`, for a run that does not know the last answer.
 */
function acceptedStatusIssue(
  { status }: WrittenEnd['result'],
  last: Observation,
  { requests }: TransferRecords,
): string | null {
  const notFound = requests.findLast(({ answer }) => answer?.value.kind === 'not-found')?.number ?? 0;
  if (notFound > last.number) return `the last answer, of request ${notFound}, finds no movement`;
  const { status: reported, echo } = last.seen;
  const isUnknown = !isMovementStatus(reported) && echo !== 'mismatch';
  return reported === status || isUnknown
    ? null
    : `the last answer, of request ${last.number}, says ${reported} with echo ${echo}`;
}

const IDS = ['movementId', 'network', 'networkId'] as const;

/**
 * The end's ids must be those of the answer. If a final answer lacks an id, the id may come from an earlier answer
 * about the same movement. The id may also be null, because a run does not know answers that were recorded late.
 */
function idsIssue(
  result: WrittenEnd['result'],
  last: Observation | null,
  known: readonly Observation[] = [],
): string | null {
  const other = IDS.find((id) => {
    const reported = last?.seen[id] ?? null;
    const isReported =
      result[id] === reported || (reported === null && known.some(({ seen }) => seen[id] === result[id]));
    return !isReported;
  });
  return other === undefined ? null : `no answer that it rests on names its ${other}`;
}
