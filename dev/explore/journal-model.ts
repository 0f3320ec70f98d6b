import { isFinalStatus } from '../../src/domain/movement';
import { mayHaveArrived } from '../../src/domain/transfer/answers';
import { NOT_FOUND_CONFIRMATIONS } from '../../src/domain/transfer/repeat';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import { operatorKey } from '../../src/domain/operator';
import type { DecisionRecord } from '../../src/domain/transfer/decisions/decision';
import { forgetsIds } from '../../src/domain/transfer/echo-state';
import { standingHolds } from '../../src/domain/transfer/facts';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import type {
  DoubtReason,
  RequestKind,
  RequestLine,
  TransferRecords,
} from '../../src/domain/transfer/records';
import { SENDS_MAX, takesRepeatAway } from '../../src/domain/transfer/repeat';
import type { TransferResult } from '../../src/domain/transfer/result';

/**
 * The journal of one transfer as a pure value: its rows, and the rules of the database's guards. `npm run explore` uses
 * these rules; `test/journal/guards.server.test.ts` compares them with the SQL. Not modelled: a year after its end a
 * transfer takes no answer.
 */
export interface ModelJournal {
  readonly openedAtMs: number;
  readonly requests: readonly ModelRequest[];
  readonly polls: number;
  readonly lastPolledAtMs: number | null;
  readonly decisions: TransferRecords['decisions'];
  readonly flags: TransferRecords['flags'];
  readonly doubts: TransferRecords['doubts'];
  readonly result: TransferResult | null;
  readonly annulments: number;
  readonly nextRecordId: number;
}

export interface ModelRequest extends RequestLine {
  /** For a create: the time until which it may be repeated. */
  readonly resendUntilMs: number | null;
  /** For a create: the time until which its bytes may be in flight if no outcome is recorded. */
  readonly inFlightUntilMs: number | null;
}

export const openedJournal = (openedAtMs: number): ModelJournal => ({
  openedAtMs,
  requests: [],
  polls: 0,
  lastPolledAtMs: null,
  decisions: [],
  flags: [],
  doubts: [],
  result: null,
  annulments: 0,
  nextRecordId: 1,
});

/** The rows as the journal returns them: look-ups without a recorded answer are only counted. */
export function linesOf({ requests, ...journal }: ModelJournal, readAtMs: number): TransferRecords {
  const last = requests.at(-1);
  const { openedAtMs, polls, lastPolledAtMs, decisions, flags, doubts } = journal;
  return {
    ...{ readAtMs, openedAtMs, polls, lastPolledAtMs, decisions, flags, doubts },
    requests: requests
      .filter((line) => line.kind !== 'lookup' || line.answer !== null || line === last)
      .map(({ number, kind, claimedAtMs, answer }) => ({ number, kind, claimedAtMs, answer })),
  };
}

const perhapsSent = ({ requests }: ModelJournal): readonly ModelRequest[] =>
  requests.filter(
    ({ kind, answer }) => kind === 'create' && mayHaveArrived((answer?.value ?? null) as CreateAnswer | null),
  );

const answersOf = ({ requests }: ModelJournal): readonly (CreateAnswer | LookupAnswer)[] =>
  requests.flatMap(({ answer }) => (answer === null ? [] : [answer.value]));

/** Why no further create may be sent (`giro.create_refusal`); null: one may. */
export function createRefusal(journal: ModelJournal, nowMs: number): string | null {
  const sent = perhapsSent(journal);
  const until = sent[0]?.resendUntilMs ?? null;
  if (journal.doubts.length > 0) return 'the journal has lost requests of it';
  if (answersOf(journal).some(({ kind }) => kind === 'movement')) return 'a look-up found a movement';
  if (sent.length >= SENDS_MAX) return 'three creates may have reached the bank';
  if (until !== null && until < nowMs) return 'the time for repeats is over';
  if (isEndAccepted(journal)) return 'operators have accepted an end';
  if (standingHolds(journal).length > 0) return 'it is held until operators resume it';
  return repeatRefusal(journal, sent);
}

