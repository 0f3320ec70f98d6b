import type { AttentionReason } from '../flags';

/** What operators may decide about a transfer that needs a person (contract 4.6). */
export const DECISION_ACTIONS = [
  'resume',
  'resend',
  'accept-not-taken',
  'accept-completed',
  'accept-failed',
  'withdraw',
] as const;
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

/** Actions that take two different operators: the first proposes, the second accepts. */
export type ProposedAction = Exclude<DecisionAction, 'resume' | 'withdraw'>;

export const takesTwo = (action: DecisionAction): action is ProposedAction =>
  action !== 'resume' && action !== 'withdraw';

/** The argument of update `decide`. Without a signature operators' names are not authenticated: see `DECIDERS`. */
export interface DecisionRequest {
  readonly action: DecisionAction;
  /** By `OPERATOR_RULE`. */
  readonly operator: string;
  /** 1 to 500 characters, for later readers of the journal. */
  readonly reason: string;
  /**
   * The intended transfer: any other transfer refuses the decision, e.g. when somebody moved the sealed payload.
   * Absent: the transfer that received the update.
   */
  readonly originId?: number;
  /**
   * This and the next two fields: required with `DECIDERS_FILE`, else absent. `evidenceNumber` of query `state` when
   * the decision was signed.
   */
  readonly evidenceNumber?: number;
  /** ISO UTC, at most an hour ahead. */
  readonly expiresAt?: string;
  /** Armoured SSH signature over `decisionLine`, for the purpose `giro-decision`. */
  readonly signature?: string;
}

/** The fields of a signed decision. */
export type DecisionProof = Required<Pick<DecisionRequest, 'evidenceNumber' | 'expiresAt' | 'signature'>>;

/** A proof with the fingerprint of the verified key, as `ssh-keygen -l` prints it. */
export interface VerifiedProof extends DecisionProof {
  readonly keyFingerprint: string;
}

/** Null: the decision is not signed. */
export const proofOf = ({ evidenceNumber, expiresAt, signature }: DecisionRequest): DecisionProof | null =>
  evidenceNumber === undefined || expiresAt === undefined || signature === undefined
    ? null
    : { evidenceNumber, expiresAt, signature };

/** The answer to the operator; `by`: the operators who have decided so far. */
export interface DecisionAnswer {
  readonly state: 'proposed' | 'accepted' | 'resumed' | 'withdrawn';
  readonly by: readonly string[];
}

/** A first operator's decision that waits for a second operator. */
export interface Proposal {
  /** The id of the proposal's record. */
  readonly id: string;
  readonly action: ProposedAction;
  readonly operator: string;
  readonly reason: string;
  readonly atMs: number;
  /** The bank's last status at that time. */
  readonly bankStatus: string | null;
  /** Fingerprint of the signing key; absent: not signed. */
  readonly keyFingerprint?: string;
}

/**
 * `voided`: open proposals ended without a decision. The bank answered something new, their flag cleared, the transfer
 * ended, the journal was read again, or the run was lost.
 */
export const DECISION_OUTCOMES = ['proposed', 'accepted', 'resumed', 'withdrawn', 'voided'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

/** A row of the journal's append-only record of decisions. */
export interface DecisionRecord {
  /** Unique for the transfer: a repeated step writes the record once. */
  readonly id: string;
  readonly outcome: DecisionOutcome;
  /** Null for `voided`. */
  readonly action: DecisionAction | null;
  /** Null for `voided`. */
  readonly operator: string | null;
  /** All operators of the decision: two for `accepted`. */
  readonly operators: readonly string[];
  readonly reason: string;
  /** The bank's last status at that time. */
  readonly bankStatus: string | null;
  /** The open flags at the decision, most urgent first; empty for `voided`. */
  readonly flags: readonly AttentionReason[];
  /**
   * The last request that the run knew of: the operator had not seen the answer to any later request, even if that
   * answer was recorded first.
   */
  readonly afterNumber: number;
  /** Absent: not signed. */
  readonly proof?: VerifiedProof;
}

export interface Decisions {
  /**
   * At most one by each operator. An acceptance, a resume and the decision `withdraw` end all of them; so does every
   * change that voids them (`voided-proposals.ts`).
   */
  readonly proposals: readonly Proposal[];
  /** Decisions that are not in the journal yet: recorded before the next step. */
  readonly unrecorded: readonly DecisionRecord[];
}

export const NO_DECISIONS: Decisions = { proposals: [], unrecorded: [] };
