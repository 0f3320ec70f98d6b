import type { DecisionRecord } from '../domain/transfer/decisions/decision';
import type { TransferResult } from '../domain/transfer/result';
import type { RecordedResult } from '../journal/port';
import type { TransferActivityContext } from './context';

type Needed = Pick<TransferActivityContext, 'journal' | 'observer'>;

/** Writes down how a transfer ended, once; a repeat answers with what is there. */
export function recordResult({ journal, observer }: Needed) {
  return async (result: TransferResult): Promise<RecordedResult> => {
    const recorded = await journal.recordResult(result);
    // Once: a step that is repeated after a crash is no second end.
    if (recorded.isNew) observer?.ended(recorded.result);
    return recorded;
  };
}

/** Writes down which flags are open now. */
export function recordFlags({ journal, observer }: Needed) {
  return async (flags: { originId: number; reasons: readonly string[] }): Promise<void> => {
    await journal.recordFlags(flags.originId, flags.reasons);
    observer?.flagsRecorded(flags);
  };
}

/** Writes down what operators decided, or that their proposals came to nothing; a repeat writes nothing. */
export function recordDecision({ journal }: Pick<TransferActivityContext, 'journal'>) {
  return ({
    originId,
    record,
  }: {
    originId: number;
    record: DecisionRecord;
  }): Promise<{ readonly recorded: boolean }> => journal.recordDecision(originId, record);
}
