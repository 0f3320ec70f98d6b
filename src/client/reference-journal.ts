import { createJournal } from '../journal/create-journal';
import type { ReferenceJournal } from './giro-client';

/**
 * The journal of `DATABASE_URL`, for orders that carry a `reference`. Connects with the first order; close it when done.
 */
export function openReferenceJournal(databaseUrl: string): ReferenceJournal & { close(): Promise<void> } {
  const { journal, close } = createJournal(databaseUrl);
  return {
    bindReference: (reference) => journal.bindReference(reference),
    transfer: (originId) => journal.transfer(originId),
    close,
  };
}
