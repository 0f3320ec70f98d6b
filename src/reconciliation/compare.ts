import { isInFlight } from './books';
import type { BookedTransfer, CompareContext, JournalEntry } from './books';
import type { FoundBreak } from './break';
import { compareWithBank } from './compare-bank';
import { compareWithin } from './compare-journal';
import { compareWithStatement } from './compare-statement';
import { foundBreak } from './found-break';

/** Classes about the state of a transfer: if there are several for one transfer, only the first is reported. */
const STATE_CLASSES: ReadonlySet<string> = new Set([
  'STATE_MISMATCH',
  'MISSING_AT_BANK',
  'MISSING_ANNULMENT',
]);

/**
 * The differences between the books of one transfer; none when they agree. There is one break for each fact. Of the
 * classes about the transfer's state, at most one is reported. A difference of another class that the bank's answer and
 * the statement both show is one break, with the bank's answer as its evidence. Contradictions within the journal are
 * separate facts. Pure: the same books give the same breaks, for any order of the statement's lines.
 */
export function compare(transfer: BookedTransfer, context: CompareContext): FoundBreak[] {
  const { entry } = transfer;
  if (entry === null) return withoutEntry(transfer, context);
  const duplicates = findDuplicates(transfer);
  return oneForEachFact([
    ...duplicates,
    ...compareWithEngine(transfer, entry, context),
    ...compareWithBank(transfer, entry, context, duplicates.length > 0),
    ...compareWithin(entry, context),
    ...compareWithStatement(transfer, entry, duplicates.length > 0),
  ]);
}

/**
 * The bank answered, and the books agree about an ended transfer. A break `LATE` does not count, because another
 * inquiry would not resolve it. If this run asked (`source` is `asked`), later runs need not ask again.
 */
export function isConfirmed(transfer: BookedTransfer, found: readonly FoundBreak[]): boolean {
  const { entry, bank } = transfer;
  const wasAnswered = bank.kind === 'movement' || bank.kind === 'not-found';
  return (entry?.result ?? null) !== null && wasAnswered && found.every((one) => one.class === 'LATE');
}

function oneForEachFact(found: readonly FoundBreak[]): FoundBreak[] {
  const seen = new Set<string>();
  return found.filter((one) => {
    const fact = factOf(one);
    if (seen.has(fact)) return false;
    seen.add(fact);
    return true;
  });
}

/** The statement comes from the bank too: a difference that both show is one fact. */
function factOf({ class: breakClass, book, key }: FoundBreak): string {
  if (STATE_CLASSES.has(breakClass)) return 'state';
  return book === 'bank' || book === 'statement' ? breakClass : key;
}

function withoutEntry({ originId, bank, run }: BookedTransfer, { readAt }: CompareContext): FoundBreak[] {
  if (bank.kind === 'movement') {
    return [
      foundBreak('MOVEMENT_WITHOUT_ENTRY', {
        originId,
        tail: [`bank ${bank.movement.status}`, `movement ${bank.movement.movementId ?? 'without id'}`],
        amount: null,
        evidence: { sha256: bank.movement.evidenceSha256, at: bank.at },
        fact: [bank.movement.status, bank.movement.movementId],
      }),
    ];
  }
  // A failed run refused its order, or lost the originId to another order: nothing was sent.
  const drives = run.kind === 'open' || (run.kind === 'closed' && run.how === 'completed');
  const beganAt = run.kind === 'open' ? run.startedAt : run.kind === 'closed' ? run.closedAt : null;
  if (!drives || (beganAt !== null && isInFlight(beganAt, readAt))) return [];
  const tail = [`run ${run.kind}`];
  return [
    foundBreak('RUN_WITHOUT_ENTRY', { originId, tail, amount: null, evidence: null, fact: [run.kind] }),
  ];
}

/**
 * One movement or network id under several originIds. The break belongs to the highest originId, which came last, and
 * is the same for each of the transfers. Two transfers that share both ids share one movement, which is reported once.
 */
export function findDuplicates({ originId, sameMovementId, sameNetworkId }: BookedTransfer): FoundBreak[] {
  const byMovement = new Set(sameMovementId);
  const byNetworkAlone = sameNetworkId.filter((other) => !byMovement.has(other));
  return [
    ...duplicate('SAME_MOVEMENT_ID', [originId, ...byMovement]),
    ...duplicate('SAME_NETWORK_ID', [originId, ...byNetworkAlone]),
  ];
}

function duplicate(
  subCase: 'SAME_MOVEMENT_ID' | 'SAME_NETWORK_ID',
  originIds: readonly number[],
): FoundBreak[] {
  const all = [...new Set(originIds)].sort((a, b) => a - b);
  const last = all.at(-1);
  if (last === undefined || all.length < 2) return [];
  // Amount and answer would belong to only one of the transfers, so the break has neither.
  const tail = [`originIds ${all.join(', ')}`];
  return [foundBreak(subCase, { originId: last, tail, amount: null, evidence: null, fact: all.map(String) })];
}

/** An open transfer that no run drives. For an ended transfer, Temporal's run does not matter. */
function compareWithEngine(
  { run }: BookedTransfer,
  { originId, amount, result }: JournalEntry,
  { readAt }: CompareContext,
): FoundBreak[] {
  if (result !== null) return [];
  const lost = (subCase: 'RUN_MISSING' | 'RUN_STOPPED' | 'RUN_COMPLETED', how: string): FoundBreak[] => [
    foundBreak(subCase, { originId, tail: [`run ${how}`], amount, evidence: null, fact: [how] }),
  ];
  switch (run.kind) {
    case 'open':
    case 'unknown':
      return [];
    case 'missing':
      return lost('RUN_MISSING', 'missing');
    case 'closed':
      if (run.how !== 'completed') return lost('RUN_STOPPED', run.how);
      // The transfer ended while the books were being read: the next reading of the journal has its result.
      if (run.closedAt !== null && isInFlight(run.closedAt, readAt)) return [];
      return lost('RUN_COMPLETED', run.how);
  }
}
