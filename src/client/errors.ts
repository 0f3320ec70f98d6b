import { describeIssues } from '../domain/order-validation';
import type { OrderIssue } from '../domain/order-validation';
import { describeDecisionIssues } from '../domain/transfer/decisions/decision-request';
import type { DecisionIssue } from '../domain/transfer/decisions/decision-request';
import { REQUEST_ID_RULE } from '../domain/verification/request-id';

/**
 * Errors of `GiroClient`, one class for each thing that the caller may have to do: correct the order, take a new
 * originId, repeat later, keep waiting. No message carries an account, a tax id or an amount.
 */
export abstract class GiroClientError extends Error {}

/** The order breaks rules; nothing was sent. Correct it; the issues name every wrong field. */
export class InvalidTransferOrderError extends GiroClientError {
  override readonly name = 'InvalidTransferOrderError';
  constructor(readonly issues: readonly OrderIssue[]) {
    super(describeIssues(issues));
  }
}

/** The call needs the journal, and this client has none (`openReferenceJournal`); nothing was sent. */
export class JournalNeededError extends GiroClientError {
  override readonly name = 'JournalNeededError';
  constructor(what: 'an order with a reference needs' | 'events need' | 'a full answer needs') {
    super(`${what} the journal: give GiroClient one (openReferenceJournal)`);
  }
}

/**
 * The journal's database is on another host and its connection is not verified TLS; nothing was sent. `allowPlaintext`
 * permits such a connection.
 */
export class PlaintextRefusedError extends GiroClientError {
  override readonly name = 'PlaintextRefusedError';
  constructor() {
    super(
      "the journal's database is not on loopback and lacks verified TLS: add sslmode=verify-full (and sslrootcert=FILE for your own authority), or pass allowPlaintext",
    );
  }
}

/** The originId (or reference) belongs to another order; nothing was sent. A new payment needs a new one. */
export class OriginIdConflictError extends GiroClientError {
  override readonly name = 'OriginIdConflictError';
  constructor(
    readonly originId: number,
    /** The reference that is bound to the originId, when the order came with one. */
    readonly reference: string | null = null,
  ) {
    super(
      reference === null
        ? `originId ${originId} belongs to another order; a new payment takes a new originId`
        : `the reference of this order (originId ${originId}) belongs to another order; a new payment takes a new reference`,
    );
  }
}

/**
 * Temporal did not answer, or refused the call. The call may have taken effect: repeat it, but check the transfer
 * before you repeat a decision. The journal's error of this kind is `JournalUnavailable`.
 */
export class ServerUnreachableError extends GiroClientError {
  override readonly name = 'ServerUnreachableError';
}

/**
 * The decision is not allowed in the current state; nothing was changed. The issues say which field breaks which
 * rule.
 */
export class DecisionRefusedError extends GiroClientError {
  override readonly name = 'DecisionRefusedError';
  constructor(readonly issues: readonly DecisionIssue[]) {
    super(describeDecisionIssues(issues));
  }
}

/** The decision was taken up but could not be recorded: check the transfer before you decide again. */
export class DecisionNotRecordedError extends GiroClientError {
  override readonly name = 'DecisionNotRecordedError';
}

/** The transfer is still open after the time that the caller wanted to wait. */
export class WaitTimeoutError extends GiroClientError {
  override readonly name = 'WaitTimeoutError';
  constructor(
    readonly originId: number,
    readonly timeoutMs: number,
  ) {
    super(`transfer ${originId} is still open after ${timeoutMs / 1_000} s`);
  }
}

/**
 * No worker answered in time, but Temporal knows the transfer. A decision may still be taken up: check the transfer
 * before you decide again.
 */
export class NoWorkerAnswerError extends GiroClientError {
  override readonly name = 'NoWorkerAnswerError';
  constructor(
    readonly originId: number,
    readonly timeoutMs: number,
    asked: 'state' | 'decision' = 'state',
  ) {
    const since =
      asked === 'state'
        ? ''
        : '; the decision may still be taken up: check the transfer before you decide again';
    super(`no worker answered for transfer ${originId} within ${timeoutMs} ms${since}`);
  }
}

/** Temporal knows no such transfer, or (for a hint and a cancel) no open one. */
export class TransferNotFoundError extends GiroClientError {
  override readonly name = 'TransferNotFoundError';
  constructor(
    readonly originId: number,
    what = 'no transfer',
  ) {
    super(`the engine has ${what} with originId ${originId}`);
  }
}

/**
 * The run of the transfer was terminated, or ended without a result. That decides nothing about the money: start the
 * same order again, and the new run looks the transfer up.
 */
export class TransferRunLostError extends GiroClientError {
  override readonly name = 'TransferRunLostError';
  constructor(readonly originId: number) {
    super(
      `the run of transfer ${originId} ended without a result; start the same order again to continue it`,
    );
  }
}

/**
 * Temporal returned the result of another run: somebody has changed its database. Do not use that result; the journal
 * has the right one (`giro transfer show`, `giro kyc show`).
 */
export class ForeignResultError extends GiroClientError {
  override readonly name = 'ForeignResultError';
  constructor(readonly workflowId: string) {
    super(
      `the engine returned another run's result for ${workflowId}: do not use it; the journal has the right one`,
    );
  }
}

/** The requestId does not have the form of the bank's ids; nothing was started. The message does not repeat it. */
export class InvalidRequestIdError extends GiroClientError {
  override readonly name = 'InvalidRequestIdError';
  constructor() {
    super(`requestId ${REQUEST_ID_RULE}`);
  }
}

/** The audit trail does not accept the name or the reason of the person who reads a full answer; nothing was read. */
export class InvalidReaderError extends GiroClientError {
  override readonly name = 'InvalidReaderError';
}

/** Temporal knows no such verification, or (for a hint and a stop) no open one. */
export class VerificationNotFoundError extends GiroClientError {
  override readonly name = 'VerificationNotFoundError';
  constructor(
    readonly requestId: string,
    what = 'no verification',
  ) {
    super(`the engine has ${what} ${requestId}`);
  }
}

/** Still open after the time that the caller wanted to wait. */
export class VerificationWaitTimeoutError extends GiroClientError {
  override readonly name = 'VerificationWaitTimeoutError';
  constructor(
    readonly requestId: string,
    readonly timeoutMs: number,
  ) {
    super(`verification ${requestId} is still open after ${timeoutMs} ms`);
  }
}

/** Tracking was stopped, or its run was lost: neither approved nor rejected. Track it again to continue. */
export class VerificationStoppedError extends GiroClientError {
  override readonly name = 'VerificationStoppedError';
  constructor(readonly requestId: string) {
    super(`verification ${requestId} is not tracked any more, and has no outcome; track it again to go on`);
  }
}

/** No worker answered in time, but Temporal knows the verification. */
export class NoVerificationAnswerError extends GiroClientError {
  override readonly name = 'NoVerificationAnswerError';
  constructor(
    readonly requestId: string,
    readonly timeoutMs: number,
  ) {
    super(`no worker answered for verification ${requestId} within ${timeoutMs} ms`);
  }
}
