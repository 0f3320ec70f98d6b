import { isInFlight } from './books';
import type { BookedTransfer, CompareContext } from './books';
import type { FoundBreak } from './break';
import { compareWithBank } from './compare-bank';
import { compareWithEngine } from './compare-engine';
import { compareWithin } from './compare-journal';
import { compareWithStatement } from './compare-statement';
import { findDuplicates } from './duplicates';
import { foundBreak } from './found-break';

/** Classes that speak of where a transfer stands: of several for one transfer the first that is found is told. */
const STATE_CLASSES: ReadonlySet<string> = new Set([
  'STATE_MISMATCH',
  'MISSING_AT_BANK',
  'MISSING_ANNULMENT',
]);

/**
 * The differences between the books of one transfer; none when they agree. One break for one fact: of the classes
 * about its state one in all, and of every other class one for bank and statement together, the bank's own answer
 * first. What the journal says against itself are facts of their own. Pure; the same books give the same breaks, in
 * whatever order the statement's lines come.
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
 * The books agree about an ended transfer and the bank was asked: it need not be asked again in later runs. LATE
 * stands for ever and is no reason to ask again.
 */
export function isSettled(transfer: BookedTransfer, found: readonly FoundBreak[]): boolean {
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

/** The statement is the bank's too: what both of them show is one fact. */
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
  // A run that failed refused its order, or lost the originId to another one: nothing was sent.
  const drives = run.kind === 'open' || (run.kind === 'closed' && run.how === 'completed');
  const beganAt = run.kind === 'open' ? run.startedAt : run.kind === 'closed' ? run.closedAt : null;
  if (!drives || (beganAt !== null && isInFlight(beganAt, readAt))) return [];
  const tail = [`run ${run.kind}`];
  return [
    foundBreak('RUN_WITHOUT_ENTRY', { originId, tail, amount: null, evidence: null, fact: [run.kind] }),
  ];
}
