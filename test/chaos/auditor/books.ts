/**
 * The input of the auditor, as plain JSON: ids, counts and amounts are text, times ISO UTC. These types are independent
 * of the product: the books are copied as they are.
 */
export interface Books {
  /** The orders as callers gave them. */
  readonly orders: readonly GivenOrder[];
  /** The cancels as callers sent them, whether or not they got an answer. */
  readonly cancels: readonly { readonly originId: string; readonly at: string }[];
  readonly bank: BankBook;
  readonly journal: JournalBook;
  /** Every run of every transfer; the runs of a chain in the order of their starts. */
  readonly histories: readonly RunHistory[];
  readonly verifications: readonly Verification[];
  /** Null: none was started. */
  readonly reconciliation: Reconciliation | null;
  readonly terms: Terms;
}

export interface Verification {
  readonly requestId: string;
  /** The bank's last status; null: it was never asked. */
  readonly bankWord: string | null;
  /** The meaning of that status by the settings; null: the status is not final. */
  readonly meaning: string | null;
  /** As the journal has it; null: none. */
  readonly outcome: string | null;
}

/** A reconciliation that ran during the transfers. */
export interface Reconciliation {
  /** When it was started. */
  readonly startedAt: string;
  readonly hasReport: boolean;
  readonly breaks: readonly { readonly originId: string | null; readonly class: string }[];
}

export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The promises to the bank, and how the books were collected. */
export interface Terms {
  /** Least gap after a request while the bank's status is not DELAYED. */
  readonly pollActiveMs: number;
  /** Least gap after the bank's status DELAYED. */
  readonly pollDelayedMs: number;
  /** `bank`: gaps are judged by the bank's clock. `workflow`: timers were skipped, so gaps are judged by `giroTime`. */
  readonly clock: 'bank' | 'workflow';
  /** Spans in which a process stood still with open connections; its requests end when the standstill is noticed. */
  readonly standstills: readonly Span[];
  /** Spans in which a process was killed, or a server or a connection failed: answers may be lost then. */
  readonly losses: readonly Span[];
  readonly takenAt: string;
  /**
   * The bank was asked about each open transfer without a flag within this time before `takenAt`, by the bank's clock.
   * Within the same time, a final status ends its transfer.
   */
  readonly progressWithinMs: number;
  /**
   * Longest time in which nothing is recorded about an open transfer without a flag, by the machine's clock. Time that
   * the engine skipped does not count.
   */
  readonly standstillMaxMs: number;
  readonly eventsPerRunMax: number;
  /** Every order and every decision must be signed. */
  readonly isSigned: boolean;
}

/** The bounds for systems whose processes and servers are struck. */
export const BOUNDS = {
  /** Long enough for a create whose worker was killed: the create is tried again after its time-out. */
  progressWithinMs: 90_000,
  /** Far longer than one fault: the same transfer may be struck again and again, and time-outs add up. */
  standstillMaxMs: 900_000,
  /** A run continues as new before the first request after 1,000 events; messages and a step may add some. */
  eventsPerRunMax: 1_200,
} as const satisfies Partial<Terms>;

export interface GivenOrder {
  readonly originId: string;
  readonly amount: string;
  readonly currency: string;
  readonly from: Party;
  readonly to: Party;
}

export interface Party {
  readonly address: string;
  readonly owner: { readonly personId: string };
}

export interface BankBook {
  readonly movements: readonly BankMovement[];
  /** In order of arrival. */
  readonly requests: readonly BankRequest[];
  /** By originId: whether the bank was configured to give wrong or incomplete answers. */
  readonly twisted: Readonly<Record<string, { readonly isWrong: boolean; readonly isIncomplete: boolean }>>;
}

export interface BankMovement {
  readonly id: string;
  readonly originId: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly from: Party;
  readonly to: Party;
  readonly networkId: string;
}

