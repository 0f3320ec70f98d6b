import { REQUEST_ID_RULE } from '../domain/verification/request-id';
import { GiroClientError } from './errors';

/** The requestId cannot be one of the bank's; nothing was started. Its text is not repeated. */
export class InvalidRequestIdError extends GiroClientError {
  override readonly name = 'InvalidRequestIdError';
  constructor() {
    super(`requestId ${REQUEST_ID_RULE}`);
  }
}

/** The audit trail does not take the name or the reason of who reads a full answer; nothing was read. */
export class InvalidReaderError extends GiroClientError {
  override readonly name = 'InvalidReaderError';
}

/** The engine knows no such verification, or (for a hint and a stop) no open one. */
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

/** Tracking was stopped, or its run was lost: neither approved nor rejected. Track it again to go on. */
export class VerificationStoppedError extends GiroClientError {
  override readonly name = 'VerificationStoppedError';
  constructor(readonly requestId: string) {
    super(`verification ${requestId} is not tracked any more, and has no outcome; track it again to go on`);
  }
}

/** No worker answered in time; the engine knows the verification. */
export class NoVerificationAnswerError extends GiroClientError {
  override readonly name = 'NoVerificationAnswerError';
  constructor(
    readonly requestId: string,
    readonly timeoutMs: number,
  ) {
    super(`no worker answered for verification ${requestId} within ${timeoutMs} ms`);
  }
}
