import type { Book, Money } from './books';
import type { BreakClass, Severity } from './break';
import { parseOrderAmount } from '../domain/money';
import { SEVERITIES } from './break';

/** A difference that a reconciliation distinguishes. */
export interface Difference {
  readonly class: BreakClass;
  /** The book that shows the difference. */
  readonly book: Book;
  /** On the first day, for an ordinary amount. */
  readonly severity: Severity;
  /** The reason for this severity. */
  readonly why: string;
  /** What raises the severity; `fixed`: nothing does. */
  readonly grows: 'age-and-amount' | 'age' | 'fixed';
  /** The sentence for people. */
  readonly says: string;
}

const difference = (
  breakClass: BreakClass,
  book: Book,
  severity: Severity,
  grows: Difference['grows'],
  why: string,
  says: string,
): Difference => ({ class: breakClass, book, severity, grows, why, says });

// prettier-ignore
export const DIFFERENCES = {
  COMPLETED_NOT_FOUND: difference('MISSING_AT_BANK', 'bank', 'high', 'age-and-amount', 'a payment that was reported as made may not exist', 'it ended as COMPLETED and the bank knows no such movement'),
  FAILED_NOT_FOUND: difference('MISSING_AT_BANK', 'bank', 'medium', 'age', 'in neither book did money go out; only the proof is gone', 'it ended as FAILED and the bank knows no such movement'),
  VANISHED: difference('MISSING_AT_BANK', 'bank', 'high', 'age-and-amount', 'the funds stay reserved and the bank lost the movement', 'it is open, and the bank no longer finds its movement'),
  NOT_ON_STATEMENT: difference('MISSING_AT_BANK', 'statement', 'high', 'age-and-amount', 'a payment that was reported as made was not booked', 'it ended as COMPLETED and the statement of that time has no debit for it'),

  RUN_WITHOUT_ENTRY: difference('MISSING_IN_JOURNAL', 'engine', 'high', 'age', 'without a journal entry nothing proves what the run sent', 'the engine has its run and the journal has no entry'),
  MOVEMENT_WITHOUT_ENTRY: difference('MISSING_IN_JOURNAL', 'bank', 'critical', 'fixed', 'money moves under one of our ids and is in none of our books', 'the bank knows its movement and the journal has no entry'),

  FLAGGED_OVER_A_DAY: difference('UNKNOWN_OUTCOME', 'journal', 'high', 'age-and-amount', 'funds stay reserved and nobody knows whether they are gone', 'for over a day it has not been known whether the bank took it'),

  COMPLETED_THEN_FAILED: difference('STATE_MISMATCH', 'bank', 'high', 'age-and-amount', 'the money may have come back and is booked as gone', 'the bank said COMPLETED and now says FAILED: the money may have come back'),
  FAILED_THEN_COMPLETED: difference('STATE_MISMATCH', 'bank', 'critical', 'fixed', 'the funds were released and went out too', 'the bank said FAILED and now says COMPLETED: the money may have gone out although the annulment released the funds'),
  FINAL_REOPENED: difference('STATE_MISMATCH', 'bank', 'high', 'age-and-amount', 'it may still end the other way', 'the bank gave a final status and now gives one that is not final'),
  REFUSED_BUT_KNOWN: difference('STATE_MISMATCH', 'bank', 'critical', 'fixed', 'money may go out that nobody expects', 'it was closed as never taken by the bank, and the bank has a movement for it'),
  WITHDRAWN_BUT_KNOWN: difference('STATE_MISMATCH', 'bank', 'critical', 'fixed', 'money may go out that nobody expects', 'it was withdrawn before it was sent, and the bank has a movement for it'),
  UNSENT_BUT_KNOWN: difference('STATE_MISMATCH', 'bank', 'critical', 'fixed', 'somebody else sends under our ids, or the journal was restored', 'the journal shows no send of it, and the bank has a movement for it'),
  OTHER_MOVEMENT: difference('STATE_MISMATCH', 'bank', 'high', 'age-and-amount', 'one of the two payments belongs to no order', 'the bank has another movement under its originId'),
  TWO_MOVEMENTS: difference('STATE_MISMATCH', 'journal', 'high', 'age-and-amount', 'one of the two payments belongs to no order', 'it ended by the bank\'s answer, and an answer that was recorded later names another movement'),
  FINAL_NOT_TAKEN: difference('STATE_MISMATCH', 'bank', 'medium', 'age-and-amount', 'Giro hints the run, which then ends; until then the customer waits', 'the bank has given a final answer and the transfer is still open'),
  FAILED_BUT_DEBITED: difference('STATE_MISMATCH', 'statement', 'critical', 'fixed', 'the funds were released and went out too', 'it ended as FAILED and the statement has a debit that was not returned'),
  NOT_TAKEN_BUT_DEBITED: difference('STATE_MISMATCH', 'statement', 'critical', 'fixed', 'money went out that nobody expects', 'it was closed as never taken by the bank, and the statement has a debit for it'),
  COMPLETED_BUT_RETURNED: difference('STATE_MISMATCH', 'statement', 'high', 'age-and-amount', 'the money came back and is booked as gone', 'it ended as COMPLETED and the statement shows the money returned'),
  OTHER_MOVEMENT_ON_STATEMENT: difference('STATE_MISMATCH', 'statement', 'high', 'age-and-amount', 'one of the two payments belongs to no order', 'the statement has another movement id under its originId'),

  AMOUNT_AT_BANK: difference('AMOUNT_MISMATCH', 'bank', 'high', 'age-and-amount', 'more or less money went out than was ordered', 'the bank has another amount than was ordered'),
  AMOUNT_ON_STATEMENT: difference('AMOUNT_MISMATCH', 'statement', 'high', 'age-and-amount', 'more or less money went out than was ordered', 'the statement has another amount than was ordered'),
  AMOUNT_IN_RESULT: difference('AMOUNT_MISMATCH', 'journal', 'high', 'age-and-amount', 'the journal contradicts itself: it was edited or restored in part', 'its recorded result has another amount than was ordered'),
  AMOUNT_IN_ANNULMENT: difference('AMOUNT_MISMATCH', 'journal', 'critical', 'fixed', 'the wrong sum was released', 'its annulment has another amount than was ordered'),
  CURRENCY_AT_BANK: difference('CURRENCY_MISMATCH', 'bank', 'high', 'age-and-amount', 'the sum that went out is not the one that was ordered', 'the bank has another currency than was ordered'),
  CURRENCY_ON_STATEMENT: difference('CURRENCY_MISMATCH', 'statement', 'high', 'age-and-amount', 'the sum that went out is not the one that was ordered', 'the statement has another currency than was ordered'),
  CURRENCY_IN_RESULT: difference('CURRENCY_MISMATCH', 'journal', 'high', 'age-and-amount', 'the journal contradicts itself: it was edited or restored in part', 'its recorded result has another currency than was ordered'),
  CURRENCY_IN_ANNULMENT: difference('CURRENCY_MISMATCH', 'journal', 'critical', 'fixed', 'the wrong sum was released', 'its annulment has another currency than was ordered'),
  DESTINATION_AT_BANK: difference('COUNTERPARTY_MISMATCH', 'bank', 'critical', 'fixed', 'the money goes to somebody else', 'the bank has another destination than was ordered'),
  DESTINATION_ON_STATEMENT: difference('COUNTERPARTY_MISMATCH', 'statement', 'critical', 'fixed', 'the money went to somebody else', 'the statement has another destination than was ordered'),
  SOURCE_AT_BANK: difference('SOURCE_MISMATCH', 'bank', 'high', 'age-and-amount', 'the money of another customer goes out', 'the bank has another source account or holder than was ordered'),
  SOURCE_ON_STATEMENT: difference('SOURCE_MISMATCH', 'statement', 'high', 'age-and-amount', 'the money of another customer went out', 'its debit is on the statement of another account than was ordered'),

  SAME_MOVEMENT_ID: difference('DUPLICATE', 'journal', 'critical', 'fixed', 'one payment stands for two: one of them was not made', 'several originIds share one movement'),
  SAME_NETWORK_ID: difference('DUPLICATE', 'journal', 'critical', 'fixed', 'one payment stands for two: one of them was not made', 'several originIds share one network id'),
  DEBITED_TWICE: difference('DUPLICATE', 'statement', 'critical', 'fixed', 'the customer paid twice', 'the statement has more than one debit for it'),

  FINAL_LATE: difference('LATE', 'journal', 'low', 'fixed', 'no money is at stake; raise it with the bank', 'its final answer came later than allowed'),

  NOTIFIED_DEBIT: difference('ORPHAN_AT_BANK', 'notifications', 'high', 'age', 'money left the account and no order of ours says why', 'the bank notified and confirms a debit that nobody ordered'),
  UNCONFIRMED_DEBIT: difference('ORPHAN_AT_BANK', 'notifications', 'low', 'age', 'only a notification says that money left the account', 'a notification reports a debit that nobody ordered; the bank has not confirmed it'),
  DEBIT_ON_STATEMENT: difference('ORPHAN_AT_BANK', 'statement', 'high', 'age-and-amount', 'money left the account and no order of ours says why', 'the statement has a debit that nobody ordered'),

  FAILED_RESULT: difference('MISSING_ANNULMENT', 'journal', 'critical', 'fixed', 'the customer still lacks funds that did not go out', 'it ended as FAILED and no annulment is recorded'),
  FAILED_ANSWER: difference('MISSING_ANNULMENT', 'bank', 'high', 'age-and-amount', 'Giro hints the run, which records it; until then the funds stay reserved', 'the bank has answered FAILED and no annulment is recorded'),
  RESULT_IS_NOT_FAILED: difference('ANNULMENT_WITHOUT_FAILED', 'journal', 'critical', 'fixed', 'funds were released for money that may be gone', 'an annulment is recorded and the transfer did not end as FAILED'),
  ANNULLED_WHILE_OPEN: difference('ANNULMENT_WITHOUT_FAILED', 'journal', 'critical', 'fixed', 'funds were released while the money may still go out', 'an annulment is recorded and the transfer is open'),
  BANK_DID_NOT_SAY_FAILED: difference('ANNULMENT_WITHOUT_FAILED', 'journal', 'critical', 'fixed', 'funds were released on a status that is not FAILED', 'its annulment rests on an answer of the bank that is not FAILED'),
  ANNULLED_OTHER_MOVEMENT: difference('ANNULMENT_WITHOUT_FAILED', 'journal', 'high', 'age-and-amount', 'the FAILED may be that of another payment', 'its annulment names another movement than its result'),

  RUN_MISSING: difference('RUN_LOST', 'engine', 'medium', 'age-and-amount', 'recovery starts it again; until then no run asks the bank', 'it is open in the journal and the engine has no run for it'),
  RUN_STOPPED: difference('RUN_LOST', 'engine', 'medium', 'age-and-amount', 'recovery starts it again; until then no run asks the bank', 'it is open in the journal and its run has stopped'),
  RUN_COMPLETED: difference('RUN_LOST', 'engine', 'high', 'age-and-amount', 'the journal has lost an end that the engine knows; it was probably restored', 'it is open in the journal and its run has completed'),

  NO_ANSWER: difference('QUERY_ERROR', 'bank', 'low', 'age', 'nothing is known to be wrong; it could not be checked', 'the bank gave no readable answer about it'),
  NOT_RECORDED: difference('QUERY_ERROR', 'bank', 'medium', 'age', 'the answer is not compared: it breaks a rule of the journal', 'the journal refused to record an inquiry about it, or the answer'),
  INCOMPLETE_ANSWER: difference('QUERY_ERROR', 'bank', 'low', 'age', 'nothing is known to be wrong; it could not be confirmed', 'the bank gives a final status without the fields that tie it to the order'),
} as const satisfies Record<string, Difference>;

