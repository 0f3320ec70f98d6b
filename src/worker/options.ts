import type { WorkerOptions } from '@temporalio/worker';
import { HEARTBEAT_THROTTLE_MS } from '../activities/heartbeat';
import type { TransferSettings } from '../domain/transfer/settings';
import type { WorkerVersion } from '../config/process';

/** A look-up is a local activity, and each one under way has a socket to the bank or waits for one within its time. */
const LOCAL_ACTIVITIES_MAX = 128;
/** Creates and annulments; with the look-ups they are what the bank client has sockets for (`bank-connection.ts`). */
const ACTIVITIES_MAX = 64;
/** A workflow task keeps its slot while its local activity runs: at the default of 40, look-ups would queue there. */
const WORKFLOW_TASKS_MAX = LOCAL_ACTIVITIES_MAX + 32;
/** A cached workflow holds less than 100 KB of heap, so that the cache stays below 150 MB; beyond it, replay. */
const CACHED_WORKFLOWS_MAX = 1_500;

/** Time for what a create does beside its call: the claim and the record in the journal. */
const AROUND_A_CREATE_MS = 10_000;
/** After its grace time a step is lost anyway: the next worker finds its number claimed. */
const FORCED_AFTER_MS = 15_000;

/** What one worker carries, and how it ends. */
export function workerLimits(settings: TransferSettings) {
  const shutdownGraceTime = settings.createTimeoutMs + AROUND_A_CREATE_MS;
  return {
    maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES_MAX,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_MAX,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS_MAX,
    maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
    // How long a dead worker's runs wait before another worker may have their next task. At the default of 10 s a create
    // whose worker was killed came 18 s late, at 4 s 10.2 s (p99). A shorter wait would make a live but busy worker hand
    // its runs over, and their replay would make it busier.
    stickyQueueScheduleToStartTimeout: '3s',
    // As the SDK does it by itself, a beat could come 4 s after the one before, of 5 s that the engine waits.
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    // Few while nothing happens (each holds a long poll on the server), many when a file of orders comes in.
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 5, maximum: 20 },
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 5, maximum: 20 },
    // Longer than a create may take: a create cut off half-way would be an unknown outcome made by ourselves.
    shutdownGraceTime,
    shutdownForceTime: shutdownGraceTime + FORCED_AFTER_MS,
  } as const satisfies Partial<WorkerOptions>;
}

/**
 * Open runs move to the current version with their next task: a transfer may live for weeks, and pinned to the code it
 * began with it would keep every old version running and miss every mended fault. So workflow code changes by patches
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
