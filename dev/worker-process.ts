import type { BankAccess } from './bank-access';
import { startServiceProcess } from './service-process';
import type { ServiceProcess } from './service-process';

export interface WorkerProcessOptions {
  /** host:port */
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly access: BankAccess;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Modules that Node.js loads before the program. */
  readonly preloaded?: readonly string[];
  /** Options of Node.js itself. */
  readonly nodeOptions?: readonly string[];
}

/** Starts `giro worker` as a separate process. */
export type WorkerProcess = ServiceProcess;

export const startWorkerProcess = (options: WorkerProcessOptions): Promise<WorkerProcess> =>
  startServiceProcess({
    command: 'worker',
    env: settingsOf(options),
    files: options.access.files,
    ...(options.preloaded === undefined ? {} : { preloaded: options.preloaded }),
    ...(options.nodeOptions === undefined ? {} : { nodeOptions: options.nodeOptions }),
  });

function settingsOf(options: WorkerProcessOptions): Record<string, string> {
  const { access, databaseUrl, temporalAddress, taskQueue, env } = options;
  return {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    GIRO_SANDBOX: '1',
    ...access.settings,
    ...env,
  };
}
