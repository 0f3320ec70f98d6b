import type { OrderIssue } from '../domain/order-validation';

/** How the run was started: facts of `workflowInfo()`. */
export interface StartFacts {
  readonly workflowId: string;
  readonly hasExecutionTimeout: boolean;
  readonly hasRunTimeout: boolean;
  readonly hasCron: boolean;
  readonly hasRetryPolicy: boolean;
}

/**
 * Start options that would endanger a transfer. A time-out would end the run while money is in flight. A cron or a
 * retry policy would start it again. Another workflow id would let the same order run twice. `expectedId` is null when
 * the originId is unreadable.
 */
export function startOptionIssues(start: StartFacts, expectedId: string | null): OrderIssue[] {
  const issues: OrderIssue[] = [];
  const refuse = (path: string, rule: string) => issues.push({ path, rule });
  if (expectedId !== null && start.workflowId !== expectedId) {
    refuse('workflowId', `must be ${expectedId}`);
  }
  if (start.hasExecutionTimeout) refuse('workflowExecutionTimeout', 'must not be set for a transfer');
  if (start.hasRunTimeout) refuse('workflowRunTimeout', 'must not be set for a transfer');
  if (start.hasCron) refuse('cronSchedule', 'must not be set for a transfer');
  if (start.hasRetryPolicy) refuse('retryPolicy', 'must not be set for a transfer');
  return issues;
}
