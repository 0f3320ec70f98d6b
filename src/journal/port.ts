import type { DifferingValue } from '../domain/echo';
import type { TransferOrder } from '../domain/order';
import type { CreateAnswer, LookupAnswer } from '../domain/transfer/answers';
import type { DecisionRecord } from '../domain/transfer/decisions/decision';
import type { TransferFacts } from '../domain/transfer/facts';
import type { KnownRequests, RequestKind, SendingStop } from '../domain/transfer/records';
import type { TransferResult } from '../domain/transfer/result';
import type { TransferView } from '../domain/transfer/view';
import type { Incident } from './incidents';

/**
 * The journal: what Giro knows of each transfer, written before it is acted on. Each method is one statement.
 * Methods throw `JournalUnavailable` when PostgreSQL cannot be reached (nothing is known to be written then: repeat).
 */
export interface TransferJournal {
  /**
   * Writes the order down unless its originId is known, and tells what is known of it. Order,
   * fingerprint and the SHA-256 of the create body never change afterwards.
   */
  openTransfer(opening: TransferOpening): Promise<OpenedTransfer>;

  /**
   * Claims request `number` of a transfer before its first byte goes out. Numbers run 1, 2, 3…: exactly one caller
   * gets `claimed` for each; a number is claimable only when it follows the last one and the transfer is not ended.
   * A withdrawal is a claim too, so that it and a create exclude each other: it is granted only when no create was
   * claimed, except ones recorded as not sent.
   */
  claimRequest(claim: RequestClaim): Promise<ClaimedRequest>;

  /**
   * Asked before a create that is tried again, or a withdrawal beside one: whether the journal would know if an
   * earlier try had left. False: it may have, and the journal holds that doubt from now on.
   */
  vouchForCreate(retry: CreateRetry): Promise<boolean>;

  /** Values of an answer that differ from the order are kept (sealed); false: there is no key ring, they are dropped. */
  readonly keepsDiffering: boolean;

  /**
   * Records what came of a claimed request, once; a repeat does nothing. Not called for a lookup whose answer has the
   * digest that `claimRequest` returned as `lastDigest` and no differing values to keep: the earlier record stands
   * for it.
   */
  recordAnswer(record: AnswerRecord): Promise<void>;

  /**
   * Records how a transfer ended (not FAILED), or returns the result that is already there. A result by operators
   * needs the acceptance of its action as the last line of their record.
   */
  recordResult(result: TransferResult): Promise<RecordedResult>;

  /**
   * Records the annulment of a FAILED transfer together with its result, exactly once; a repeat returns what is there.
   * Refused by the database unless the journal holds a matching answer FAILED under `evidenceNumber`, or under the
   * latest earlier number when the answer told the same and so has no record of its own; when `decidedBy` is operators,
   * unless the last line of their record is the acceptance of `accept-failed` by these very two.
   */
  recordAnnulment(annulment: NewAnnulment): Promise<RecordedResult>;

  /**
   * Writes a line of the record of operators' decisions, once for each id. Not recorded: the transfer is unknown or
   * has ended, or the acceptance has no live proposal of another operator to rest on.
   */
  recordDecision(originId: number, record: DecisionRecord): Promise<{ readonly recorded: boolean }>;

  /**
   * Writes the full set of open flags after a change (empty: all cleared), with the reason of `JOURNAL_CONFLICT`. A
   * repeat of the latest set does nothing.
   */
  recordFlags(originId: number, reasons: readonly string[], conflict?: string | null): Promise<void>;
}

export interface TransferOpening {
  readonly order: TransferOrder;
  readonly orderSha256: string;
  /** Lower-case hex SHA-256 of the create body that the order is rendered to. */
  readonly bodySha256: string;
  /** False: nothing is written for an order that the journal does not know yet. Default true. */
  readonly mayBeNew?: boolean;
  /**
   * What the run knows of its own: when it is more than the journal has, the journal has lost requests, and the
   * transfer is marked so in the same statement. Default: nothing.
   */
  readonly known?: KnownRequests;
}

export type OpenedTransfer =
  /** Not known, and it was not to be new. */
  | { readonly kind: 'unknown' }
  /** The originId belongs to another order. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | {
      readonly kind: 'open';
      /** Null: new, and nothing else is known of it. */
      readonly facts: TransferFacts | null;
      /** Which PostgreSQL this is: system identifier and timeline. */
      readonly journalId: string;
    };

export interface RequestClaim {
  readonly originId: number;
  readonly number: number;
  readonly kind: RequestKind;
  /** Who claims: workflow run id, for audits. */
  readonly runId: string;
  /** Of a create: how long after it others may follow; the first that may have reached the bank sets it for all. */
  readonly resendWindowMs?: number;
}

