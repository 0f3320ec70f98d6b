import type { DecisionRecord } from './decision';
import type { TransferState } from './state';

/** The journal's line when open proposals end without a decision. `proposalId`: record of the latest of them. */
export const voidedRecord = (
  proposalId: string,
  reason: string,
  bankStatus: string | null,
): DecisionRecord => ({
  id: `void/${proposalId}`,
  outcome: 'voided',
  action: null,
  operator: null,
  operators: [],
  reason,
  bankStatus,
});

/**
 * What the first operator looked at has changed, so the second would accept something else: a new status, another
 * movement, another echo, or an end that came meanwhile.
 */
export function withVoidedProposals(before: TransferState, after: TransferState): TransferState {
  const latest = after.decisions.proposals.at(-1);
  if (latest === undefined) return after;
  const reason = reasonToVoid(before, after);
  if (reason === null) return after;
  const { unrecorded } = after.decisions;
  return {
    ...after,
    decisions: {
      proposals: [],
      unrecorded: [...unrecorded, voidedRecord(latest.id, reason, after.bank.lastWord)],
    },
  };
}

function reasonToVoid(before: TransferState, after: TransferState): string | null {
  const { name } = after.stage;
  if (name === 'settling' || name === 'ended') return 'the transfer came to its end';
  if (name === 'receiving') return 'the journal is read again';
  return basis(before) === basis(after) ? null : 'the bank has answered something new';
}

/** A not-found is no new status: whether the decision still stands is judged again when it is accepted. */
function basis({ bank }: TransferState): string {
  const told = bank.lastAnswer;
  return JSON.stringify([bank.lastWord, told?.movementId, told?.networkId, told?.echo]);
}
