import type { EchoField } from '../../src/domain/echo';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import type { SeenMovement } from '../../src/domain/transfer/answers';
import type {
  BookedTransfer,
  JournalEntry,
  RunState,
  StatementLine,
  StatementObservation,
} from '../../src/reconciliation/books';
import type { BreakClass } from '../../src/reconciliation/break';
import type { SubCase } from '../../src/reconciliation/differences';
import { accountMark } from '../../src/reconciliation/statement/line-reader';
import { FILE_SHA256, before, lineOf, seen } from './clean-books';
import type { End } from './clean-books';

/** One error in one book of a clean transfer, and the one break that it must cause. */
export interface Corruption {
  readonly class: BreakClass;
  readonly subCase: SubCase;
  readonly what: string;
  /** The clean transfers to which it applies, by result (null: open). */
  readonly of: readonly End[];
  readonly corrupt: (clean: BookedTransfer, entry: JournalEntry) => BookedTransfer;
}

const TAKEN: readonly End[] = ['COMPLETED', 'FAILED'];
const NOT_TAKEN: readonly End[] = ['REFUSED', 'WITHDRAWN'];

/**
 * The bank's answer says something else. For a final, the answer to an inquiry; for an open transfer, an old answer to
 * its run.
 */
const bankSays =
  (change: Partial<SeenMovement>) =>
  (clean: BookedTransfer): BookedTransfer => {
    const word = clean.entry?.result?.status ?? 'IN_PROGRESS';
    const movement = seen(clean.originId, word, change);
    const isEnded = (clean.entry?.result ?? null) !== null;
    const heard = isEnded ? ({ source: 'asked' } as const) : ({ source: 'recorded', overdue: true } as const);
    return { ...clean, bank: { kind: 'movement', movement, at: before(3_600_000), ...heard } };
  };
const bankKnowsNothing = (clean: BookedTransfer): BookedTransfer => ({
  ...clean,
  bank: { kind: 'not-found', source: 'asked', at: before(60_000) },
});
const differsIn = (...echoFields: EchoField[]) => bankSays({ echo: 'mismatch', echoFields });
const driven = (clean: BookedTransfer): BookedTransfer => ({
  ...clean,
  run: { kind: 'open', startedAt: before(7_200_000) },
});
const journalHas =
  (change: (entry: JournalEntry) => Partial<JournalEntry>) =>
  (clean: BookedTransfer, entry: JournalEntry): BookedTransfer => ({
    ...clean,
    entry: { ...entry, ...change(entry) },
  });
const resultHas = (change: Partial<NonNullable<JournalEntry['result']>>) =>
  journalHas(({ result }) => ({ result: result === null ? null : { ...result, ...change } }));
const annulmentHas = (change: Partial<NonNullable<JournalEntry['annulment']>>) =>
  journalHas(({ annulment }) => ({ annulment: annulment === null ? null : { ...annulment, ...change } }));
const annulled = journalHas(({ movementId, amount, openedAt }) => ({
  annulment: { id: 'a', movementId, amount, bankStatus: 'FAILED', decidedBy: 'bank', recordedAt: openedAt },
}));
const flagged = (reason: AttentionReason, agoMs: number) =>
  journalHas(({ flags }) => ({ flags: [...flags, { reason, since: before(agoMs) }] }));
const runIs =
  (run: RunState) =>
  (clean: BookedTransfer): BookedTransfer => ({ ...clean, run });
const statementHas =
  (...changes: readonly Partial<StatementLine>[]) =>
  (clean: BookedTransfer, entry: JournalEntry): BookedTransfer => {
    const lines = changes.map((change, i) => lineOf(entry, { line: i + 2, ...change }));
    const statement: StatementObservation = {
      covers: true,
      completePeriod: null,
      sha256: FILE_SHA256,
      lines,
    };
    return { ...clean, statement };
  };
const other = { currency: '032', value: '99999999.99' } as const;
const dollars = (entry: JournalEntry) => ({ currency: '840', value: entry.amount.value });

const row = (
  subCase: SubCase,
  breakClass: BreakClass,
  of: readonly End[],
  what: string,
  corrupt: Corruption['corrupt'],
): Corruption => ({ subCase, class: breakClass, of, what, corrupt });

