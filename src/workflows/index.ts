/** The workflow types of this task queue: the exported name is the registered name. */
export { recovery } from './recovery';
export { identityVerification } from './identity-verification';
export { transfer } from './transfer';
export { webhookCheck } from './webhook-check';
export { reconciliation } from './reconciliation';

/**
 * Frames of a stack trace inside a workflow. The SDK takes a trace for each promise of a workflow, only for the query
 * `__stack_trace`. With V8's ten frames, that took a third of the time of a worker's workflow thread. Two frames still
 * show the place of a bug and its caller.
 */
Error.stackTraceLimit = 2;
