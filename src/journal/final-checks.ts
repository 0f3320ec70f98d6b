import type { FinalJudgement, LateFact } from '../domain/late-truth';
import type { TransferOrder } from '../domain/order';
import type { LookupAnswer } from '../domain/transfer/answers';
import type { TransferResult } from '../domain/transfer/result';

/** Questions to the bank about transfers that have ended, and what contradicts their end. Results never change. */
export interface FinalChecks {
  /**
   * Claims the next question about an ended transfer before its first byte goes out. Granted when the gap since the
   * end of the last request about it has passed, by the journal's clock; exactly one of several callers gets it.
   */
  claimFinalCheck(claim: FinalCheckClaim): Promise<ClaimedFinalCheck>;

  /** Records what came of it, and the incident if it contradicts the end in a way that is not known yet. */
  recordFinalAnswer(record: FinalAnswerRecord): Promise<Incident | null>;

  /** Newest first. `open`: those that nobody has acknowledged. */
  incidents(filter: { readonly open: boolean; readonly limit: number }): Promise<readonly Incident[]>;

  /** Takes an incident off the list of what needs attention; the incident stays. Null: there is no such incident. */
  acknowledgeIncident(acknowledgement: NewAcknowledgement): Promise<Acknowledged | null>;
}

export interface FinalCheckClaim {
  readonly originId: number;
  /** Lower-case words, for audits: `movement show`, `reconciliation`, `hint`. */
  readonly askedBy: string;
  readonly gapMs: number;
  /** The gap while the last answer says DELAYED. */
  readonly delayedGapMs: number;
  /** Longest that one call may take: a claim without an answer may be under way for so long. */
  readonly timeoutMs: number;
}

export type ClaimedFinalCheck =
  | {
      readonly kind: 'claimed';
      readonly seq: number;
      readonly order: TransferOrder;
      readonly result: TransferResult;
    }
  | { readonly kind: 'too-soon'; readonly waitMs: number }
  /** Open, or not known. */
  | { readonly kind: 'not-ended' };

export interface FinalAnswerRecord {
  readonly originId: number;
  readonly seq: number;
  readonly answer: LookupAnswer;
  readonly judgement: FinalJudgement;
}

/** A final state that the bank contradicted. */
export interface Incident {
  readonly id: string;
  readonly originId: number;
  readonly fact: LateFact;
  /** For people. */
  readonly sentence: string;
  /** How the transfer ended. */
  readonly finalStatus: TransferResult['status'];
  /** Of the contradicting answer, like the ids; null: it had none, or found nothing. */
  readonly bankStatus: string | null;
  readonly movementId: string | null;
  readonly networkId: string | null;
  readonly evidenceSha256: string | null;
  /** ISO UTC. */
  readonly at: string;
  readonly acknowledged: Acknowledgement | null;
}

export interface Acknowledgement {
  readonly operator: string;
  readonly note: string;
  /** ISO UTC. */
  readonly at: string;
}

export interface NewAcknowledgement {
  readonly incidentId: string;
  readonly operator: string;
  readonly note: string;
}

export interface Acknowledged {
  readonly incident: Incident;
  /** False: somebody had done so before, see `incident.acknowledged`. */
  readonly now: boolean;
}
