import { isUnbelieved, mayHaveArrived, retryAfterOf } from './answers';
import type { CreateAnswer, SeenMovement } from './answers';
import type { Proposal } from './decisions/decision';
import { operatorKey } from '../operator';
import { NO_ECHO, forgetsIds, echoAfter } from './echo-state';
import type { EchoState } from './echo-state';
import { evidenceAfter } from './evidence';
import type { Evidence } from './evidence';
import type { AttentionReason } from './flags';
import { HISTORY_MAX, NO_IDS, NO_STATUS, withStatus } from './movement-status';
import type { MovementStatusView } from './movement-status';
import type { AnswerLine, RequestKind, RequestLine, TransferRecords } from './records';
import { takesRepeatAway } from './repeat';
import type { Sends } from './state';

/**
 * The facts of a transfer by the journal's rows. A run that follows a lost run continues from them. `transfer show` and
 * `list` print them without a worker. A reconciliation uses them as the journal's side. Times as in `TransferRecords`.
 */
export interface TransferFacts {
  readonly readAtMs: number;
  readonly openedAtMs: number;
  /** Last claimed request number; 0: none. */
  readonly lastNumber: number;
  readonly lastRequest: LastRequestFact | null;
  readonly polls: number;
  readonly lastPolledAtMs: number | null;
  readonly sends: Omit<Sends, 'notSentRun' | 'heldBack'>;
  /** The last create has no recorded answer, so its bytes may be in flight until its time-out is over. */
  readonly isLastSendOpen: boolean;
  readonly bank: BankFacts;
  /** The answers that a signed decision covers; absent: no readable answer. */
  readonly evidence?: Evidence;
  /** The last readable answer of a create or a look-up, with any echo. */
  readonly lastReadable: ReadableAnswer | null;
  /** The bank's statuses in order, last 50. */
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
  readonly openFlags: readonly OpenFlag[];
  /** Reason of an open `JOURNAL_CONFLICT`. */
  readonly conflict: string | null;
  /** Decisions of a first operator that wait for a second operator. */
  readonly proposals: readonly Proposal[];
  /**
   * If the last decision accepts an end: its record, and the flags at the acceptance. Null: it does not. The rows do
   * not show whether the result is recorded already.
   */
  readonly acceptance: { readonly id: string; readonly flags: readonly AttentionReason[] } | null;
}

export interface OpenFlag {
  readonly reason: AttentionReason;
  readonly sinceMs: number;
  /**
   * The latest row of flags lacks this flag, but operators have not lifted the hold (`standingHolds`). Absent: the row
   * has the flag.
   */
  readonly isUnwritten?: true;
}

export interface LastRequestFact {
  readonly kind: RequestKind;
  readonly claimedAtMs: number;
  /** Null: no answer is recorded, so the request may be in flight. */
  readonly answeredAtMs: number | null;
  readonly retryAfterMs: number | null;
}

export interface BankFacts extends MovementStatusView {
  /** The last reported status with any echo, except a create's mismatch (`isCounted`). This status sets the cadence. */
  readonly lastStatus: string | null;
  readonly echo: EchoState;
  /** A look-up found a movement, with any echo. */
  readonly foundByLookup: boolean;
  /** The bank reported DELAYED for our movement at least once. */
  readonly wasDelayed: boolean;
}

export type ReadableAnswer =
  | {
      readonly kind: 'movement';
      readonly movement: SeenMovement;
      readonly number: number;
      readonly atMs: number;
    }
  | { readonly kind: 'not-found'; readonly number: number; readonly atMs: number };

/** A claimed create; null: no answer is recorded. */
export interface Attempt {
  readonly number: number;
  readonly atMs: number;
  readonly outcome: CreateAnswer['kind'] | null;
}

export const attemptsOf = ({ requests }: TransferRecords): readonly Attempt[] =>
  requests
    .filter(({ kind }) => kind === 'create')
    .map(({ number, claimedAtMs, answer }) => ({
      ...{ number, atMs: claimedAtMs, outcome: createAnswerOf(answer)?.kind ?? null },
    }));

/** Whether, as far as the journal knows, a create may have reached the bank. Otherwise the bank need not be asked. */
export const mayBeAtBank = ({ sends }: Pick<TransferFacts, 'sends'>): boolean => sends.count > 0;

/** Pure: the same rows give the same facts. */
export function factsOf(records: TransferRecords): TransferFacts {
  const { requests, readAtMs, openedAtMs, polls, lastPolledAtMs } = records;
  const { bank, history } = bankFacts(records);
  const last = requests.at(-1);
  const evidence = evidenceOf(requests);
  return {
    ...{ readAtMs, openedAtMs, polls, lastPolledAtMs, bank, history },
    ...(evidence === undefined ? {} : { evidence }),
    lastNumber: last?.number ?? 0,
    lastRequest: last === undefined ? null : lastRequestFact(last),
    sends: sendsOf(records, bank),
    isLastSendOpen: requests.findLast(({ kind }) => kind === 'create')?.answer === null,
    lastReadable: lastReadableOf(requests),
    openFlags: openFlagsOf(records, bank),
    conflict: records.flags.at(-1)?.conflict ?? null,
    proposals: proposalsOf(records.decisions),
    acceptance: acceptanceOf(records),
  };
}

