import type { SealError } from '../codec/seal';
import type { DifferingValue, PartyField } from '../domain/echo';

/** Reading side of the accounts and tax ids that an answer reported otherwise than ordered: for operators' eyes alone. */
export interface DifferingValues {
  /** Of the latest answer that was a mismatch; null: no account or tax id differs in it, or a later answer matches. */
  differingValues(originId: number): Promise<KeptDifference | null>;
}

export interface KeptDifference {
  /** Of the request that brought the answer. */
  readonly number: number;
  /** When the answer was recorded, ISO UTC. */
  readonly at: string;
  /** Which of `PARTY_FIELDS` differ. */
  readonly fields: readonly PartyField[];
  readonly content:
    | { readonly kind: 'opened'; readonly values: readonly DifferingValue[] }
    /** There was no key ring where the answer was recorded. */
    | { readonly kind: 'not-kept' }
    /** This process lacks the key, or the row was altered. */
    | { readonly kind: 'not-opened'; readonly error: SealError };
}
