import type { Books, ResultRow, Rule, Violation } from '../books';
import {
  acceptedDecisions,
  isCreate,
  isNotFound,
  movementOf,
  ms,
  openFlags,
  requestsOf,
  resultOf,
} from '../reading';

/**
 * A result is the status that the bank reported last and still reports, a refusal by the bank, a cancel before anything
 * was sent, or the decision of two operators. Temporal returns the same result.
 */
export const results: Rule = (books) =>
  books.journal.result.flatMap((row) => {
    const sentences = [...resultSentences(books, row), ...engineSentences(books, row)];
    return sentences.map((sentence) => ({ rule: 'result', originId: row.origin_id, sentence }));
  });

const ACCEPTED_BY: Readonly<Record<string, string>> = {
  ...{ COMPLETED: 'accept-completed', FAILED: 'accept-failed', REFUSED: 'accept-not-taken' },
};

function resultSentences(books: Books, row: ResultRow): string[] {
  const { origin_id: originId, result, recorded_at } = row;
  const { status } = result;
  if (status === 'WITHDRAWN') return withdrawnSentences(books, row);
  if (result.decidedBy === 'operators')
    return acceptedDecisions(books, originId, ACCEPTED_BY[status] ?? status).length > 0
      ? []
      : [`ended ${status} by operators, without a decision of two of them`];
  if (status === 'REFUSED') return refusedSentences(books, row);
  const movement = movementOf(books, originId);
  if (movement === null) return [`ended ${status}, the bank has no movement`];
  const told = requestsOf(books, originId).filter(
    ({ movementStatus, at }) => movementStatus !== null && ms(at) <= ms(recorded_at),
  );
  const last = told.at(-1)?.movementStatus ?? null;
  return [
    ...(last === status ? [] : [`ended ${status}, the bank's last word was ${last ?? 'none'}`]),
    ...(movement.status === status ? [] : [`ended ${status}, the bank has ${movement.status}`]),
    ...(isMovementId(books, originId, result.movementId, recorded_at)
      ? []
      : [`ended with movement ${result.movementId ?? 'none'}`]),
    ...(result.networkId === movement.networkId
      ? []
      : [`ended with network id ${result.networkId ?? 'none'}, the bank has ${movement.networkId}`]),
  ];
}

/** The answer to each claimed create, except creates that surely never reached the bank; null: no answer. */
const answersOfCreates = ({ journal }: Books, originId: string): (string | null)[] =>
  journal.request
    .filter(({ origin_id, kind }) => origin_id === originId && kind === 'create')
    .map(({ number }) => journal.answer.find((it) => it.origin_id === originId && it.number === number))
    .map((answer) => answer?.kind ?? null)
    .filter((kind) => kind !== 'not-sent');

/** WITHDRAWN: a caller cancelled the transfer, and nothing had been sent. */
function withdrawnSentences(books: Books, { origin_id: originId, recorded_at }: ResultRow): string[] {
  const isCancelled = books.cancels.some((it) => it.originId === originId && ms(it.at) <= ms(recorded_at));
  const sent = requestsOf(books, originId).filter(isCreate).length;
  const claimed = answersOfCreates(books, originId).length;
  return [
    ...(isCancelled ? [] : ['ended WITHDRAWN, and nobody had cancelled it']),
    ...(sent === 0 && claimed === 0
      ? []
      : [`ended WITHDRAWN, although the bank got ${sent} creates of ${claimed} that may have been sent`]),
  ];
}

/** HTTP statuses by which the bank does not accept an order. */
const REFUSALS = [400, 422];
/** Readable not-founds that must follow the refusal. */
const NOT_FOUNDS_AFTER = 12;

