import { Client, Connection } from '@temporalio/client';
import type { Env } from '../../../src/config/env';
import { loadSettings } from '../../../src/config/settings';
import { createContext } from '../../../src/context';
import { createLogger } from '../../../src/telemetry/logger';
import { startHinting } from '../../../src/worker/hinting';
import { testServers } from '../../support/servers';

export interface TestHinting {
  /** The log as written. */
  readonly log: () => string;
  stop(): Promise<void>;
}

const NEEDS = ['logging', 'journal', 'temporal', 'notifications', 'bank', 'transferSettings'] as const;

/**
 * What a worker does with the inbox, in this process. With `isEngineAway`, Temporal is unreachable; the bank always is.
 */
export async function startTestHinting(
  databaseUrl: string,
  { isEngineAway = false, env = {} }: { readonly isEngineAway?: boolean; readonly env?: Env } = {},
): Promise<TestHinting> {
  const address = isEngineAway ? '127.0.0.1:1' : testServers().temporalAddress;
  const { config, secrets } = loadSettings(
    {
      ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: address },
      ...{ BANK_BASE_URL: 'http://127.0.0.1:1', BANK_TOKEN: 'none', ...env },
    },
    NEEDS,
  );
  let log = '';
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => (log += line) } });
  const connection = Connection.lazy({ address });
  const temporal = { client: new Client({ connection }) } as never;
  const context = await createContext(config, secrets, { logger, temporal });
  const watch = { failed: () => undefined, answered: () => undefined };
  const hinting = startHinting(context, { journal: watch, temporal: watch });
  return {
    log: () => log,
    stop: async () => {
      await hinting.stop();
      await context.close();
      await connection.close();
    },
  };
}
