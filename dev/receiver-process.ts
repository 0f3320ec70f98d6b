import { startServiceProcess } from './service-process';
import type { ServiceProcess } from './service-process';

export interface ReceiverProcessOptions {
  /** host:port */
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  /** host:port on loopback. */
  readonly address: string;
  readonly pathSecret: string;
}

/** `giro receiver` in a process of its own, without TLS. */
export const startReceiverProcess = (options: ReceiverProcessOptions): Promise<ServiceProcess> =>
  startServiceProcess({
    command: 'receiver',
    env: {
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporalAddress,
      RECEIVER_ADDRESS: options.address,
      RECEIVER_PATH_SECRET_FILE: 'path-secret',
    },
    files: { 'path-secret': `${options.pathSecret}\n` },
  });