/** REFUSED: the bank refused the only create that may have reached it, and twelve look-ups since found no movement. */
function refusedSentences(books: Books, { origin_id: originId, recorded_at }: ResultRow): string[] {
  const requests = requestsOf(books, originId).filter(({ at }) => ms(at) <= ms(recorded_at));
  const creates = requests.filter(isCreate);
  const refused = creates.at(-1);
  if (refused === undefined) return ['ended REFUSED, the bank got no create'];
  const answers = answersOfCreates(books, originId);
  const notFounds = requests.filter((it) => isNotFound(it) && ms(it.at) > ms(refused.at)).length;
  return [
    ...(REFUSALS.includes(refused.status ?? 0)
      ? []
      : [`ended REFUSED, the bank's last answer to a create was ${refused.status ?? 'none'}`]),
    ...(answers.length === 1 && answers[0] === 'refused'
      ? []
      : [
          `ended REFUSED, and the journal has of its creates: ${answers.map((it) => it ?? 'no answer').join(', ')}`,
        ]),
    ...(notFounds >= NOT_FOUNDS_AFTER ? [] : [`ended REFUSED after ${notFounds} not-founds`]),
  ];
}

/**
 * Whether the id is the bank's id of the movement, or the only id that the bank had reported to Giro until then. If
 * operators resumed the transfer or had the order sent again, only ids since then count. A bank may report another id
 * than the one in its book. An answer that a frozen worker holds has not been reported yet.
 */
function isMovementId(books: Books, originId: string, id: string | null, recordedAt: string): boolean {
  if (id !== null && id === movementOf(books, originId)?.id) return true;
  const resumed = books.journal.decision.filter(
    (it) => it.origin_id === originId && it.outcome === 'resumed',
  );
  const forgotten = [...resumed, ...acceptedDecisions(books, originId, 'resend')];
  const since = Math.max(...forgotten.map((it) => ms(it.recorded_at)), -Infinity);
  const heard = books.journal.answer
    .filter((it) => it.origin_id === originId && ms(it.recorded_at) <= ms(recordedAt))
    .map((it) => it.movement_id);
  const reported = requestsOf(books, originId).filter(
    ({ movementId, at }) => ms(at) >= since && ms(at) <= ms(recordedAt) && heard.includes(movementId),
  );
  const ids = reported.flatMap(({ movementId }) => movementId ?? []);
  return ids.length > 0 && ids.every((it) => it === id);
}

const engineSentences = ({ histories }: Books, { origin_id, result }: ResultRow): string[] =>
  histories.flatMap(({ originId, completedAs }) =>
    originId === origin_id && completedAs !== null && completedAs !== result.status
      ? [`the journal says ${result.status}, the engine ${completedAs}`]
      : [],
  );

/** A transfer that ended in Temporal has its result in the journal. */
export const unrecordedEnds: Rule = ({ histories, journal }) =>
  histories.flatMap(({ originId, completedAs }) =>
    completedAs === null || journal.result.some((it) => it.origin_id === originId)
      ? []
      : [{ rule: 'result', originId, sentence: `ended ${completedAs} in the engine, not in the journal` }],
  );

const FINAL = ['COMPLETED', 'FAILED'];
/** One answer may be lost with its worker, but not so many in a row. */
const FINALS_IN_A_ROW = 3;
/**
 * Flags under which a transfer waits for people, whatever the bank reports (contract 4.6). Listed here again, because
 * the auditor imports nothing of the product.
 */
const HOLDING = [
  ...[
    'ORDER_TAMPERED',
    'JOURNAL_CONFLICT',
    'ECHO_MISMATCH',
    'ECHO_INCOMPLETE',
    'VANISHED',
    'OUTCOME_UNKNOWN',
  ],
];

