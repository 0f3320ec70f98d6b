import type { SandboxBank } from '../src/sandbox-bank';
import { startServiceProcess } from './service-process';
import type { ServiceProcess } from './service-process';

export interface WorkerProcessOptions {
  /** host:port */
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly bank: SandboxBank;
  readonly bankToken: string;
  /** Further settings, as a person would give them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `giro worker` in a process of its own. */
export type WorkerProcess = ServiceProcess;

export const startWorkerProcess = (options: WorkerProcessOptions): Promise<WorkerProcess> =>
  startServiceProcess({
    command: 'worker',
    env: settingsOf(options),
    files: options.bank.caPem === null ? {} : { 'bank-ca.pem': options.bank.caPem },
  });

function settingsOf(options: WorkerProcessOptions): Record<string, string> {
  const { bank, bankToken, databaseUrl, temporalAddress, taskQueue, env } = options;
  return {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_TASK_QUEUE: taskQueue,
    GIRO_SANDBOX: '1',
    BANK_BASE_URL: bank.baseUrl,
    BANK_TOKEN: bankToken,
    ...(bank.caPem === null ? {} : { BANK_CA_FILE: 'bank-ca.pem' }),
    ...env,
  };
}
