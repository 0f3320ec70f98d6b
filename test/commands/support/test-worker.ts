import { loadSettings } from '../../../src/config/settings';
import { createContext } from '../../../src/context';
import type { JournalResource } from '../../../src/context';
import { createLogger } from '../../../src/telemetry/logger';
import { WORKER_NEEDS, installWorkerRuntime, runWorker } from '../../../src/worker';
import { testServers } from '../../support/servers';
import { stubBank } from './stub-bank';
import type { StubBank } from './stub-bank';

export interface TestWorker {
  readonly taskQueue: string;
  readonly bank: StubBank;
  /** Address for health checks. */
  readonly httpAddress: string;
  stop(): Promise<void>;
}

/** One runtime for the process; it returns the URL of the metrics. */
let runtime: Promise<string | null> | null = null;

/** The worker as the program runs it, in this process, with a bank in this process; `change`: a journal with faults. */
export async function startTestWorker(
  databaseUrl: string,
  taskQueue: string,
  change: (journal: JournalResource) => JournalResource = (journal) => journal,
): Promise<TestWorker> {
  const { temporalAddress, workflowBundlePath } = testServers();
  const bank = stubBank();
  const { config, secrets } = loadSettings(
    {
      TEMPORAL_ADDRESS: temporalAddress,
      DATABASE_URL: databaseUrl,
      GIRO_TASK_QUEUE: taskQueue,
      GIRO_HTTP_ADDRESS: '127.0.0.1:0',
      BANK_BASE_URL: 'http://127.0.0.1:1',
      BANK_TOKEN: 'none',
    },
    WORKER_NEEDS,
  );
  // The line `ready` is written at every level, and should not appear in a test's output.
  const write = (line: string): void => {
    if (!line.includes('"ready"')) process.stderr.write(line);
  };
  const logger = createLogger({ level: 'error', destination: { write } });
  runtime ??= installWorkerRuntime(logger, { metrics: true });
  const metricsUrl = await runtime;
  const built = await createContext(config, secrets, { bank, logger });
  const context = { ...built, journal: change(built.journal) };
  const stop = new AbortController();
  let end: Promise<void> = Promise.resolve();
  const httpAddress = await new Promise<string>((resolve, reject) => {
    end = runWorker(context, {
      signal: stop.signal,
      workflowBundlePath,
      metricsUrl,
      onReady: ({ httpAddress: address }) => resolve(address ?? ''),
    }).finally(() => context.close());
    end.catch(reject);
  });
  return {
    taskQueue,
    bank,
    httpAddress,
    stop: () => {
      stop.abort();
      return end;
    },
  };
}