// prettier-ignore
export const CORRUPTIONS: readonly Corruption[] = [
  row('COMPLETED_NOT_FOUND', 'MISSING_AT_BANK', ['COMPLETED'], 'the bank knows nothing', bankKnowsNothing),
  row('FAILED_NOT_FOUND', 'MISSING_AT_BANK', ['FAILED'], 'the bank knows nothing', bankKnowsNothing),
  row('VANISHED', 'MISSING_AT_BANK', [null], 'twelve not-founds after a movement', (clean, entry) => ({
    ...flagged('VANISHED', 3_600_000)(clean, entry), bank: { kind: 'not-found', source: 'recorded', at: before(700_000) } })),
  row('NOT_ON_STATEMENT', 'MISSING_AT_BANK', ['COMPLETED'], 'no line of it', statementHas()),

  row('RUN_WITHOUT_ENTRY', 'MISSING_IN_JOURNAL', [null], 'entry gone, run open', (clean) => ({
    ...driven(clean), entry: null, bank: { kind: 'not-asked', reason: 'NOTHING_RECORDED' }, statement: null })),
  row('RUN_WITHOUT_ENTRY', 'MISSING_IN_JOURNAL', TAKEN, 'entry gone, run completed', (clean) => ({
    ...clean, entry: null, run: { kind: 'closed', how: 'completed', closedAt: null },
    bank: { kind: 'not-asked', reason: 'TOO_SOON' }, statement: null })),
  row('MOVEMENT_WITHOUT_ENTRY', 'MISSING_IN_JOURNAL', TAKEN, 'entry gone, bank has it', (clean) => ({ ...bankSays({})(clean), entry: null })),

  row('FLAGGED_OVER_A_DAY', 'UNKNOWN_OUTCOME', [null], 'flagged for 25 hours', flagged('OUTCOME_UNKNOWN', 25 * 3_600_000)),

  row('COMPLETED_THEN_FAILED', 'STATE_MISMATCH', ['COMPLETED'], 'bank says FAILED', bankSays({ status: 'FAILED' })),
  row('FAILED_THEN_COMPLETED', 'STATE_MISMATCH', ['FAILED'], 'bank says COMPLETED', bankSays({ status: 'COMPLETED' })),
  row('FAILED_THEN_COMPLETED', 'STATE_MISMATCH', ['FAILED'], 'bank says COMPLETED without details', bankSays({ status: 'COMPLETED', echo: 'incomplete' })),
  row('FINAL_REOPENED', 'STATE_MISMATCH', ['COMPLETED'], 'bank says IN_PROGRESS', (clean, entry) =>
    resultHas({ decidedBy: 'bank' })(bankSays({ status: 'IN_PROGRESS' })(clean), entry)),
  row('REFUSED_BUT_KNOWN', 'STATE_MISMATCH', ['REFUSED'], 'bank has it', bankSays({ status: 'CREATED' })),
  row('REFUSED_BUT_KNOWN', 'STATE_MISMATCH', ['REFUSED'], 'bank has it with another amount', bankSays({ status: 'COMPLETED', echo: 'mismatch', echoFields: ['amount'] })),
  row('WITHDRAWN_BUT_KNOWN', 'STATE_MISMATCH', ['WITHDRAWN'], 'bank has it', bankSays({ status: 'COMPLETED' })),
  row('UNSENT_BUT_KNOWN', 'STATE_MISMATCH', [null], 'journal has no send', (clean, entry) =>
    journalHas(() => ({ sends: 0 }))(driven(bankSays({})(clean)), entry)),
  row('TWO_MOVEMENTS', 'STATE_MISMATCH', TAKEN, 'a late answer names another movement', journalHas(({ movementIds, result }) => ({
    movementIds: [...movementIds, '7'], result: result === null ? null : { ...result, decidedBy: 'bank' } }))),
  row('OTHER_MOVEMENT', 'STATE_MISMATCH', TAKEN, 'bank has another movement id', bankSays({ movementId: '7' })),
  row('OTHER_MOVEMENT', 'STATE_MISMATCH', TAKEN, 'bank has another movement id and amount', bankSays({ movementId: '7', echo: 'mismatch', echoFields: ['amount'] })),
  row('OTHER_MOVEMENT', 'STATE_MISMATCH', NOT_TAKEN, 'bank answers with another originId', differsIn('originId')),
  row('FINAL_NOT_TAKEN', 'STATE_MISMATCH', [null], 'final for an hour', (clean) => driven(bankSays({ status: 'COMPLETED' })(clean))),
  row('FAILED_BUT_DEBITED', 'STATE_MISMATCH', ['FAILED'], 'debit without return', statementHas({})),
  row('NOT_TAKEN_BUT_DEBITED', 'STATE_MISMATCH', NOT_TAKEN, 'a debit', statementHas({})),
  row('COMPLETED_BUT_RETURNED', 'STATE_MISMATCH', ['COMPLETED'], 'debit and return', statementHas({}, { direction: 'credit', counterpartyAccount: null })),
  row('COMPLETED_BUT_RETURNED', 'STATE_MISMATCH', ['COMPLETED'], 'a return alone, its debit in an earlier file', statementHas({ direction: 'credit', counterpartyAccount: null })),
  row('OTHER_MOVEMENT_ON_STATEMENT', 'STATE_MISMATCH', ['COMPLETED'], 'another movement id', statementHas({ movementId: '7' })),

  row('AMOUNT_AT_BANK', 'AMOUNT_MISMATCH', [null], 'echo differs', differsIn('amount')),
  row('AMOUNT_ON_STATEMENT', 'AMOUNT_MISMATCH', ['COMPLETED'], 'line differs', statementHas({ amount: other })),
  row('AMOUNT_IN_RESULT', 'AMOUNT_MISMATCH', TAKEN, 'result differs', resultHas({ amount: other })),
  row('AMOUNT_IN_ANNULMENT', 'AMOUNT_MISMATCH', ['FAILED'], 'annulment differs', annulmentHas({ amount: other })),
  row('CURRENCY_AT_BANK', 'CURRENCY_MISMATCH', [null], 'echo differs', differsIn('currency')),
  row('CURRENCY_ON_STATEMENT', 'CURRENCY_MISMATCH', ['COMPLETED'], 'line differs', (clean, entry) => statementHas({ amount: dollars(entry) })(clean, entry)),
  row('CURRENCY_IN_RESULT', 'CURRENCY_MISMATCH', TAKEN, 'result differs', (clean, entry) => resultHas({ amount: dollars(entry) })(clean, entry)),
  row('CURRENCY_IN_ANNULMENT', 'CURRENCY_MISMATCH', ['FAILED'], 'annulment differs', (clean, entry) => annulmentHas({ amount: dollars(entry) })(clean, entry)),
  row('DESTINATION_AT_BANK', 'COUNTERPARTY_MISMATCH', [null], 'account differs', differsIn('destination.address')),
  row('DESTINATION_AT_BANK', 'COUNTERPARTY_MISMATCH', [null], 'account and holder differ', differsIn('destination.personId', 'destination.address')),
  row('DESTINATION_ON_STATEMENT', 'COUNTERPARTY_MISMATCH', ['COMPLETED'], 'line differs', statementHas({ counterpartyAccount: '1'.repeat(22) })),
  row('SOURCE_AT_BANK', 'SOURCE_MISMATCH', [null], 'account differs', differsIn('source.address')),
  row('SOURCE_AT_BANK', 'SOURCE_MISMATCH', [null], 'holder differs', differsIn('source.personId')),
  row('SOURCE_ON_STATEMENT', 'SOURCE_MISMATCH', ['COMPLETED'], 'line of another account', statementHas({ account: accountMark('0'.repeat(22)) })),

  row('SAME_MOVEMENT_ID', 'DUPLICATE', TAKEN, 'under another originId too', (clean) => ({ ...clean, sameMovementId: [clean.originId + 1], sameNetworkId: [clean.originId + 1] })),
  row('SAME_NETWORK_ID', 'DUPLICATE', TAKEN, 'under another originId too', (clean) => ({ ...clean, sameNetworkId: [clean.originId + 1] })),
  row('DEBITED_TWICE', 'DUPLICATE', ['COMPLETED'], 'two lines', statementHas({}, { movementId: '7' })),

  row('FINAL_LATE', 'LATE', TAKEN, 'took a day and an hour', journalHas(({ openedAt }) => ({
    finalAt: new Date(Date.parse(openedAt) + 25 * 3_600_000).toISOString() }))),

  row('FAILED_RESULT', 'MISSING_ANNULMENT', ['FAILED'], 'annulment gone', journalHas(() => ({ annulment: null }))),
  row('FAILED_ANSWER', 'MISSING_ANNULMENT', [null], 'FAILED for an hour', (clean) => driven(bankSays({ status: 'FAILED' })(clean))),
  row('RESULT_IS_NOT_FAILED', 'ANNULMENT_WITHOUT_FAILED', ['COMPLETED', ...NOT_TAKEN], 'annulment too many', annulled),
  row('ANNULLED_WHILE_OPEN', 'ANNULMENT_WITHOUT_FAILED', [null], 'annulment too many', annulled),
  row('BANK_DID_NOT_SAY_FAILED', 'ANNULMENT_WITHOUT_FAILED', ['FAILED'], 'other word', annulmentHas({ bankStatus: 'DELAYED', decidedBy: 'bank' })),
  row('ANNULLED_OTHER_MOVEMENT', 'ANNULMENT_WITHOUT_FAILED', ['FAILED'], 'other movement', annulmentHas({ movementId: '7' })),

  row('RUN_MISSING', 'RUN_LOST', [null], 'no run', runIs({ kind: 'missing' })),
  row('RUN_STOPPED', 'RUN_LOST', [null], 'terminated', runIs({ kind: 'closed', how: 'terminated', closedAt: before(1_000) })),
  row('RUN_STOPPED', 'RUN_LOST', [null], 'timed out', runIs({ kind: 'closed', how: 'timed-out', closedAt: null })),
  row('RUN_COMPLETED', 'RUN_LOST', [null], 'completed an hour ago', runIs({ kind: 'closed', how: 'completed', closedAt: before(3_600_000) })),

  row('NO_ANSWER', 'QUERY_ERROR', ['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'], 'time-out', (clean) => ({
    ...clean, bank: { kind: 'no-answer', code: 'TIMEOUT', httpStatus: null, at: before(1_000) } })),
  row('NOT_RECORDED', 'QUERY_ERROR', [null, 'COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'], 'the journal refuses the answer', (clean) => ({
    ...clean, bank: { kind: 'not-recorded', refusal: 'giro: refused' } })),
  row('INCOMPLETE_ANSWER', 'QUERY_ERROR', [null], 'final without details', (clean) => driven(bankSays({ status: 'FAILED', echo: 'incomplete' })(clean))),
];