function lastRequestFact({ kind, claimedAtMs, answer }: RequestLine): LastRequestFact {
  return {
    ...{ kind, claimedAtMs },
    answeredAtMs: answer?.atMs ?? null,
    retryAfterMs: answer === null ? null : retryAfterOf(answer.value),
  };
}

function sendsOf(
  { requests, decisions, doubts, openedAtMs }: TransferRecords,
  bank: BankFacts,
): TransferFacts['sends'] {
  const arrived = requests.filter(
    ({ kind, answer }) => kind === 'create' && mayHaveArrived(createAnswerOf(answer)),
  );
  const sawMovement = bank.lastStatus !== null;
  const only = arrived.length === 1 ? createAnswerOf(arrived[0]?.answer ?? null) : null;
  const lastDoubt = doubts.at(-1) ?? null;
  const firstAtMs = arrived[0]?.claimedAtMs ?? (lastDoubt === null ? null : openedAtMs);
  const lastAtMs = Math.max(arrived.at(-1)?.claimedAtMs ?? 0, lastDoubt?.atMs ?? 0);
  return {
    // Requests that the journal has lost count as one create with unknown outcome, sent at the latest possible time.
    count: Math.max(arrived.length, lastDoubt === null ? 0 : 1),
    firstAtMs,
    lastAtMs: firstAtMs === null ? null : lastAtMs,
    refusal:
      only?.kind === 'refused' && !sawMovement && lastDoubt === null
        ? { httpStatus: only.httpStatus, code: only.code }
        : null,
    mayRepeat:
      !sawMovement &&
      lastDoubt === null &&
      !decisions.some((line) => takesRepeatAway(line, firstAtMs !== null && firstAtMs <= line.atMs)),
    isCountKnown: lastDoubt === null,
  };
}

/** A create's row holds a create's answer: the database admits no other. */
const createAnswerOf = (answer: RequestLine['answer']): CreateAnswer | null =>
  (answer?.value ?? null) as CreateAnswer | null;

/** An answer that reports a movement. */
export interface Observation {
  readonly number: number;
  readonly recordId: number;
  readonly atMs: number;
  readonly by: 'create' | 'lookup';
  readonly seen: SeenMovement;
}

export function observationsOf(requests: readonly RequestLine[]): readonly Observation[] {
  return requests.flatMap(({ number, kind, answer }) =>
    answer === null || kind === 'withdrawal' || !('movement' in answer.value)
      ? []
      : [{ number, recordId: answer.recordId, atMs: answer.atMs, by: kind, seen: answer.value.movement }],
  );
}

/**
 * Reads the answers in two sequences. Echoes are judged in the sequence of recording, because operators may decide
 * between two answers. Statuses follow the sequence of the requests, because the answer of a create may be recorded
 * late.
 */
function bankFacts({ requests, decisions }: TransferRecords): Pick<TransferFacts, 'bank' | 'history'> {
  const observations = observationsOf(requests);
  const { echo, reported, isCurrent } = judgeEchoes(observations, decisions);
  const counted = observations.filter(isCounted);
  let status: MovementStatusView = NO_STATUS;
  let history: TransferFacts['history'] = [];
  for (const one of observations.filter(({ recordId }) => reported.has(recordId))) {
    const { seen, atMs } = one;
    if (status.status !== seen.status)
      history = [...history, { status: seen.status, atMs }].slice(-HISTORY_MAX);
    status = withStatus(status, isCurrent(one) ? seen : { ...seen, ...NO_IDS }, atMs);
  }
  return {
    history,
    bank: {
      ...status,
      echo,
      lastStatus: counted.at(-1)?.seen.status ?? null,
      foundByLookup: counted.some(({ by }) => by === 'lookup'),
      wasDelayed: observations.some((one) => reported.has(one.recordId) && one.seen.status === 'DELAYED'),
    },
  };
}

/**
 * Whether an answer counts for status and cadence. A create's answer with a wrong echo says nothing about our order.
 */
export const isCounted = ({ by, seen }: Observation): boolean => by === 'lookup' || seen.echo !== 'mismatch';

/**
 * Judges echoes in periods: a decision that discards ids begins a new period. Both sets hold `recordId`s. `reported`:
 * answers that report the movement that counts as ours (`isReported`). `ours`: answers whose final status may end the
 * transfer (`isOurs`).
 */
export function judgeEchoes(observations: readonly Observation[], decisions: TransferRecords['decisions']) {
  const resets = decisions.filter(forgetsIds);
  const periodOf = (one: Observation): number => resets.findLastIndex((reset) => isAfter(one, reset));
  let echo = NO_ECHO;
  const reported = new Set<number>();
  const ours = new Set<number>();
  for (let period = -1; period < resets.length; period += 1) {
    echo = NO_ECHO;
    const counted = observations.filter((one) => periodOf(one) === period);
    for (const { recordId, seen, by } of counted.sort((a, b) => a.recordId - b.recordId)) {
      const judged = echoAfter(echo, seen, by);
      echo = judged.echo;
      if (judged.isReported) reported.add(recordId);
      if (judged.isOurs) ours.add(recordId);
    }
  }
  const isCurrent = (one: Observation): boolean => periodOf(one) === resets.length - 1;
  return { echo, reported, ours, isCurrent };
}

