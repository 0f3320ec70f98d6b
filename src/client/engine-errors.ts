import type { WorkflowFailedError } from '@temporalio/client';
import {
  ApplicationFailure,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcServiceError,
  isRetryableError,
} from '@temporalio/client';
import { ValueError } from '@temporalio/common';
import { ENCRYPTED_ENCODING } from '../codec/payload-codec';
import { SealError } from '../codec/seal';
import type { OrderIssue } from '../domain/order-validation';
import type { DecisionIssue } from '../domain/transfer/decisions/decision-request';
import {
  DECISION_NOT_RECORDED,
  DECISION_REFUSED,
  INVALID_TRANSFER_ORDER,
  ORIGIN_ID_CONFLICT,
} from '../workflows/failures';
import {
  DecisionNotRecordedError,
  DecisionRefusedError,
  InvalidTransferOrderError,
  OriginIdConflictError,
  ServerUnreachableError,
  TransferNotFoundError,
  TransferRunLostError,
} from './errors';

/** gRPC status codes by name; the protocol defines the numbers. */
export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

const SENTENCES: Readonly<Record<number, string>> = {
  [GRPC.CANCELLED]: 'cancelled the call',
  [GRPC.DEADLINE_EXCEEDED]: 'did not answer in time',
  [GRPC.PERMISSION_DENIED]: 'does not permit this login to do that',
  [GRPC.RESOURCE_EXHAUSTED]: 'is over its limits',
  [GRPC.ABORTED]: 'aborted the call',
  [GRPC.UNAVAILABLE]: 'cannot be reached',
  [GRPC.UNAUTHENTICATED]: 'refuses the credentials',
};

/** Temporal's error, from an error or its cause; null: the error is not Temporal's. */
function grpcError(error: unknown) {
  const isWrapped =
    error instanceof ServiceError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
  const said = isWrapped ? error.cause : error;
  return isGrpcServiceError(said) ? said : null;
}

/** The gRPC status of an error or of its cause; null: the error is not Temporal's. */
export const grpcCode = (error: unknown): number | null => grpcError(error)?.code ?? null;

/**
 * Whether the call lasted until its deadline (epoch ms). The server ends the call at that moment too, as cancelled, and
 * the server's answer may come before the client's own timer fires.
 */
export function isOverdue(error: unknown, deadlineMs: number): boolean {
  const code = grpcCode(error);
  return code === GRPC.DEADLINE_EXCEEDED || (code === GRPC.CANCELLED && Date.now() >= deadlineMs);
}

/**
 * The error that a caller gets when a call of Temporal fails. `server`: the engine's name and address, for the
 * message.
 */
export function engineError(error: unknown, originId: number | null, server: string): unknown {
  if (originId !== null && isNoExecution(error)) {
    return new TransferNotFoundError(originId);
  }
  if (error instanceof ValueError && error.message.endsWith(ENCRYPTED_ENCODING)) return noConverter();
  const code = grpcCode(error);
  if (code === GRPC.NOT_FOUND) return new ServerUnreachableError(`${server} has no such namespace`);
  if (code === null) {
    return error instanceof ServiceError ? new ServerUnreachableError(`${server} cannot be reached`) : error;
  }
  const sentence = SENTENCES[code];
  return sentence === undefined ? error : new ServerUnreachableError(`${server} ${sentence}`);
}

const noConverter = (): SealError =>
  new SealError(
    'unknown-key',
    'the engine has only encrypted data of this run: give the client the data converter of the key ring (dataConverterOf)',
  );

/** The caller's error for a run that ended without a result (contract section 3). */
export function runFailure(error: WorkflowFailedError, originId: number): Error {
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    if (cause.type === ORIGIN_ID_CONFLICT) return new OriginIdConflictError(originId);
    if (cause.type === INVALID_TRANSFER_ORDER) return new InvalidTransferOrderError(issuesOf(cause));
  }
  return new TransferRunLostError(originId);
}

/** The server's error for a run that was ended from outside after it had taken up an update. */
const RUN_ENDED_OVER_UPDATE = 'AcceptedUpdateCompletedWorkflow';
const LOOK_FIRST =
  'the run was ended before it answered: check whether the decision stands before you repeat it';

/** The caller's error for an update `decide` that got no answer. */
export function decisionFailure(error: WorkflowUpdateFailedError): Error {
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === DECISION_NOT_RECORDED) return new DecisionNotRecordedError(cause.message);
  if (cause.type === RUN_ENDED_OVER_UPDATE) return new DecisionNotRecordedError(LOOK_FIRST);
  if (cause.type !== DECISION_REFUSED) return error;
  const detail = cause.details?.[0] as { readonly issues?: readonly DecisionIssue[] } | undefined;
  return new DecisionRefusedError(detail?.issues ?? [{ field: 'request', rule: 'was refused' }]);
}

const isRefusedForNow = (cause: unknown): boolean =>
  cause instanceof ApplicationFailure &&
  cause.type === DECISION_REFUSED &&
  (cause.details?.[0] as { readonly mayRepeat?: boolean } | undefined)?.mayRepeat === true;

function issuesOf(failure: ApplicationFailure): readonly OrderIssue[] {
  const detail = failure.details?.[0] as { readonly issues?: readonly OrderIssue[] } | undefined;
  return detail?.issues ?? [{ path: '', rule: 'was refused' }];
}

export function isNoExecution(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  return grpcCode(error) === GRPC.NOT_FOUND && !/namespace/i.test((error as Error).message);
}

/**
 * Temporal refuses at once when no worker has been seen for minutes, or when the last one could not continue the run.
 */
export function isNoWorker(error: unknown): boolean {
  return (
    grpcCode(error) === GRPC.FAILED_PRECONDITION &&
    /no poller|workflow task|workflow is paused/i.test(grpcError(error)?.details ?? '')
  );
}

/**
 * The update got no answer now, but may get one soon: no worker runs yet, the run is executing a step, or the error is
 * one that the SDK itself retries.
 */
export function isNotTakenUpNow(error: unknown): boolean {
  if (error instanceof WorkflowUpdateFailedError) return isRefusedForNow(error.cause);
  const said = grpcError(error);
  if (said === null) return false;
  return isNoWorker(error) || grpcCode(error) === GRPC.DEADLINE_EXCEEDED || isRetryableError(said);
}
