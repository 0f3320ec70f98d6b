import type { WorkerOptions } from '@temporalio/worker';
import { HEARTBEAT_THROTTLE_MS } from '../activities/heartbeat';
import type { TransferSettings } from '../domain/transfer/settings';
import type { WorkerVersion } from '../config/process';

/**
 * A look-up is a local activity; each one in flight has a socket to the bank, or waits for one within its time-out.
 */
const LOCAL_ACTIVITIES_MAX = 128;
/**
 * Creates, annulments, and the steps of verifications, reconciliations, recovery and webhook checks. The bank client
 * has sockets for these and for the look-ups (`bank-connection.ts`).
 */
const ACTIVITIES_MAX = 64;
/** A workflow task keeps its slot while its local activity runs: at the default of 40, look-ups would queue there. */
const WORKFLOW_TASKS_MAX = LOCAL_ACTIVITIES_MAX + 32;
/** A cached workflow takes less than 100 KB of heap, so the cache stays below 150 MB; further runs are replayed. */
const CACHED_WORKFLOWS_MAX = 1_500;

/** Time for the rest of a create besides its call: the claim and the record in the journal. */
const AROUND_A_CREATE_MS = 10_000;
/** After its grace time a step is cut off; the next worker finds its number claimed. */
const FORCED_AFTER_MS = 15_000;

/**
 * After how long the SDK interrupts an activation (one step of workflow code). The SDK measures wall-clock time, so its
 * default of 5 s also interrupts a process that was frozen or got no processor. An interruption can crash the process,
 * because it corrupts Node's async hooks (nodejs/node#38503). @temporalio/worker 1.24 accepts this option, but
 * `WorkerOptions` does not list it.
 */
const WORKFLOW_STEP_MAX = '60s';

/** The capacity of one worker, and how it shuts down. */
export function workerLimits(settings: TransferSettings) {
  const shutdownGraceTime = settings.createTimeoutMs + AROUND_A_CREATE_MS;
  return {
    maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES_MAX,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_MAX,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS_MAX,
    maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
    // How long a dead worker's runs wait before another worker gets their next task. A create whose worker was killed
    // came 18 s late with the default of 10 s, 10.2 s (p99) late with 4 s, and 9.2 s late with 3 s. With a shorter
    // wait, a live but busy worker would lose its runs to others, and their replay would add load.
    stickyQueueScheduleToStartTimeout: '3s',
    isolateExecutionTimeout: WORKFLOW_STEP_MAX,
    // With the SDK's default, a heartbeat could come 4 s after the one before, but Temporal waits only 5 s.
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    // Few while nothing happens (each holds a long poll on the server), many when a file of orders arrives.
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 5, maximum: 20 },
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 5, maximum: 20 },
    // Longer than a create may take: cutting off a create would itself cause an unknown outcome.
    shutdownGraceTime,
    shutdownForceTime: shutdownGraceTime + FORCED_AFTER_MS,
  } as const satisfies Partial<WorkerOptions> & { readonly isolateExecutionTimeout: string };
}

/**
 * Open runs move to the current version with their next task. A transfer may live for weeks: pinned to the code that it
 * began with, it would miss every fix, and old versions would have to keep running. So workflow code changes by patches
 * that recorded histories replay (docs/versioning.md).
 */
export const versioning = (version: WorkerVersion | null): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  version === null
    ? {}
    : {
        workerDeploymentOptions: {
          version,
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      };