/** A transfer ends soon after the bank's final status, unless a flag holds it. */
export const unended: Rule = (books) =>
  books.journal.transfer.flatMap(({ origin_id: originId }) => {
    const isHeld = openFlags(books, originId).some((reason) => HOLDING.includes(reason));
    if (isHeld || resultOf(books, originId) !== null) return [];
    const finalMs = finalSinceMs(books, originId);
    if (finalMs === null) return [];
    // A transfer may have been held until its last flags, or until the last decision about it.
    const { flags, decision } = books.journal;
    const changes = [...flags, ...decision].filter((it) => it.origin_id === originId);
    const sinceMs = Math.max(finalMs, ...changes.map((it) => ms(it.recorded_at)));
    if (ms(books.terms.takenAt) - sinceMs <= books.terms.progressWithinMs) return [];
    const sentence = `the bank reports a final status since ${new Date(finalMs).toISOString()}`;
    return [{ rule: 'unended', originId, sentence }];
  });

/**
 * When the bank's final status became known: when the journal recorded it, or at the third look-up in a row that brought
 * it. Look-ups without a readable answer do not count. Null: no final status is known.
 */
function finalSinceMs(books: Books, originId: string): number | null {
  const readable = books.journal.answer
    .filter((it) => it.origin_id === originId && ['answered', 'movement', 'not-found'].includes(it.kind))
    .toSorted((a, b) => Number(a.number) - Number(b.number));
  const last = readable.at(-1);
  if (last?.echo === 'match' && FINAL.includes(last.bank_status ?? '')) return ms(last.recorded_at);
  const { isWrong = false, isIncomplete = false } = books.bank.twisted[originId] ?? {};
  const answered = requestsOf(books, originId).filter(
    (it) => !isCreate(it) && (it.movementStatus !== null || isNotFound(it)),
  );
  const before = answered.findLastIndex(({ movementStatus }) => !FINAL.includes(movementStatus ?? ''));
  const third = answered.slice(before + 1)[FINALS_IN_A_ROW - 1];
  return third === undefined || isWrong || isIncomplete ? null : ms(third.at);
}

/** Each FAILED of the bank or of two operators has one annulment, and no other transfer has any. */
export const annulments: Rule = (books) => {
  const { annulment, result } = books.journal;
  const violation = (originId: string, sentence: string): Violation => ({
    ...{ rule: 'annulment', originId, sentence },
  });
  const missing = result
    .filter((it) => it.result.status === 'FAILED')
    .flatMap(({ origin_id, result: { annulmentId } }) => {
      const own = annulment.filter((it) => it.origin_id === origin_id);
      if (own.length === 1 && own[0]?.id === annulmentId) return [];
      return [violation(origin_id, `FAILED with ${own.length} annulments`)];
    });
  const wrong = annulment.flatMap((row) => {
    const { origin_id: originId } = row;
    const ended = result.find((it) => it.origin_id === originId)?.result.status;
    if (ended !== 'FAILED') return [violation(originId, `annulled, but the transfer is ${ended ?? 'open'}`)];
    if (row.decided_by === 'operators')
      return acceptedDecisions(books, originId, 'accept-failed').length > 0
        ? []
        : [violation(originId, 'annulled by operators, without a decision of two of them')];
    const movement = movementOf(books, originId);
    return movement?.status === 'FAILED' && isMovementId(books, originId, row.movement_id, row.recorded_at)
      ? []
      : [violation(originId, `annulled, the bank has ${movement?.status ?? 'no movement'}`)];
  });
  return [...missing, ...wrong];
};

/**
 * The bank has no movement of a WITHDRAWN or REFUSED transfer. Exception: the bank's answers were wrong, and two
 * operators took the movement for another one.
 */
export const notTaken: Rule = (books) =>
  books.journal.result.flatMap(({ origin_id: originId, result: { status } }) => {
    if (status !== 'WITHDRAWN' && status !== 'REFUSED') return [];
    const movement = movementOf(books, originId);
    const { isWrong = false, isIncomplete = false } = books.bank.twisted[originId] ?? {};
    const isDecided =
      status === 'REFUSED' && acceptedDecisions(books, originId, 'accept-not-taken').length > 0;
    return movement === null || (isDecided && (isWrong || isIncomplete))
      ? []
      : [{ rule: 'not-taken', originId, sentence: `${status}, the bank has it as ${movement.status}` }];
  });