export interface BankRequest {
  readonly service: string;
  readonly originId: string | null;
  readonly at: string;
  readonly giroTime: string | null;
  readonly bodySha256: string | null;
  /** HTTP status; null: no answer was sent. */
  readonly status: number | null;
  readonly movementStatus: string | null;
  /** The id in the answer, which may differ from the movement's. */
  readonly movementId: string | null;
  readonly finishedAt: string | null;
}

/** Rows of the journal's tables, column by column. */
export interface JournalBook {
  readonly transfer: readonly TransferRow[];
  readonly request: readonly RequestRow[];
  /** Inquiries outside a run, claimed in a separate table. */
  readonly inquiry: readonly InquiryRow[];
  readonly answer: readonly AnswerRow[];
  readonly result: readonly ResultRow[];
  readonly annulment: readonly AnnulmentRow[];
  readonly decision: readonly DecisionRow[];
  readonly flags: readonly FlagsRow[];
  /** The feed as a consumer reads it, from the first event. */
  readonly events: readonly FeedEvent[];
}

export interface TransferRow {
  readonly origin_id: string;
  readonly opened_at: string;
  readonly proof: string | null;
  readonly order_json: {
    readonly from: Party;
    readonly to: Party;
    readonly body: { readonly amount: string; readonly currencyId: string };
  };
}

export interface RequestRow {
  readonly origin_id: string;
  readonly number: string;
  readonly kind: string;
  readonly run_id: string;
  readonly claimed_at: string;
}

export interface InquiryRow {
  readonly origin_id: string;
  readonly claimed_at: string;
}

export interface AnswerRow {
  readonly origin_id: string;
  readonly number: string;
  /** `answered`: the answer of a create. `not-sent`: it surely never reached the bank. */
  readonly kind: string;
  readonly echo: string | null;
  readonly movement_id: string | null;
  readonly bank_status: string | null;
  readonly recorded_at: string;
}

export interface ResultRow {
  readonly origin_id: string;
  readonly record_id: string;
  readonly result: {
    readonly status: string;
    readonly movementId: string | null;
    readonly networkId: string | null;
    readonly amount: { readonly currency: string; readonly value: string };
    readonly annulmentId: string | null;
    readonly decidedBy: string;
  };
  readonly recorded_at: string;
}

export interface AnnulmentRow {
  readonly origin_id: string;
  readonly record_id: string;
  readonly id: string;
  readonly movement_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly decided_by: string;
  readonly operators: readonly string[];
  readonly recorded_at: string;
}

export interface DecisionRow {
  readonly origin_id: string;
  readonly seq: string;
  readonly record_id: string;
  readonly outcome: string;
  readonly action: string | null;
  /** Null: not a decision of a person; earlier proposals were voided. */
  readonly operator: string | null;
  readonly signature: string | null;
  readonly operators: readonly string[];
  /** The flags that the decision was about. */
  readonly flags: readonly string[];
  readonly recorded_at: string;
}

export interface FlagsRow {
  readonly origin_id: string;
  readonly seq: string;
  readonly record_id: string;
  readonly reasons: readonly string[];
  readonly recorded_at: string;
}

export interface FeedEvent {
  readonly cursor: string;
  readonly kind: string;
  readonly originId: string;
}

export interface RunHistory {
  readonly originId: string;
  readonly runId: string;
  readonly startedAt: string;
  /** The first run of the chain; the same for all runs of a chain. */
  readonly firstRunId: string;
  readonly eventCount: number;
  /** The error of a replay by the product's workflow code; null: the replay took the same path. */
  readonly replayError: string | null;
  /** Status of the run's result; null: the run did not complete. */
  readonly completedAs: string | null;
  /** Time and type of each event, for people who investigate why a run waited. */
  readonly events?: readonly string[];
}

/** A broken promise, with a sentence for people. */
export interface Violation {
  readonly rule: string;
  /** Null: the violation is not about a single transfer. */
  readonly originId: string | null;
  readonly sentence: string;
}

export type Rule = (books: Books) => readonly Violation[];
