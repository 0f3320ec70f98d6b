import type { DecisionRecord } from './decision';
import { DECISION_TABLE, lastMovement } from './decision-table';
import { isRaised } from '../flags';
import type { TransferState } from '../state';

/**
 * The journal's row for open proposals that end without a decision (contract 4.6). `proposalId`: record of the latest
 * proposal.
 */
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
  flags: [],
  afterNumber: 0,
});

/**
 * Voids proposals whose basis has changed, because the second operator would accept something else. The basis changes
 * with a new status, another or a first movement, another echo or amount, a cleared flag, or an end that arrived
 * meanwhile.
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
      unrecorded: [...unrecorded, voidedRecord(latest.id, reason, after.bank.lastStatus)],
    },
  };
}

function reasonToVoid(before: TransferState, after: TransferState): string | null {
  const { name } = after.stage;
  // If the journal refuses the end, each look-up reports the same end again: no change.
  const isRefused = isRaised(after.flags, 'JOURNAL_CONFLICT');
  if ((name === 'ending' && !isRefused) || name === 'ended') return 'the transfer came to its end';
  if (name === 'receiving') return 'the journal is read again';
  if (basis(before) !== basis(after) || reappeared(before, after))
    return 'the bank has answered something new';
  return restsOnGoneFlag(before, after) ? 'a flag that it rested on is gone' : null;
}

const reappeared = (before: TransferState, after: TransferState): boolean =>
  lastMovement(before) === null && lastMovement(after) !== null;

/** A flag may be raised again for another cause before the second operator decides. */
function restsOnGoneFlag(before: TransferState, after: TransferState): boolean {
  const actions = new Set<string>(after.decisions.proposals.map(({ action }) => action));
  return DECISION_TABLE.some(
    ({ action, reasons }) =>
      actions.has(action) &&
      reasons.some((reason) => isRaised(before.flags, reason) && !isRaised(after.flags, reason)),
  );
}

/** A not-found does not change the basis: the decision's terms are checked again at its acceptance. */
function basis({ bank }: TransferState): string {
  const { movementId, networkId, echo, echoFields, reported } = bank.lastAnswer ?? {};
  return JSON.stringify([
    ...[bank.lastStatus, movementId, networkId, echo, echoFields],
    ...[reported?.amount, reported?.currency],
  ]);
}
