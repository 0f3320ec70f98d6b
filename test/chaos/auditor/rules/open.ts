import type { AnswerRow, Books, Rule } from '../books';
import { isCreate, isNotFound, ms, openFlags, requestsOf, resultOf } from '../reading';
import { standstillsOf } from '../standstill';

/**
 * About an open transfer Giro keeps asking the bank, unless a flag makes the transfer wait for a person. `OPEN_TOO_LONG`
 * is no such flag.
 */
export const standsStill: Rule = (books) => [...stillAtTheEnd(books), ...stoodStill(books)];

const stoodStill: Rule = (books) =>
  standstillsOf(books)
    .filter((it) => it.ms > books.terms.standstillMaxMs)
    .map((it) => ({
      ...{ rule: 'stands-still', originId: it.originId },
      sentence: `nothing was recorded about it for ${Math.round(it.ms / 1_000)} s from ${it.from ?? 'its start'} on`,
    }));

const stillAtTheEnd: Rule = (books) =>
  books.journal.transfer.flatMap(({ origin_id: originId }) => {
    const waitsFor = openFlags(books, originId).filter((flag) => flag !== 'OPEN_TOO_LONG');
    if (resultOf(books, originId) !== null || waitsFor.length > 0) return [];
    const { takenAt, progressWithinMs } = books.terms;
    const last = requestsOf(books, originId).at(-1);
    if (last !== undefined && ms(takenAt) - ms(last.at) <= progressWithinMs) return [];
    const sentence = `open, waits for nobody, last asked ${last === undefined ? 'never' : `at ${last.at}`}`;
    return [{ rule: 'stands-still', originId, sentence }];
  });

const NOT_FOUNDS = 12;
const REFERENCE_STATUSES = ['CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED'];

/** What the bank must have done for each flag. The books show no cause of flags that are not listed. */
const CAUSES: Readonly<Record<string, (books: Books, originId: string) => boolean>> = {
  ECHO_MISMATCH: ({ bank }, originId) => bank.twisted[originId]?.isWrong === true,
  ECHO_INCOMPLETE: ({ bank }, originId) => bank.twisted[originId]?.isIncomplete === true,
  OUTCOME_UNKNOWN: isNotThere,
  VANISHED: (books, originId) => {
    const requests = requestsOf(books, originId);
    const shown = requests.findIndex(({ movementStatus }) => movementStatus !== null);
    return shown >= 0 && requests.slice(shown).filter(isNotFound).length >= NOT_FOUNDS;
  },
  STATUS_UNKNOWN: (books, originId) =>
    requestsOf(books, originId).some(
      ({ movementStatus }) => movementStatus !== null && !REFERENCE_STATUSES.includes(movementStatus),
    ),
  BANK_UNAUTHORIZED: (books, originId) =>
    requestsOf(books, originId).filter(({ status }) => status === 401 || status === 403).length >= NOT_FOUNDS,
  /**
   * A run that was reset, or started again, may lack an answer that the journal has. If the answers name two movements,
   * the guards refuse what the run concludes from one of them.
   */
  JOURNAL_CONFLICT: (books, originId) =>
    books.histories.filter((it) => it.originId === originId).length > 1 &&
    new Set(requestsOf(books, originId).flatMap(({ movementId }) => movementId ?? [])).size > 1,
  /** Possible without any fault. The bank got the create, or was asked many times about a create that never arrived. */
  OPEN_TOO_LONG: (books, originId) =>
    requestsOf(books, originId).some(isCreate) || isNotThere(books, originId),
};

/** Whether so many look-ups found nothing that the create may never have arrived. */
function isNotThere(books: Books, originId: string): boolean {
  return requestsOf(books, originId).filter(isNotFound).length >= NOT_FOUNDS;
}

/**
 * The recorded answers that every run must flag. A create's answer with a wrong echo is not among them: it says nothing
 * about our movement, and the look-up that follows decides.
 */
const FLAGGED_ANSWERS: Readonly<Record<string, (answer: AnswerRow) => boolean>> = {
  ECHO_MISMATCH: ({ kind, echo }) => kind === 'movement' && echo === 'mismatch',
  STATUS_UNKNOWN: ({ echo, bank_status: word }) =>
    echo !== 'mismatch' && word !== null && !REFERENCE_STATUSES.includes(word),
};

/** Flags of another cause under which a transfer waits for operators. */
const HELD_FLAGS = ['JOURNAL_CONFLICT', 'ORDER_TAMPERED'];

/** A stopped worker recorded the answer after the run had made its next request: the run never learned of it. */
const isRecordedLate = ({ request }: Books['journal'], answer: AnswerRow): boolean =>
  request.some(
    (it) =>
      it.origin_id === answer.origin_id &&
      Number(it.number) > Number(answer.number) &&
      ms(it.claimed_at) < ms(answer.recorded_at),
  );

/**
 * An answer that needs a person was flagged. A decision that is taken up right after the answer names the flag too, and
 * may clear the flag before it has a row. A run that follows another one asks again, and flags what the bank says then,
 * so only transfers of a single run count.
 */
export const flagMissing: Rule = ({ journal, histories, terms }) =>
  Object.entries(FLAGGED_ANSWERS).flatMap(([reason, isFlagged]) =>
    journal.answer
      .filter((it) => isFlagged(it) && ms(terms.takenAt) - ms(it.recorded_at) > terms.progressWithinMs)
      .filter((it) => !isRecordedLate(journal, it))
      .flatMap(({ origin_id: originId, recorded_at: at }) => {
        const reasons = [
          ...journal.flags.filter((it) => it.origin_id === originId).flatMap((it) => it.reasons),
          ...journal.decision.filter((it) => it.origin_id === originId).flatMap((it) => it.flags),
        ];
        const isSingle = histories.filter((it) => it.originId === originId).length === 1;
        if (!isSingle || [reason, ...HELD_FLAGS].some((it) => reasons.includes(it))) return [];
        return [
          { rule: 'flag-missing', originId, sentence: `never flagged ${reason}, though recorded at ${at}` },
        ];
      }),
  );

export const flagWithoutCause: Rule = (books) => {
  const seen = new Set<string>();
  return books.journal.flags.flatMap(({ origin_id: originId, reasons }) =>
    reasons.flatMap((reason) => {
      const key = `${originId} ${reason}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return CAUSES[reason]?.(books, originId) === true
        ? []
        : [
            {
              rule: 'flag-without-cause',
              originId,
              sentence: `flagged ${reason}, the bank's book shows no cause`,
            },
          ];
    }),
  );
};
