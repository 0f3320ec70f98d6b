import { sameDecimal } from '../domain/money';
import { isFinalStatus } from '../domain/movement';
import type { CompareContext, JournalEntry, Money } from './books';
import type { FoundBreak } from './break';
import type { SubCase } from './differences';
import { foundBreak } from './found-break';

const DAY_MS = 86_400_000;

/** Contradictions within the journal: annulments, recorded amounts, and transfers that took too long. */
export function compareWithin(entry: JournalEntry, context: CompareContext): FoundBreak[] {
  const found = (subCase: SubCase, tail: readonly string[], fact: readonly (string | null)[] = []) =>
    foundBreak(subCase, { originId: entry.originId, tail, amount: entry.amount, evidence: null, fact });
  return [
    ...annulmentDifferences(entry).map((subCase) =>
      found(subCase, annulmentTail(entry), [entry.result?.status ?? null, entry.annulment?.id ?? null]),
    ),
    ...moneyDifferences(entry).map((subCase) => found(subCase, [])),
    ...twoMovements(entry).map((ids) => found('TWO_MOVEMENTS', [`movements ${ids.join(', ')}`], ids)),
    ...unknownOutcome(entry, context).map((since) => found('FLAGGED_OVER_A_DAY', [`since ${since}`])),
    ...lateFinal(entry, context).map((tail) => found('FINAL_LATE', [tail])),
  ];
}

function annulmentDifferences({ result, annulment }: JournalEntry): SubCase[] {
  if (annulment === null) return result?.status === 'FAILED' ? ['FAILED_RESULT'] : [];
  // One statement writes annulment and result, so one without the other was written by somebody else.
  if (result === null) return ['ANNULLED_WHILE_OPEN'];
  if (result.status !== 'FAILED') return ['RESULT_IS_NOT_FAILED'];
  if (annulment.decidedBy === 'bank' && annulment.bankStatus !== 'FAILED') return ['BANK_DID_NOT_SAY_FAILED'];
  return annulment.movementId === result.movementId ? [] : ['ANNULLED_OTHER_MOVEMENT'];
}

function annulmentTail({ result, annulment }: JournalEntry): string[] {
  const says = annulment === null ? [] : [`annulment ${annulment.id} by ${annulment.decidedBy}`];
  return [`journal ${result?.status ?? 'open'}`, ...says];
}

function moneyDifferences({ amount, result, annulment }: JournalEntry): SubCase[] {
  const differing = (money: Money | undefined, ofAmount: SubCase, ofCurrency: SubCase): SubCase[] => [
    ...(money === undefined || sameDecimal(money.value, amount.value) ? [] : [ofAmount]),
    ...(money === undefined || money.currency === amount.currency ? [] : [ofCurrency]),
  ];
  return [
    ...differing(annulment?.amount, 'AMOUNT_IN_ANNULMENT', 'CURRENCY_IN_ANNULMENT'),
    ...differing(result?.amount, 'AMOUNT_IN_RESULT', 'CURRENCY_IN_RESULT'),
  ];
}

/**
 * A transfer with two ids is held, and cannot end by the bank's answer. So one of these answers was recorded after the
 * end, for example by a worker that had been frozen.
 */
function twoMovements({ result, movementIds }: JournalEntry): (readonly string[])[] {
  return result?.decidedBy === 'bank' && movementIds.length > 1 ? [movementIds] : [];
}

function unknownOutcome({ result, flags }: JournalEntry, { asOf }: CompareContext): string[] {
  if (result !== null) return [];
  return flags
    .filter(
      ({ reason, since }) => reason === 'OUTCOME_UNKNOWN' && Date.parse(asOf) - Date.parse(since) > DAY_MS,
    )
    .map(({ since }) => since);
}

/** Only a transfer that the bank took can be late: after a refusal or a withdrawal nobody waits. */
function lateFinal(
  { result, openedAt, finalAt, wasDelayed }: JournalEntry,
  context: CompareContext,
): string[] {
  if (finalAt === null || !isFinalStatus(result?.status ?? null)) return [];
  const allowedMs = context.attentionAfterActiveMs + (wasDelayed ? context.attentionAfterDelayedMs : 0);
  const tookMs = Date.parse(finalAt) - Date.parse(openedAt);
  if (tookMs <= allowedMs) return [];
  return [
    `took ${minutes(tookMs)} min, allowed ${minutes(allowedMs)} min${wasDelayed ? ' with DELAYED' : ''}`,
  ];
}

const minutes = (ms: number): string => (ms / 60_000).toFixed(1).replace(/\.0$/, '');
