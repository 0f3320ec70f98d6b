import type { Journal } from '../../../src/journal/journal';
import type { NotifiedDebit } from '../../../src/journal/statements/orphan-debits';

/** Debits that nobody ordered, as the bank has confirmed them. */
export async function confirmedDebits(
  journal: Pick<Journal, 'stageDebits' | 'confirmDebit'>,
  debits: readonly NotifiedDebit[],
): Promise<void> {
  await journal.stageDebits(debits);
  for (const { deliveryKey, ...ids } of debits)
    expect(await journal.confirmDebit({ deliveryKey, ids, pauseMs: 0 })).toBe(true);
}
