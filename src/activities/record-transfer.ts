import type { DecisionRecord } from '../domain/transfer/decisions/decision';
import type { TransferResult } from '../domain/transfer/result';
import type { RecordedResult } from '../journal/statements/record-result';
import type { TransferActivityContext } from './context';
import { orRefused } from './journal-refusal';
import type { JournalRefusal } from './journal-refusal';
import { refusalOfEnd } from './judge-end';
import { judgeRecord } from './signed-decisions';

type Needed = Pick<TransferActivityContext, 'journal' | 'observer' | 'decisionSigners'>;

/** The outcome of recording an end. */
export type EndRecorded =
  | ({ readonly kind: 'recorded' } & RecordedResult)
  | { readonly kind: 'refused'; readonly refusal: JournalRefusal };

/** Records the end of a transfer, once, if the journal's rows show this end. A repeat returns the existing result. */
export function recordResult(context: Needed) {
  const { journal, observer } = context;
  return async (result: TransferResult): Promise<EndRecorded> => {
    const refusal = await refusalOfEnd(context, { result, evidenceNumber: null });
    if (refusal !== null) return { kind: 'refused', refusal };
    const recorded = await orRefused(() => journal.recordResult(result));
    if ('refusal' in recorded) return recorded;
    // Report the end only once: a step that is repeated after a crash returns the same end.
    if (recorded.isNew) observer?.ended(recorded.result);
    return { kind: 'recorded', ...recorded };
  };
}

/** Records which flags are open now. */
export function recordFlags({ journal, observer }: Needed) {
  return async (flags: {
    originId: number;
    reasons: readonly string[];
    /** The reason of `JOURNAL_CONFLICT`. */
    conflict: string | null;
  }): Promise<{ readonly refusal: JournalRefusal | null }> => {
    const recorded = await orRefused(() =>
      journal.recordFlags(flags.originId, flags.reasons, flags.conflict),
    );
    observer?.flagsRecorded(flags);
    return { refusal: recorded?.refusal ?? null };
  };
}

/**
 * Records a decision of operators, or that proposals were voided; a repeat writes nothing. If it is not recorded, the
 * sender learns what is wrong with the signature (`why`), or which rule of the journal forbids the decision (`rule`).
 */
export function recordDecision(context: Needed) {
  const { journal, observer } = context;
  return async ({
    originId,
    record,
  }: {
    originId: number;
    record: DecisionRecord;
  }): Promise<{
    readonly recorded: boolean;
    readonly refusal: JournalRefusal | null;
    readonly why?: string;
    readonly rule?: string;
  }> => {
    const judged = await judgeRecord(context, originId, record);
    if (!judged.ok) {
      const { action, operator } = record;
      observer?.decisionRefused?.({ originId, action, operator, reason: judged.says, step: 'record' });
      return { recorded: false, refusal: null, why: judged.says };
    }
    const written = await orRefused(() => journal.recordDecision(originId, record, judged.signed));
    return 'refusal' in written
      ? { recorded: false, refusal: written.refusal }
      : { ...written, refusal: null };
  };
}
