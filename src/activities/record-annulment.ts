import type { TransferResult } from '../domain/transfer/result';
import type { TransferActivityContext } from './context';
import { whileBeating } from './heartbeat';
import { refusalOfEnd } from './judge-end';
import { orRefused } from './journal-refusal';
import type { EndRecorded } from './record-transfer';

export interface RecordAnnulmentInput {
  readonly result: TransferResult;
  /** Number of the request whose answer the annulment cites; for an end by operators, the last answer of any status. */
  readonly evidenceNumber: number;
  /** Who decided; empty: the bank. */
  readonly operators: readonly string[];
}

/**
 * Records the annulment of a FAILED transfer with its result, exactly once (contract 4.5); a repeat returns the
 * existing annulment. Refused unless the bank's last answer is FAILED, or a decision of two operators is recorded.
 */
export function recordAnnulment(
  context: Pick<TransferActivityContext, 'journal' | 'observer' | 'decisionSigners'>,
) {
  const { journal, observer } = context;
  const record = async ({
    result,
    evidenceNumber,
    operators,
  }: RecordAnnulmentInput): Promise<EndRecorded> => {
    if (result.status !== 'FAILED') throw new Error('only a FAILED transfer is annulled');
    const refusal = await refusalOfEnd(context, { result, evidenceNumber });
    if (refusal !== null) return { kind: 'refused', refusal };
    const { annulmentId: _, status, ...rest } = result;
    const recorded = await orRefused(() =>
      journal.recordAnnulment({ result: { ...rest, status }, evidenceNumber, operators }),
    );
    if ('refusal' in recorded) return recorded;
    // Report the end only once: a step that is repeated after a crash returns the same end.
    if (recorded.isNew) observer?.ended(recorded.result);
    return { kind: 'recorded', ...recorded };
  };
  return (input: RecordAnnulmentInput) => whileBeating(() => record(input));
}
