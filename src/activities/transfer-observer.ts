import type { EchoVerdict } from '../domain/echo';
import type { OrderIssue } from '../domain/order-validation';
import type { CreateAnswer, LookupAnswer, RequestErrorCode } from '../domain/transfer/answers';
import type { TransferResult } from '../domain/transfer/result';

/** A request that was made. Only codes, ids and recordable statuses, no other text of the bank. */
export interface RequestReport {
  readonly request: 'create' | 'get-movement';
  readonly originId: number;
  readonly number: number;
  readonly outcome: CreateAnswer['kind'] | LookupAnswer['kind'];
  /** The bank's status in its recordable form, and whether its echo matched; null without a movement. */
  readonly status: string | null;
  readonly echo: EchoVerdict | null;
  /** Why the request had no readable answer; null: it had one. */
  readonly code: RequestErrorCode | null;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** How long after its due time the request began. */
  readonly lateMs: number;
  /** The answer differs from the last recorded answer of this transfer. */
  readonly isNews: boolean;
}

/** A decision whose signature does not count. Has the operator's name, but not the operator's text. */
export interface RefusedDecision {
  readonly originId: number;
  /** Null: an end that rests on recorded decisions. */
  readonly action: string | null;
  readonly operator: string | null;
  readonly reason: string;
  /** Refused before a run took it up, before it was recorded, or before the end or the create that rests on it. */
  readonly step: 'decide' | 'record' | 'end' | 'create';
}

/** An end that the journal's rows do not show. */
export interface RefusedEnd extends Pick<TransferResult, 'originId' | 'status' | 'decidedBy'> {
  readonly reason: string;
}

/** An order that breaks rules. Fields and rules only, no value of the order. */
export interface RefusedOrder {
  /** Null: unreadable. */
  readonly originId: number | null;
  readonly issues: readonly OrderIssue[];
}

/** Called with the outcomes of transfer activities, for logs and metrics. Must not throw. */
export interface TransferObserver {
  requestEnded(report: RequestReport): void;
  /** The journal has the result; with `annulmentId`, the annulment too. */
  ended(result: TransferResult): void;
  /** An order was refused; nothing was written. */
  orderRefused?(refused: RefusedOrder): void;
  /** A decision's signature was not valid; nothing was written. */
  decisionRefused?(refused: RefusedDecision): void;
  /** The journal granted no number to a create: its records do not permit a repeat. */
  createRefused?(refused: { readonly originId: number; readonly number: number }): void;
  /** An end was not recorded, because the journal does not show it. */
  endRefused?(refused: RefusedEnd): void;
  flagsRecorded(flags: { readonly originId: number; readonly reasons: readonly string[] }): void;
}

type RequestFacts = Omit<RequestReport, 'outcome' | 'status' | 'echo' | 'code' | 'httpStatus'>;

/** The report of a request from its answer. */
export function requestReport(facts: RequestFacts, answer: CreateAnswer | LookupAnswer): RequestReport {
  const movement = 'movement' in answer ? answer.movement : null;
  const error = 'error' in answer ? answer.error : null;
  return {
    ...facts,
    outcome: answer.kind,
    status: movement?.status ?? null,
    echo: movement?.echo ?? null,
    code: error?.code ?? null,
    httpStatus: 'httpStatus' in answer ? answer.httpStatus : (error?.httpStatus ?? null),
  };
}
