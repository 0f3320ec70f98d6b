import type { Client } from '@temporalio/client';
import { verificationLabels } from '../client/run-labels';
import { StartWorkflowClient } from '../client/start-workflow-client';
import { verificationWorkflowId } from '../domain/verification/request-id';
import type { VerificationRuns } from '../recovery/recover-verifications';
import { isEngineAway, lookAtRun, startRun } from './runs';

/** Runs of verifications by describe. */
export function verificationRuns(client: Client, taskQueue: string): VerificationRuns {
  const starter = new StartWorkflowClient(client);
  return {
    isAway: isEngineAway,
    look: (requestId) => lookAtRun(client, verificationWorkflowId(requestId)),
    start: (requestId) =>
      startRun(client, () =>
        starter.startOrAttach('identityVerification', {
          workflowId: verificationWorkflowId(requestId),
          taskQueue,
          args: [{ requestId }],
          ...verificationLabels(requestId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      ),
  };
}
