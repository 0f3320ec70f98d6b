import type { Books, Rule } from '../books';
import { acceptedDecisions, movementOf, ms, requestsOf, resultOf } from '../reading';

/** A verification ends with the outcome that the bank reports, and not earlier. */
export const verifications: Rule = (books) =>
  books.verifications.flatMap(({ requestId, bankWord, meaning, outcome }) =>
    outcome === meaning
      ? []
      : [
          {
            ...{ rule: 'verification', originId: null },
            sentence: `${requestId} is ${outcome ?? 'open'}, the bank says ${bankWord ?? 'nothing'}`,
          },
        ],
  );

/** Break classes that mean a wrong payment or a wrong record of it. An unanswered inquiry or a lost run does not. */
const OF_MONEY: ReadonlySet<string> = new Set([
  ...['MISSING_AT_BANK', 'STATE_MISMATCH', 'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'COUNTERPARTY_MISMATCH'],
  ...['SOURCE_MISMATCH', 'DUPLICATE', 'MISSING_ANNULMENT', 'ANNULMENT_WITHOUT_FAILED'],
]);

/** A reconciliation ends with a report, and reports no break between books that agree. */
export const reconciliation: Rule = (books) => {
  if (books.reconciliation === null) return [];
  const { startedAt, hasReport, breaks } = books.reconciliation;
  if (!hasReport)
    return [{ rule: 'reconciliation', originId: null, sentence: 'the reconciliation has no report' }];
  return breaks
    .filter((it) => it.originId !== null && OF_MONEY.has(it.class) && agree(books, it.originId))
    .filter((it) => !ENDS_BRING.has(it.class) || !isEndedSince(books, it.originId, startedAt))
    .map((it) => ({
      ...{ rule: 'reconciliation', originId: it.originId },
      sentence: `a break ${it.class}, but bank and journal agree`,
    }));
};

/** Classes of breaks that disappear when Giro records the end. The reconciliation may have compared before that. */
const ENDS_BRING: ReadonlySet<string> = new Set(['STATE_MISMATCH', 'MISSING_ANNULMENT']);

const isEndedSince = ({ journal }: Books, originId: string | null, startedAt: string): boolean =>
  journal.result.some((it) => it.origin_id === originId && ms(it.recorded_at) >= ms(startedAt));

/** Whether bank and journal agree: the bank alone decided the end, and has never contradicted it. */
function agree(books: Books, originId: string): boolean {
  const movement = movementOf(books, originId);
  const { isWrong = false, isIncomplete = false } = books.bank.twisted[originId] ?? {};
  const decided = ['accept-completed', 'accept-failed', 'accept-not-taken'].some(
    (action) => acceptedDecisions(books, originId, action).length > 0,
  );
  const requests = requestsOf(books, originId);
  const shown = requests.findIndex(({ movementStatus }) => movementStatus !== null);
  const isSteady = shown >= 0 && requests.slice(shown).every(({ status }) => status === null || status < 400);
  const ended = resultOf(books, originId)?.result.status;
  return movement?.status === ended && !isWrong && !isIncomplete && !decided && isSteady;
}
