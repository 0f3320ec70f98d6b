import type { TransferResult } from '../domain/transfer/result';
import type { RecordedResult } from '../journal/port';
import type { TransferActivityContext } from './context';

type JournalOnly = Pick<TransferActivityContext, 'journal'>;

/** Writes down how a transfer ended, once; a repeat answers with what is there. */
export function recordResult({ journal }: JournalOnly) {
  return (result: TransferResult): Promise<RecordedResult> => journal.recordResult(result);
}

/** Writes down which flags are open now. */
export function recordFlags({ journal }: JournalOnly) {
  return ({ originId, reasons }: { originId: number; reasons: readonly string[] }): Promise<void> =>
    journal.recordFlags(originId, reasons);
}
