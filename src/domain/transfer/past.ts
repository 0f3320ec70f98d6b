/**
 * What earlier runs of a transfer left in the journal: all that a run which follows a lost one has to know. Ages are
 * milliseconds by the journal's clock; null fields, zeros and false for a new transfer.
 */
export interface TransferPast {
  /** Last claimed request number; 0: none. */
  readonly lastNumber: number;
  readonly lastClaim: {
    readonly kind: RequestKind;
    readonly agoMs: number;
    /** Its answer is recorded, so it is under way no more. */
    readonly answered: boolean;
    /** Retry-After of its recorded answer. */
    readonly retryAfterMs: number | null;
  } | null;
  /** Creates that may have reached the bank (claimed, and not recorded as not sent). */
  readonly sends: number;
  readonly sinceFirstSendMs: number | null;
  readonly sinceLastSendMs: number | null;
  /** The only send was answered with a refusal. */
  readonly refusal: { readonly httpStatus: number; readonly code: string | null } | null;
  /** Get-movement requests claimed so far. */
  readonly polls: number;
  /** The latest recorded movement whose echo is not a mismatch; its ids are the first that were told. */
  readonly lastMovement: PastMovement | null;
  /** Word of the last recorded movement, whatever its echo: it sets the cadence. */
  readonly lastWord: string | null;
  /** A look-up found a movement, whatever its echo, or a create was answered with ours. */
  readonly sawMovement: boolean;
  /** Answers named two movement ids, or another originId. */
  readonly identityDoubted: boolean;
  /** Record of the latest proposal of operators that nothing has come of yet. */
  readonly openProposal: string | null;
  /**
   * Operators have accepted an end, and the run was lost before it was written down: record of the acceptance, and
   * the flags that it rested on. Null or absent: they have not.
   */
  readonly lostAcceptance?: { readonly id: string; readonly openFlags: readonly string[] } | null;
  /** Operators have resumed it or had it sent again: it is not sent by itself any more. */
  readonly operatorsTookOver: boolean;
  /** Flags that the journal holds as open. */
  readonly openFlags: readonly string[];
  readonly sinceOpenedMs: number;
  /**
   * The journal was restored from a backup after the transfer was opened, so long ago: it may have lost requests and
   * answers of it. Null or absent: it was not.
   */
  readonly sinceRestoredMs?: number | null;
}

export interface PastMovement {
  readonly status: string;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  /** Since the first answer of the unbroken run of this status. */
  readonly sinceMs: number;
}

/** What a run knows of the requests it made. */
export interface KnownRequests {
  readonly lastNumber: number;
  /** Creates that may have reached the bank. */
  readonly sends: number;
}

/** What a number can be claimed for. */
export const REQUEST_KINDS = ['create', 'lookup', 'withdrawal'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export const NO_PAST: TransferPast = {
  lastNumber: 0,
  lastClaim: null,
  sends: 0,
  sinceFirstSendMs: null,
  sinceLastSendMs: null,
  refusal: null,
  polls: 0,
  lastMovement: null,
  lastWord: null,
  sawMovement: false,
  identityDoubted: false,
  openProposal: null,
  lostAcceptance: null,
  operatorsTookOver: false,
  openFlags: [],
  sinceOpenedMs: 0,
  sinceRestoredMs: null,
};
