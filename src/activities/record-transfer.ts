import type { DecisionRecord } from '../domain/transfer/decisions/decision';
import type { TransferResult } from '../domain/transfer/result';
import type { RecordedResult } from '../journal/statements/record-result';
import type { TransferActivityContext } from './context';
import { orRefused } from './journal-refusal';
import type { JournalRefusal } from './journal-refusal';

type Needed = Pick<TransferActivityContext, 'journal' | 'observer'>;

/** What came of writing an end down. */
export type EndRecorded =
  | ({ readonly kind: 'recorded' } & RecordedResult)
  | { readonly kind: 'refused'; readonly refusal: JournalRefusal };

/** Writes down how a transfer ended, once; a repeat answers with what is there. */
export function recordResult({ journal, observer }: Needed) {
  return async (result: TransferResult): Promise<EndRecorded> => {
    const recorded = await orRefused(() => journal.recordResult(result));
    if ('refusal' in recorded) return recorded;
    // Once: a step that is repeated after a crash is no second end.
    if (recorded.isNew) observer?.ended(recorded.result);
    return { kind: 'recorded', ...recorded };
  };
}

/** Writes down which flags are open now. */
export function recordFlags({ journal, observer }: Needed) {
  return async (flags: {
    originId: number;
    reasons: readonly string[];
    /** Of `JOURNAL_CONFLICT`. */
    conflict: string | null;
  }): Promise<{ readonly refusal: JournalRefusal | null }> => {
    const recorded = await orRefused(() =>
      journal.recordFlags(flags.originId, flags.reasons, flags.conflict),
    );
    observer?.flagsRecorded(flags);
    return { refusal: recorded?.refusal ?? null };
  };
}

/** Writes down what operators decided, or that their proposals came to nothing; a repeat writes nothing. */
export function recordDecision({ journal }: Pick<TransferActivityContext, 'journal'>) {
  return async ({
    originId,
    record,
  }: {
    originId: number;
    record: DecisionRecord;
  }): Promise<{ readonly recorded: boolean; readonly refusal: JournalRefusal | null }> => {
    const written = await orRefused(() => journal.recordDecision(originId, record));
    return 'refusal' in written
      ? { recorded: false, refusal: written.refusal }
      : { ...written, refusal: null };
  };
}
