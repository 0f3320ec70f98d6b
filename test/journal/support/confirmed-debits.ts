import type { Journal } from '../../../src/journal/journal';
import type { DebitToHold } from '../../../src/journal/statements/suspected-debits';

/** Debits that nobody ordered, as the bank has confirmed them. */
export async function confirmedDebits(
  journal: Pick<Journal, 'stageDebits' | 'confirmDebit'>,
  debits: readonly DebitToHold[],
): Promise<void> {
  await journal.stageDebits(debits);
  for (const { deliveryKey, ...ids } of debits)
    expect(await journal.confirmDebit({ deliveryKey, ids, pauseMs: 0 })).toBe(true);
}
