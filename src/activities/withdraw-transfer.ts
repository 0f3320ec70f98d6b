import type { TransferResult } from '../domain/transfer/result';
import type { TransferActivityContext } from './context';
import { orRefused } from './journal-refusal';
import type { Refused } from './numbered-request';

export interface WithdrawTransferInput {
  readonly originId: number;
  readonly number: number;
  readonly runId: string;
  /**
   * The journal that the run noted at receipt, if a create needs the same number and may have been tried: only this
   * journal knows whether the create was sent. Absent: no create needs the number.
   */
  readonly besideCreate?: { readonly journalId: string };
}

export type WithdrawalOutcome =
  | { readonly kind: 'granted' }
  | { readonly kind: 'too-late' }
  /** The concurrent create may have been sent, and the journal has lost its claim; the journal now has a doubt. */
  | { readonly kind: 'in-doubt' }
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | { readonly kind: 'out-of-order'; readonly lastNumber: number }
  | Refused;

/** Withdraws a transfer that was not sent. One statement claims the number, which excludes every later create. */
export function withdrawTransfer({ journal }: Pick<TransferActivityContext, 'journal'>) {
  return async ({ besideCreate, ...rest }: WithdrawTransferInput): Promise<WithdrawalOutcome> => {
    const { originId, number, runId } = rest;
    if (besideCreate !== undefined && !(await journal.vouchForCreate({ originId, number, ...besideCreate })))
      return { kind: 'in-doubt' };
    const claim = await orRefused(() =>
      journal.claimRequest({
        ...{ originId, number, kind: 'withdrawal', runId },
        ...(besideCreate === undefined ? {} : { onlyIn: besideCreate.journalId }),
      }),
    );
    switch (claim.kind) {
      case 'refused':
        return claim;
      case 'claimed':
        return { kind: 'granted' };
      case 'repeated':
        // A look-up does not prove that a create left: the run reads the journal again.
        if (claim.requestKind === 'lookup') return { kind: 'out-of-order', lastNumber: number };
        return { kind: claim.requestKind === 'withdrawal' ? 'granted' : 'too-late' };
      case 'ended':
        return claim.result === null ? { kind: 'granted' } : { kind: 'ended', result: claim.result };
      case 'too-late':
      case 'out-of-order':
        return claim;
      case 'denied':
      case 'held-back':
        throw new Error('the journal answered a withdrawal as a create');
    }
  };
}
