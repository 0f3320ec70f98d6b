import { describeIssues } from '../domain/order-validation';
import { describeDecisionIssues } from '../domain/transfer/decisions/decision-request';
import type { DecisionIssue } from '../domain/transfer/decisions/decision-request';
import type { OrderIssue } from '../domain/order-validation';

/**
 * What a caller of `GiroClient` can meet, one class per decision: mend the order, take a new originId, repeat later,
 * go on waiting. No message carries an account, a tax id or an amount.
 */
export abstract class GiroClientError extends Error {}

/** The order breaks rules; nothing was sent. Mend it; the issues name every wrong field. */
export class InvalidTransferOrderError extends GiroClientError {
  override readonly name = 'InvalidTransferOrderError';
  constructor(readonly issues: readonly OrderIssue[]) {
    super(describeIssues(issues));
  }
}

/** What was asked needs the journal, and this client was given none (`openReferenceJournal`); nothing was sent. */
export class JournalNeededError extends GiroClientError {
  override readonly name = 'JournalNeededError';
  constructor(what: 'an order with a reference needs' | 'events need' | 'a full answer needs') {
    super(`${what} the journal: give GiroClient one (openReferenceJournal)`);
  }
}

/** The originId (or reference) belongs to another order; nothing was sent. A new payment takes a new one. */
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
 * The engine did not answer, or refused to. Whether the call took effect is not known: repeat it, which is safe. The
 * same errors of the journal are `JournalUnavailable`.
 */
export class ServerUnreachableError extends GiroClientError {
  override readonly name = 'ServerUnreachableError';
}

/** The decision may not be taken as things stand; nothing was changed. The issues say which field breaks which rule. */
export class DecisionRefusedError extends GiroClientError {
  override readonly name = 'DecisionRefusedError';
  constructor(readonly issues: readonly DecisionIssue[]) {
    super(describeDecisionIssues(issues));
  }
}

/** The decision was taken up and could not be written down: look at the transfer before deciding again. */
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

/** No worker answered in time; the engine knows the transfer. A decision may still be taken up: look, or repeat it. */
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
        : '; the decision may still be taken up: look at the transfer, or repeat the decision';
    super(`no worker answered for transfer ${originId} within ${timeoutMs} ms${since}`);
  }
}

/** The engine knows no such transfer, or (for a hint and a cancel) no open one. */
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
 * The run that drove the transfer was terminated or ended in a way that is no result. That decides nothing about the
 * money: start the same order again, which goes on by looking the transfer up.
 */
export class TransferRunLostError extends GiroClientError {
  override readonly name = 'TransferRunLostError';
  constructor(readonly originId: number) {
    super(
      `the run of transfer ${originId} ended without a result; starting the same order again takes it up where it was`,
    );
  }
}
