import { REQUEST_ID_RULE, isRequestId, verificationWorkflowId } from '../domain/verification/request-id';
import type { VerificationResult, VerificationSettings } from '../domain/verification/state';
import type { RecordedVerification } from '../domain/verification/events';
import type { VerificationActivityContext } from './verification-context';

export interface ReceiveVerificationInput {
  /** The workflow's argument as received. */
  readonly request: unknown;
  readonly workflowId: string;
}

export interface RequestIssue {
  readonly path: string;
  readonly rule: string;
}

export type ReceivedVerification =
  | { readonly kind: 'invalid'; readonly issues: readonly RequestIssue[] }
  | { readonly kind: 'ended'; readonly result: VerificationResult }
  | {
      readonly kind: 'open';
      readonly settings: VerificationSettings;
      readonly recorded: RecordedVerification;
    };

type Needs = Pick<VerificationActivityContext, 'journal' | 'settings'>;

/**
 * Validates the request and records in the journal that it is tracked, before the bank is asked. Safe to repeat.
 * Nothing is written for an invalid request.
 */
export function receiveVerification({ journal, settings }: Needs) {
  return async ({ request, workflowId }: ReceiveVerificationInput): Promise<ReceivedVerification> => {
    const { requestId, issues } = readRequest(request);
    if (requestId !== null && workflowId !== verificationWorkflowId(requestId)) {
      // With another id, two runs could track the same verification.
      issues.push({ path: 'workflowId', rule: 'must be kyc-<requestId>' });
    }
    if (requestId === null || issues.length > 0) return { kind: 'invalid', issues };
    const opened = await journal.openVerification(requestId);
    return opened.kind === 'ended' ? opened : { ...opened, settings };
  };
}

function readRequest(request: unknown): { requestId: string | null; issues: RequestIssue[] } {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return { requestId: null, issues: [{ path: '', rule: 'must be an object {"requestId": "…"}' }] };
  }
  const requestId: unknown = 'requestId' in request ? request.requestId : undefined;
  const issues = isRequestId(requestId) ? [] : [{ path: 'requestId', rule: REQUEST_ID_RULE }];
  // An unknown field's name may be of any length, and may hold personal data.
  if (Object.keys(request).some((key) => key !== 'requestId')) {
    issues.push({ path: '', rule: 'may have no field but requestId' });
  }
  return { requestId: isRequestId(requestId) ? requestId : null, issues };
}