/** Why the journal's rows forbid a repeat of the create; null: they permit one. */
function repeatRefusal(journal: ModelJournal, sent: readonly ModelRequest[]): string | null {
  const [first, last] = [sent[0], sent.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { decisions } = journal;
  const wanted = decisions.findLast((line) => line.outcome === 'accepted' || takesRepeatAway(line, true));
  if (isResend(wanted) && wanted.afterNumber >= last.number) return null;
  const isTaken = answersOf(journal).some(
    (answer) => answer.kind === 'answered' && answer.movement.echo !== 'mismatch',
  );
  if (isTaken || decisions.some((line) => takesRepeatAway(line, first.claimedAtMs <= line.atMs)))
    return 'only operators have it sent again';
  if (first === last && last.answer?.value.kind === 'refused') return 'the bank refused the only one';
  if (hasTwoMovements(journal)) return 'answers name two movements';
  return notFoundAfter(journal, last) < NOT_FOUND_CONFIRMATIONS
    ? 'fewer than 12 look-ups have found nothing since the last create'
    : null;
}

const isResend = <D extends DecisionRecord>(record: D | undefined): record is D =>
  record?.outcome === 'accepted' && record.action === 'resend';

/**
 * Operators have accepted an end. Since then they have not resumed the transfer, and its run was not lost
 * (`giro.is_end_accepted`).
 */
function isEndAccepted({ decisions }: ModelJournal): boolean {
  const last = decisions.findLast(({ outcome }) => ['accepted', 'resumed', 'voided'].includes(outcome));
  return last?.outcome === 'accepted' && !isResend(last);
}

const HOUR_MS = 3_600_000;

/** When a create has ended; until then its bytes may be in flight. */
const endedAtMsOf = ({ answer, inFlightUntilMs, claimedAtMs }: ModelRequest): number =>
  Math.min(answer?.atMs ?? Infinity, inFlightUntilMs ?? claimedAtMs + HOUR_MS);

/** Whether the last create may be in flight; while it may, not-founds prove nothing. */
export function isInFlight(journal: ModelJournal, nowMs: number): boolean {
  const last = perhapsSent(journal).at(-1);
  return last !== undefined && nowMs < endedAtMsOf(last);
}

/** Number of look-ups that found nothing and were claimed after the create had ended (`giro.not_found_after`). */
function notFoundAfter({ requests }: ModelJournal, create: ModelRequest): number {
  const endedAtMs = endedAtMsOf(create);
  return requests.filter(
    (line, at) =>
      line.kind === 'lookup' &&
      line.number > create.number &&
      line.claimedAtMs >= endedAtMs &&
      reportedBy(line, requests.slice(0, at)) === 'not-found',
  ).length;
}

/** The kind of a look-up's answer: its recorded answer, or the last answer that was recorded before its claim. */
const reportedBy = (
  { answer, claimedAtMs }: ModelRequest,
  before: readonly ModelRequest[],
): string | undefined =>
  (answer ?? before.findLast((line) => line.answer !== null && line.answer.atMs <= claimedAtMs)?.answer)
    ?.value.kind;

/**
 * Whether the journal would know if an earlier try of a create had been sent (`vouchForCreate`). It would if it has the
 * claim, or if it is the journal that the run noted at receipt and has lost no request. After the transfer's end
 * nothing is sent.
 */
export const vouches = (
  journal: ModelJournal,
  { number, isNoted }: { readonly number: number; readonly isNoted: boolean },
): boolean =>
  journal.result !== null ||
  journal.requests.some((line) => line.number === number) ||
  (isNoted && number === (journal.requests.at(-1)?.number ?? 0) + 1 && journal.doubts.length === 0);

/** Why a number may not be claimed (`giro.guard_request`); null: it may. */
export function claimRefusal(
  journal: ModelJournal,
  { kind, number }: { readonly kind: RequestKind; readonly number: number },
  nowMs: number,
): string | null {
  const last = journal.requests.at(-1);
  if (number !== (last?.number ?? 0) + 1) return 'it does not follow the last number';
  if (last?.kind === 'withdrawal') return 'it is withdrawn';
  if (journal.result !== null) return 'it has ended';
  if (kind === 'withdrawal')
    return perhapsSent(journal).length + journal.doubts.length > 0 ? 'a create may have left' : null;
  return kind === 'create' ? createRefusal(journal, nowMs) : null;
}

/** Answers that name different movements, as `giro.has_two_movements`. */
export function hasTwoMovements({ requests, decisions }: ModelJournal): boolean {
  const discarding = decisions.findLast(forgetsIds) ?? null;
  const ids = requests.flatMap(({ number, answer }) => {
    if (answer === null || !('movement' in answer.value)) return [];
    const isAfter =
      discarding === null || answer.recordId > discarding.recordId || number > discarding.afterNumber;
    return isAfter ? [answer.value.movement.movementId] : [];
  });
  return new Set(ids.filter((id) => id !== null)).size > 1;
}

const acceptedBy = ({ decisions }: ModelJournal, action: DecisionRecord['action']) => {
  const last = decisions.at(-1);
  return last?.outcome === 'accepted' && last.action === action ? last.operators : null;
};

/** Names may hold commas. */
const areSame = (some: readonly (string | null)[], others: readonly (string | null)[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others);

const isSaid = (journal: ModelJournal, status: string): boolean =>
  answersOf(journal).some(
    (answer) => 'movement' in answer && answer.movement.status === status && answer.movement.echo === 'match',
  );

/** The bank's last readable answer, by number, is a movement that matches the order. */
function isMatchLast({ requests }: ModelJournal): boolean {
  const last = requests
    .map(({ answer }) => answer?.value)
    .findLast((value) => value !== undefined && (value.kind === 'not-found' || 'movement' in value));
  return last !== undefined && 'movement' in last && last.movement.echo === 'match';
}

const ACCEPTING = {
  COMPLETED: 'accept-completed',
  FAILED: 'accept-failed',
  REFUSED: 'accept-not-taken',
} as const;

/** Why an end may not be recorded (`giro.guard_result` and `giro.guard_annulment`); null: it may. */
export function endRefusal(
  journal: ModelJournal,
  { status, decidedBy }: Pick<TransferResult, 'status' | 'decidedBy'>,
  annulment: { readonly evidenceNumber: number; readonly operators: readonly string[] } | null,
): string | null {
  const isWithdrawn = journal.requests.at(-1)?.kind === 'withdrawal';
  if ((status === 'WITHDRAWN') !== isWithdrawn) return 'WITHDRAWN and a granted withdrawal go together';
  if ((status === 'FAILED') !== (annulment !== null)) return 'FAILED and its annulment go together';
  if (decidedBy === 'operators') {
    const by = status === 'WITHDRAWN' ? null : acceptedBy(journal, ACCEPTING[status]);
    if (by === null) return 'no recorded decision of two operators';
    if (status === 'REFUSED' && isMatchLast(journal)) return 'the last answer matches the order';
    return annulment !== null && !areSame(by, annulment.operators) ? 'other operators' : null;
  }
  if (annulment !== null) {
    const evidence = journal.requests
      .filter(({ number, answer }) => answer !== null && number <= annulment.evidenceNumber)
      .at(-1)?.answer?.value;
    const seen: SeenMovement | null =
      evidence !== undefined && 'movement' in evidence ? evidence.movement : null;
    if (seen?.status !== 'FAILED' || seen.echo !== 'match') return 'no matching answer FAILED';
    if (annulment.operators.length > 0) return 'the bank decided it, not operators';
  }
  if (status === 'COMPLETED' && !isSaid(journal, 'COMPLETED')) return 'no matching answer COMPLETED';
  if (isFinalStatus(status)) return hasTwoMovements(journal) ? 'answers name two movement ids' : null;
  if (status === 'REFUSED') {
    const isRefused = answersOf(journal).some(({ kind }) => kind === 'refused');
    const isKnown = answersOf(journal).some(
      (answer) => 'movement' in answer && (answer.kind === 'movement' || answer.movement.echo !== 'mismatch'),
    );
    const isOnly = perhapsSent(journal).length + journal.doubts.length === 1;
    return isRefused && isOnly && !isKnown ? null : 'the bank did not refuse its only create, or knows it';
  }
  return null;
}

/** Why a decision may not be recorded (`giro.guard_decision`); null: it may. */
export function decisionRefusal(journal: ModelJournal, record: DecisionRecord): string | null {
  const { outcome, action, operator, operators, afterNumber } = record;
  if (journal.result !== null && outcome !== 'resumed' && outcome !== 'voided') return 'it has ended';
  if (outcome !== 'accepted') return null;
  if (action === 'resend' && afterNumber > (journal.requests.at(-1)?.number ?? 0))
    return 'it names a request that the journal does not have';
  const live = journal.decisions.slice(
    journal.decisions.findLastIndex((line) => line.outcome !== 'proposed') + 1,
  );
  const latest = new Map(live.map((line) => [operatorKey(line.operator ?? ''), line]));
  const rests = [...latest.values()].some(
    (line) =>
      line.action === action &&
      operatorKey(line.operator ?? '') !== operatorKey(operator ?? '') &&
      areSame(operators, [line.operator, operator]),
  );
  return rests ? null : 'no other operator has proposed it';
}

interface CreateTimes {
  readonly resendWindowMs?: number | null;
  readonly inFlightMs?: number | null;
}

/** Writes a claim that `claimRefusal` permits. */
export function withClaim(
  journal: ModelJournal,
  kind: RequestKind,
  atMs: number,
  { resendWindowMs = null, inFlightMs = null }: CreateTimes = {},
): ModelJournal {
  const number = (journal.requests.at(-1)?.number ?? 0) + 1;
  const until = (ms: number | null): number | null => (kind === 'create' && ms !== null ? atMs + ms : null);
  const times = { resendUntilMs: until(resendWindowMs), inFlightUntilMs: until(inFlightMs) };
  return {
    ...journal,
    requests: [...journal.requests, { number, kind, claimedAtMs: atMs, answer: null, ...times }],
    polls: journal.polls + (kind === 'lookup' ? 1 : 0),
    lastPolledAtMs: kind === 'lookup' ? atMs : journal.lastPolledAtMs,
  };
}

export function withAnswer(
  journal: ModelJournal,
  number: number,
  value: CreateAnswer | LookupAnswer,
  atMs: number,
): ModelJournal {
  const recordId = journal.nextRecordId;
  return {
    ...journal,
    nextRecordId: recordId + 1,
    requests: journal.requests.map((line) =>
      line.number === number && line.answer === null ? { ...line, answer: { recordId, atMs, value } } : line,
    ),
  };
}

export const withDecision = (journal: ModelJournal, record: DecisionRecord, atMs: number): ModelJournal => ({
  ...journal,
  nextRecordId: journal.nextRecordId + 1,
  decisions: [...journal.decisions, { ...record, recordId: journal.nextRecordId, atMs }],
});

export const withFlags = (
  journal: ModelJournal,
  reasons: readonly AttentionReason[],
  atMs: number,
  conflict: string | null = null,
): ModelJournal => ({
  ...journal,
  nextRecordId: journal.nextRecordId + 1,
  flags: [...journal.flags, { recordId: journal.nextRecordId, atMs, reasons, conflict }],
});

export const withDoubt = (journal: ModelJournal, reason: DoubtReason, atMs: number): ModelJournal => ({
  ...journal,
  nextRecordId: journal.nextRecordId + 1,
  doubts: [...journal.doubts, { recordId: journal.nextRecordId, atMs, reason }],
});

export const withEnd = (journal: ModelJournal, result: TransferResult): ModelJournal => ({
  ...journal,
  result,
  annulments: journal.annulments + (result.status === 'FAILED' ? 1 : 0),
});