/**
 * Whether the answer was recorded after the decision, or belongs to a request that the deciding run did not know. The
 * same rule in SQL: `giro.is_after`.
 */
const isAfter = (
  one: Observation,
  { recordId, afterNumber }: TransferRecords['decisions'][number],
): boolean => one.recordId > recordId || one.number > afterNumber;

function lastReadableOf(requests: readonly RequestLine[]): ReadableAnswer | null {
  const line = requests.findLast(({ answer }) => {
    return answer !== null && ('movement' in answer.value || answer.value.kind === 'not-found');
  });
  if (line === undefined || line.answer === null) return null;
  const { atMs, value } = line.answer;
  return 'movement' in value
    ? { kind: 'movement', movement: value.movement, number: line.number, atMs }
    : { kind: 'not-found', number: line.number, atMs };
}

/** `requests` by number. A look-up without a recorded answer had the same answer as the look-up before, or none. */
const evidenceOf = (requests: readonly RequestLine[]): Evidence | undefined =>
  requests.reduce<Evidence | undefined>(
    (before, { number, answer }) => (answer === null ? before : evidenceAfter(before, number, answer.value)),
    undefined,
  );

/** After a reported movement nothing more is sent, so an unwritten `ORDER_TAMPERED` no longer matters. */
function openFlagsOf(records: TransferRecords, { lastStatus }: BankFacts): readonly OpenFlag[] {
  const { flags } = records;
  const latest = flags.at(-1);
  const written = (latest?.reasons ?? []).map((reason) => {
    const gap = flags.findLastIndex(({ reasons }) => !reasons.includes(reason));
    return { reason, sinceMs: flags[gap + 1]?.atMs ?? latest?.atMs ?? 0 };
  });
  const unwritten = standingHolds(records)
    .filter(({ reason }) => latest?.reasons.includes(reason) !== true)
    .filter(({ reason }) => reason === 'JOURNAL_CONFLICT' || lastStatus === null)
    .map((hold) => ({ ...hold, isUnwritten: true as const }));
  return [...written, ...unwritten];
}

const LIFTED_BY_OPERATORS = ['ORDER_TAMPERED', 'JOURNAL_CONFLICT'] as const;

/**
 * Holds that only operators can lift, and that were raised since operators last lifted one. Exception: a reported
 * movement also ends `ORDER_TAMPERED` (`openFlagsOf`). Later flags without the hold do not lift it, because an
 * administrator of Temporal can write flags. The same rule in SQL: `giro.standing_holds`.
 */
export function standingHolds({
  requests,
  decisions,
  flags,
}: Pick<TransferRecords, 'requests' | 'decisions' | 'flags'>): readonly OpenFlag[] {
  const lifted = decisions.findLast(
    ({ outcome, action }) => outcome === 'resumed' || (outcome === 'accepted' && action === 'resend'),
  );
  const isSince = ({ recordId }: { readonly recordId: number }): boolean =>
    recordId > (lifted?.recordId ?? 0);
  return LIFTED_BY_OPERATORS.flatMap((reason): OpenFlag[] => {
    const raised = flags.filter((line) => isSince(line) && line.reasons.includes(reason));
    const unbelieved =
      reason === 'ORDER_TAMPERED' ? requests.map(({ answer }) => answer).filter(isNotBelieved) : [];
    const atMs = [...raised, ...unbelieved.filter(isSince)].map((line) => line.atMs);
    return atMs.length === 0 ? [] : [{ reason, sinceMs: Math.min(...atMs) }];
  });
}

const isNotBelieved = (answer: AnswerLine | null): answer is AnswerLine =>
  answer?.value.kind === 'not-sent' && isUnbelieved(answer.value.error);

/** The latest proposal of each operator since the last row that ended proposals. */
export function proposalsOf(decisions: TransferRecords['decisions']): readonly Proposal[] {
  const proposed = decisions.slice(decisions.findLastIndex(({ outcome }) => outcome !== 'proposed') + 1);
  const latest = new Map(proposed.map((line) => [operatorKey(line.operator ?? ''), line]));
  return proposed
    .filter((line) => latest.get(operatorKey(line.operator ?? '')) === line)
    .map(({ id, action, operator, reason, atMs, bankStatus }) => ({
      ...{ id, action: action as Proposal['action'], operator: operator ?? '', reason, atMs, bankStatus },
    }));
}

function acceptanceOf({ decisions }: TransferRecords): TransferFacts['acceptance'] {
  const last = decisions.at(-1);
  return last?.outcome === 'accepted' && last.action !== 'resend' ? { id: last.id, flags: last.flags } : null;
}