export type ClaimedRequest =
  | {
      readonly kind: 'claimed';
      readonly order: TransferOrder;
      /** Of the create body, as it was rendered at receipt. */
      readonly bodySha256: string;
      /** Digest of the latest recorded answer of this transfer; null: none. */
      readonly lastDigest: string | null;
      /** From the moment the statement went out to the journal until its answer was there; never shorter than it was. */
      readonly claimAgeMs: number;
    }
  | {
      /** Claimed before: never send it again. */
      readonly kind: 'repeated';
      readonly requestKind: RequestKind;
      /** What was recorded for it; null: nothing. */
      readonly answer: CreateAnswer | LookupAnswer | null;
      /** Age of the claim by the journal's clock: the request may be under way until its time-out has passed. */
      readonly claimAgeMs: number;
    }
  /**
   * A create that may not leave: three may have reached the bank, their time is over by the journal's clock, a look-up
   * found a movement, or the journal has lost requests of the transfer.
   */
  | { readonly kind: 'denied' }
  /** The emergency brake is on: the create was not claimed, and its number is still free. */
  | { readonly kind: 'held-back'; readonly stop: SendingStop }
  /** The withdrawal came too late: a create may have reached the bank. */
  | { readonly kind: 'too-late' }
  /** Withdrawn or ended meanwhile. */
  | { readonly kind: 'ended'; readonly result: TransferResult | null }
  /** The transfer is not known, or `number` does not follow `lastNumber`: the journal is not the one this run knew. */
  | { readonly kind: 'out-of-order'; readonly lastNumber: number };

export interface CreateRetry {
  readonly originId: number;
  readonly number: number;
  /** The journal that the run noted at receipt. */
  readonly journalId: string;
}

export interface AnswerRecord {
  readonly originId: number;
  readonly number: number;
  readonly answer: CreateAnswer | LookupAnswer;
  /** Equal for answers that tell the same (see `answerDigest`). */
  readonly digest: string;
  /** Accounts and tax ids that differ from the order: sealed where there is a key ring, else dropped. Default: none. */
  readonly differing?: readonly DifferingValue[];
}

export interface NewAnnulment {
  readonly result: Omit<TransferResult, 'annulmentId' | 'status'> & { readonly status: 'FAILED' };
  /** Number of the request whose answer was FAILED. */
  readonly evidenceNumber: number;
  /** The two of the decision in their order, when `result.decidedBy` is `operators`; else none. */
  readonly operators: readonly string[];
}

/** `result` is what the journal holds now; `conflict`: it differs from what was to be recorded. */
export interface RecordedResult {
  readonly result: TransferResult;
  readonly conflict: boolean;
  /** Written by this very call, not by an earlier one that it repeats. */
  readonly isNew: boolean;
}

/** A recorded annulment (contract 4.5). */
export interface Annulment {
  readonly id: string;
  readonly originId: number;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly from: TransferOrder['from'];
  readonly to: TransferOrder['to'];
  readonly bankStatus: string | null;
  readonly bankTimes: { readonly posting: string | null; readonly completed: string | null };
  readonly evidenceSha256: string | null;
  readonly decidedBy: 'bank' | 'operators';
  readonly operators: readonly string[];
  readonly reason: string | null;
  /** ISO UTC. */
  readonly recordedAt: string;
}

/** Reading side for commands. */
export interface TransferRecords {
  transfer(originId: number): Promise<TransferRecord | null>;
  /** The transfer for which the bank told this network id; an open one before one that has ended. */
  transferByNetworkId(networkId: string): Promise<TransferRecord | null>;
  /** Newest first. `status`: a word of `GiroStatus`. */
  transfers(filter: TransferFilter): Promise<readonly TransferRecord[]>;
  /** Oldest first. `since`: ISO UTC, inclusive. */
  annulments(filter: { readonly since: string | null }): Promise<readonly Annulment[]>;
}

export interface TransferFilter {
  readonly status: string | null;
  /** An open flag, or an incident that nobody has acknowledged. */
  readonly needsAttention: boolean;
  readonly limit: number;
}

/** A transfer as the journal alone knows it: what its lines tell of query `state`; a run may be a step further. */
export interface TransferRecord extends TransferView {
  readonly reference: string | null;
  readonly orderSha256: string;
  /** As ordered; null: the order is sealed under a key that this process lacks. */
  readonly amount: TransferResult['amount'] | null;
  /** ISO UTC, like every time here. */
  readonly openedAt: string;
  readonly network: string | null;
  /** Creates claimed, in order. */
  readonly attempts: readonly {
    readonly number: number;
    readonly at: string;
    readonly outcome: CreateAnswer['kind'] | null;
  }[];
  readonly result: TransferResult | null;
  readonly annulment: Annulment | null;
  /** Where the bank contradicted the result, oldest first, acknowledged ones too. */
  readonly incidents: readonly Incident[];
}

/** originIds that the journal hands out, and the references bound to them. */
export interface OriginIds {
  /**
   * Binds `reference` to a new originId of the sequence, for ever; the same reference again gets the same originId.
   * Ids that the journal knows are skipped.
   */
  bindReference(reference: string): Promise<{ readonly originId: number; readonly created: boolean }>;
  /** Of the order under an originId; null: the journal has none. Opens no order, so it needs no key ring. */
  orderSha256(originId: number): Promise<string | null>;
  /** Makes the sequence go on from `next` or later; never back. */
  advanceSequence(next: number): Promise<void>;
}

/** PostgreSQL could not be reached or refused the connection; nothing is known to be written. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
}
