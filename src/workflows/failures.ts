import { ApplicationFailure } from '@temporalio/workflow';
import type { TemporalFailure } from '@temporalio/workflow';
import { describeIssues } from '../domain/order-validation';
import type { OrderIssue } from '../domain/order-validation';
import { describeDecisionIssues } from '../domain/transfer/decisions/decision-request';
import type { DecisionIssue } from '../domain/transfer/decisions/decision-request';
import type { RequestIssue } from '../activities/receive-verification';

/** Types of the failures that a caller can expect (contract section 3). Neither is retried; nothing was sent. */
export const INVALID_TRANSFER_ORDER = 'InvalidTransferOrder';
export const ORIGIN_ID_CONFLICT = 'OriginIdConflict';

/** Types of the failures of update `decide`; the transfer is unchanged, unless the message says otherwise. */
export const DECISION_REFUSED = 'DecisionRefused';
export const DECISION_NOT_RECORDED = 'DecisionNotRecorded';

/** Details: one object, `{ issues: [{ field, rule }] }`. */
export function decisionRefused(issues: readonly DecisionIssue[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: DECISION_REFUSED,
    nonRetryable: true,
    message: describeDecisionIssues(issues),
    details: [{ issues }],
  });
}

/** A temporary refusal: the same decision may be accepted after the step. Details: also `mayRepeat: true`. */
export function decisionNotNow(): ApplicationFailure {
  const issues: readonly DecisionIssue[] = [
    {
      field: 'request',
      rule: 'comes while a step runs, which may be waiting for the journal or the bank: send it again',
    },
  ];
  return ApplicationFailure.create({
    type: DECISION_REFUSED,
    nonRetryable: true,
    message: describeDecisionIssues(issues),
    details: [{ issues, mayRepeat: true }],
  });
}

export function decisionNotRecorded(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: DECISION_NOT_RECORDED, nonRetryable: true, message });
}

/** Details: one object, `{ issues: [{ path, rule }] }`, without personal values. */
export function invalidTransferOrder(issues: readonly OrderIssue[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: INVALID_TRANSFER_ORDER,
    nonRetryable: true,
    message: describeIssues(issues),
    details: [{ issues }],
  });
}

export function originIdConflict(originId: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: ORIGIN_ID_CONFLICT,
    nonRetryable: true,
    message: `originId ${originId} belongs to another order; a new payment takes a new originId`,
    details: [{ originId }],
  });
}

/**
 * Whether the failure is `InvalidTransferOrder` or `OriginIdConflict`, which end the run. Any other failure of a step
 * is an outage; the run continues after it.
 */
export function isExpectedFailure(failure: TemporalFailure): boolean {
  const type = failure instanceof ApplicationFailure ? failure.type : null;
  return type === INVALID_TRANSFER_ORDER || type === ORIGIN_ID_CONFLICT;
}

/** Type of the failure that a caller can expect; not retried, and the bank was not asked. */
const INVALID_VERIFICATION_REQUEST = 'InvalidVerificationRequest';

/** Details: one object, `{ issues: [{ path, rule }] }`, without values of the request. */
export function invalidVerificationRequest(issues: readonly RequestIssue[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: INVALID_VERIFICATION_REQUEST,
    nonRetryable: true,
    message: issues.map(({ path, rule }) => `${path === '' ? 'the request' : path} ${rule}`).join('; '),
    details: [{ issues }],
  });
}
