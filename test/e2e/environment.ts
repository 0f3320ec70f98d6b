import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { startGiroEnvironment } from '../../dev/giro-environment';
import { madeUpOrder } from '../../dev/made-up-order';
import type { EnvironmentWorker, GiroEnvironment, GiroEnvironmentOptions } from '../../dev/giro-environment';
import { createTestDatabase } from '../support/journal-database';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { bundleOnce } from '../support/workflow-bundle';

export interface TestEnvironment {
  readonly env: GiroEnvironment;
  readonly databaseUrl: string;
  /** For starts that do not go through GiroClient. */
  readonly taskQueue: string;
  /** The worker that runs unless a test has stopped it. */
  worker: EnvironmentWorker;
}

interface EnvironmentOptions extends Partial<GiroEnvironmentOptions> {
  /** For files whose skipped runs are left alone until they end: skips take no time. */
  readonly quickTimers?: boolean;
}

/** Long enough for a very busy machine. */
const CALL_TIMEOUT_MS = 60_000;

/** One environment for a test file, made before and closed after all its tests. */
export function useEnvironment({
  quickTimers = false,
  ...options
}: EnvironmentOptions = {}): () => TestEnvironment {
  let current: TestEnvironment | null = null;
  let drop: (() => Promise<void>) | null = null;
  beforeAll(async () => {
    quietRuntime();
    const { quickTemporalAddress, workflowBundlePath: clearBundlePath, bankTls, ...servers } = testServers();
    const temporalAddress = quickTimers ? quickTemporalAddress : servers.temporalAddress;
    const workflowBundlePath =
      options.keyRing === undefined ? clearBundlePath : await encryptedBundle(dirname(clearBundlePath));
    const database = await createTestDatabase();
    drop = () => database.drop();
    const taskQueue = options.taskQueue ?? `giro-test-${randomUUID()}`;
    const env = await startGiroEnvironment({
      temporalAddress,
      workflowBundlePath,
      databaseUrl: database.url,
      callTimeoutMs: CALL_TIMEOUT_MS,
      ...options,
      bankOptions: { tls: bankTls, ...options.bankOptions },
      taskQueue,
    });
    // References take originIds from the sequence, which starts at 1 in every journal.
    await env.journal.advanceSequence(nextOriginId() + 500);
    current = { env, databaseUrl: database.url, taskQueue, worker: await env.startWorker() };
  });
  afterAll(async () => {
    await current?.env.close();
    await drop?.();
  });
  return () => {
    if (current === null) throw new Error('the environment is there only while tests run');
    return current;
  };
}

/** Deleted with the servers' folder. */
const encryptedBundle = (folder: string): Promise<string> =>
  bundleOnce(join(folder, 'workflow-bundle-encrypted.js'), { encrypted: true });

let lastOriginId = 0;

/** originIds that no other test file uses: the Temporal server is shared, workflow ids are not scoped by queue. */
export function nextOriginId(): number {
  if (lastOriginId === 0) lastOriginId = Math.floor(Math.random() * 2 ** 40) * 1_000;
  lastOriginId += 1;
  return lastOriginId;
}

/** A valid order; the description selects the sandbox bank's scenario. */
export const orderOf = madeUpOrder;
