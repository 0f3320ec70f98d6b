import { startServiceProcess } from './service-process';
import type { ServiceProcess } from './service-process';

export interface ReceiverProcessOptions {
  readonly databaseUrl: string;
  /** host:port on loopback. */
  readonly address: string;
  readonly pathSecret: string;
  /** host:port where health and metrics are served; default: off. */
  readonly httpAddress?: string;
}

/** Starts `giro receiver` as a separate process, without TLS. */
export const startReceiverProcess = (options: ReceiverProcessOptions): Promise<ServiceProcess> =>
  startServiceProcess({
    command: 'receiver',
    env: {
      DATABASE_URL: options.databaseUrl,
      RECEIVER_ADDRESS: options.address,
      RECEIVER_PATH_SECRET_FILE: 'path-secret',
      ...(options.httpAddress === undefined ? {} : { GIRO_HTTP_ADDRESS: options.httpAddress }),
    },
    files: { 'path-secret': `${options.pathSecret}\n` },
  });
