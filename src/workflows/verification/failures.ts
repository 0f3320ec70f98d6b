import { ApplicationFailure } from '@temporalio/workflow';
import type { RequestIssue } from '../../activities/receive-verification';

/** Type of the failure that a caller can expect; not retried, and the bank was not asked. */
export const INVALID_VERIFICATION_REQUEST = 'InvalidVerificationRequest';

/** Details: one object, `{ issues: [{ path, rule }] }`. No value of the request is in it. */
export function invalidVerificationRequest(issues: readonly RequestIssue[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: INVALID_VERIFICATION_REQUEST,
    nonRetryable: true,
    message: issues.map(({ path, rule }) => `${path === '' ? 'the request' : path} ${rule}`).join('; '),
    details: [{ issues }],
  });
}
