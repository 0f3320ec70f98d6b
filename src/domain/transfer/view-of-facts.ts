import { afterReceipt } from './after-receipt';
import type { TransferFacts } from './facts';
import { recordedResult } from './make-result';
import type { TransferResult } from './result';
import { DEFAULT_TRANSFER_SETTINGS } from './settings';
import { initialState } from './state';
import type { TransferView } from './view';
import { viewOf } from './view';

/** A placeholder for an unreadable amount, which is never shown. */
const UNREADABLE = '0.00';

export interface KnownTransfer {
  readonly originId: number;
  readonly orderSha256: string;
  /** As ordered; null: the order cannot be read, so no comparison is shown. */
  readonly amount: { readonly currency: string; readonly value: string } | null;
  readonly facts: TransferFacts;
  readonly result: TransferResult | null;
}

/**
 * Query `state` from the journal alone: the view of a run that would start now. Fields that only an open run knows (the
 * next request, the open decisions, the last error) are null or empty.
 */
export function viewOfFacts(
  { originId, orderSha256, amount, facts, result }: KnownTransfer,
  iso: (ms: number) => string,
): TransferView {
  const received = afterReceipt(initialState(originId, facts.readAtMs), {
    ...{ kind: 'received', atMs: facts.readAtMs, journalId: '' },
    ...{ orderSha256, amountValue: amount?.value ?? UNREADABLE, settings: DEFAULT_TRANSFER_SETTINGS, facts },
  });
  const { lastReadable: last, proposals } = facts;
  const lastAnswer =
    last?.kind === 'movement' && amount !== null
      ? { ...last.movement, number: last.number, atMs: last.atMs }
      : null;
  const open = { ...received, bank: { ...received.bank, lastAnswer } };
  const state = result === null ? open : recordedResult(open, result);
  return {
    ...viewOf(
      {
        ...state,
        decisions: { ...state.decisions, proposals: result === null ? proposals : [] },
      },
      iso,
    ),
    nextPollAt: null,
    mayDecide: [],
    cancelRequested: result?.status === 'WITHDRAWN',
  };
}
