import type { WorkerOptions } from '@temporalio/worker';
import type { WorkerVersion } from '../config/process';

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
