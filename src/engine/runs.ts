import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowNotFoundError, defineSearchAttributeKey } from '@temporalio/common';
import type { TypedSearchAttributes } from '@temporalio/common';
import { GRPC, engineError, grpcCode } from '../client/engine-errors';
import { ServerUnreachableError } from '../client/errors';
import { RunRefused } from '../recovery/port';
import type { RunState, TransferRuns } from '../recovery/port';
import { transferLabels, verificationLabels } from '../client/run-labels';
import { StartWorkflowClient } from '../client/start-workflow-client';
import { transferWorkflowId } from '../domain/order';
import { ATTENTION_REASONS, isHolding } from '../domain/transfer/flags';
import { verificationWorkflowId } from '../domain/verification/request-id';
import { outlookOf } from './stranded';
import type { VerificationRuns } from '../recovery/recover-verifications';

const CALL_TIMEOUT_MS = 10_000;

/** A status that this version does not know counts as open, so that no second run is started. */
const ENDS: Partial<Record<WorkflowExecutionStatusName, RunState>> = {
  COMPLETED: 'ended',
  FAILED: 'lost',
  CANCELLED: 'lost',
  TERMINATED: 'lost',
  TIMED_OUT: 'lost',
};

/** gRPC codes with which Temporal refuses one request, while others may succeed. */
const REFUSALS: ReadonlySet<number | null> = new Set([GRPC.INVALID_ARGUMENT, GRPC.FAILED_PRECONDITION]);

const within = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);

/** Wrong address, login or namespace: the next call would fail too. */
const isEngineAway = (error: unknown): boolean =>
  engineError(error, null, 'Temporal') instanceof ServerUnreachableError;

const ATTENTION_REASON = defineSearchAttributeKey('GiroAttentionReason', 'KEYWORD');

/** Whether a run says of itself that its transfer is held: a reason that holds is more urgent than the others. */
function isHeld(attributes: TypedSearchAttributes): boolean {
  const reason = attributes.get(ATTENTION_REASON);
  return ATTENTION_REASONS.some((it) => it === reason && isHolding(it));
}

/** Uses describe, which is exact at once; Temporal's index lags behind and may miss a run. */
async function observeRun(client: Client, workflowId: string): Promise<RunState> {
  try {
    const { status, raw, typedSearchAttributes } = await within(client, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const isIdle =
      status.name === 'RUNNING' &&
      raw.pendingWorkflowTask == null &&
      (raw.pendingActivities ?? []).length === 0 &&
      !isHeld(typedSearchAttributes);
    return ENDS[status.name] ?? (isIdle ? 'idle' : 'open');
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'lost';
    throw error;
  }
}

/** False: somebody else started the run first. */
async function startRun(
  client: Client,
  start: () => Promise<{ readonly started: boolean }>,
): Promise<boolean> {
  try {
    return (await within(client, start)).started;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    if (REFUSALS.has(grpcCode(error))) throw new RunRefused('the engine refused the start');
    throw error;
  }
}

/** Runs of transfers by describe; whether an idle one is stranded, by its history. */
export function transferRuns(client: Client, taskQueue: string): TransferRuns {
  const starter = new StartWorkflowClient(client);
  return {
    isAway: isEngineAway,
    observe: (originId) => observeRun(client, transferWorkflowId(originId)),
    start: (order, { afterEnd }) =>
      startRun(client, () =>
        starter.startOrAttach('transfer', {
          workflowId: transferWorkflowId(order.originId),
          taskQueue,
          args: [order],
          ...transferLabels(order.originId),
          workflowIdReusePolicy: afterEnd ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      ),
    hintStranded: async (originId, { dryRun }) => {
      const run = client.workflow.getHandle(transferWorkflowId(originId));
      const { events } = await within(client, () => run.fetchHistory());
      const outlook = outlookOf(events ?? []);
      if (outlook === 'continues') return 'waits';
      if (outlook === 'signalled') return 'stranded';
      const hint = { source: 'recovery', eventId: `recovery-${originId}` };
      if (!dryRun) await within(client, () => run.signal('movementHint', hint));
      return 'hinted';
    },
  };
}

/** Runs of verifications by describe. */
export function verificationRuns(client: Client, taskQueue: string): VerificationRuns {
  const starter = new StartWorkflowClient(client);
  return {
    isAway: isEngineAway,
    observe: (requestId) => observeRun(client, verificationWorkflowId(requestId)),
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