export type SubCase = keyof typeof DIFFERENCES;
export const SUB_CASES = Object.keys(DIFFERENCES) as readonly SubCase[];

/** Ten million pesos, in centavos. An ordinary mistake costs less. */
const LARGE_AMOUNT_MINOR = 1_000_000_000n;

/** The severity rises by one step at this age: a weekend alone raises none. */
const OLD_AFTER_MS = 3 * 86_400_000;

/**
 * The severity of a difference at this age and amount. The severity of the sub-case rises one step once the break is
 * three days old, and one step for ten million pesos or more, each only if `grows` says so. Age counts from the day on
 * which the break was first seen.
 */
export function severityOf(subCase: SubCase, amount: Money | null, ageMs: number): Severity {
  const { severity, grows } = DIFFERENCES[subCase];
  const steps =
    (grows !== 'fixed' && ageMs >= OLD_AFTER_MS ? 1 : 0) +
    (grows === 'age-and-amount' && isLarge(amount) ? 1 : 0);
  const rank = Math.min(SEVERITIES.indexOf(severity) + steps, SEVERITIES.length - 1);
  return SEVERITIES[rank] ?? 'critical';
}

function isLarge(amount: Money | null): boolean {
  if (amount === null) return false;
  const parsed = parseOrderAmount(amount.value);
  return parsed.ok ? parsed.amountMinor >= LARGE_AMOUNT_MINOR : parsed.problem === 'too-large';
}
