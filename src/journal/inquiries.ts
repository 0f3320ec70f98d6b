import type { FinalJudgement } from '../domain/post-final';
import type { TransferOrder } from '../domain/order';
import type { LookupAnswer } from '../domain/transfer/answers';
import type { TransferResult } from '../domain/transfer/result';
import type { Incident } from './incidents';

/**
 * Questions to the bank that no run asks: about a transfer after its end, about an originId without a transfer, and
 * about an open transfer whose run is lost. Every one is claimed before its first byte goes out.
 */
export interface Inquiries {
  /**
   * Granted when the gap since the end of the last question about the originId has passed, whoever asked it, by the
   * journal's clock; exactly one of several callers gets it.
   */
  claimInquiry(claim: InquiryClaim): Promise<ClaimedInquiry>;

  /** Records what came of an inquiry, once. Returns the incident that the answer raises; null: none, or it is known. */
  recordInquiry(record: InquiryRecord): Promise<Incident | null>;

  /** Readable answers that a reconciliation, or a person since it began, has had about these originIds. */
  inquiriesOf(run: { asOf: string; originIds: readonly number[] }): Promise<readonly KnownAnswer[]>;
}

export interface InquiryClaim {
  readonly originId: number;
  /** For audits: a command, or the workflow id of a reconciliation. */
  readonly askedBy: string;
  /** `asOf` of the reconciliation that asks; null: a person. */
  readonly asOf: string | null;
  /**
   * Of an open transfer whose run is lost: the number of its last request (0: none). The inquiry is the one that follows,
   * so that the run which is started again goes on behind it. Null: of an open transfer nothing is claimed.
   */
  readonly lostAfter: number | null;
  readonly gapMs: number;
  /** The gap while the bank's last status is DELAYED. */
  readonly delayedGapMs: number;
  /** Longest that one call may take: a question without an answer may be in flight for so long. */
  readonly createTimeoutMs: number;
  readonly lookupTimeoutMs: number;
}

export type ClaimedInquiry =
  | {
      readonly kind: 'claimed';
      readonly number: number;
      /** `request`: among the numbered requests of a transfer whose run is lost. */
      readonly as: 'inquiry' | 'request';
      /** Null: there is no transfer. */
      readonly order: TransferOrder | null;
      /** How the transfer ended; null: it is open, or there is none. */
      readonly result: TransferResult | null;
      /** How long ago the claim was sent. */
      readonly claimAgeMs: number;
    }
  /** This reconciliation has a readable answer. */
  | { readonly kind: 'answered'; readonly answer: LookupAnswer; readonly at: string }
  | { readonly kind: 'too-soon'; readonly waitMs: number }
  /** Open, and its own run asks. */
  | { readonly kind: 'open' };

export interface InquiryRecord {
  readonly originId: number;
  readonly number: number;
  readonly answer: LookupAnswer;
  /** Null: there is no end to compare the answer with. */
  readonly judgement: FinalJudgement | null;
}

export interface KnownAnswer {
  readonly originId: number;
  readonly answer: LookupAnswer;
  /** ISO UTC. */
  readonly at: string;
}
