import './promise-traces';

/** The workflow types of this task queue: the exported name is the registered name. */
export { recovery } from './recovery';
export { identityVerification } from './identity-verification';
export { transfer } from './transfer';
export { webhookCheck } from './webhook-check';
export { reconciliation } from './reconciliation';
