import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { BANK_TOKEN } from '../../dev/giro-environment';
import type { GiroEnvironment } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { transferActivities } from '../../src/activities';
import type { TransferActivities } from '../../src/activities';
import { openBankClient } from '../../dev/bank-client';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { GiroClient } from '../../src/client';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { createJournal } from '../../src/journal/create-journal';
import type { SandboxRule } from '../../src/sandbox-bank';
import { useEnvironment } from '../e2e/environment';
import { PATIENT } from '../journal/support/open-test-journal';
import { testServers } from '../support/servers';

/**
 * Short, because everything runs in real time: gaps are judged by the bank's clock. The time-outs are longer, because an
 * answer that comes too late causes another request.
 */
export const CHAOS_SETTINGS = {
  ...DEFAULT_TRANSFER_SETTINGS,
  needsDeciders: false,
  pollActiveMs: 1_000,
  createTimeoutMs: 3_000,
  lookupTimeoutMs: 7_000,
};

export interface WorkerParts {
  readonly activities?: TransferActivities;
  readonly workflowBundle?: { readonly code: string };
}

export interface ChaosEnvironment {
  readonly env: GiroEnvironment;
  readonly databaseUrl: string;
  /** A new task queue, which only workers of the test serve. */
  ownQueue(): { readonly taskQueue: string; readonly giro: GiroClient };
  /** Activities with a separate journal pool and bank client, as in another worker process. */
  activities(): TransferActivities;
  /** Starts a worker in this process; `parts` can replace its activities or workflows. */
  startWorker(taskQueue: string, parts?: WorkerParts): Promise<{ stop(): Promise<void> }>;
  readonly scope: Scope;
}

/** The environment of the end-to-end tests, plus workers on separate queues. */
export function useChaos(
  rules: readonly SandboxRule[],
  ownSettings: Partial<typeof CHAOS_SETTINGS> = {},
): () => ChaosEnvironment {
  const settings = { ...CHAOS_SETTINGS, ...ownSettings };
  let current: ChaosEnvironment | null = null;
  const scope = new Scope();
  // Hooks run in the order of their definition, so the workers end before the servers that they use.
  afterAll(() => scope.release());
  const environment = useEnvironment({ rules, settings });
  beforeAll(async () => {
    const { env, databaseUrl } = environment();
    const { temporalAddress, workflowBundlePath } = testServers();
    const connection = scope.own(await NativeConnection.connect({ address: temporalAddress }), (it) =>
      it.close(),
    );
    const activities = () => {
      const bank = scope.own(openBankClient(env.bank, BANK_TOKEN, settings), (it) => it.close());
      const { journal } = scope.own(createJournal(databaseUrl, { timeouts: PATIENT }), (it) => it.close());
      return transferActivities({
        limiter: createBankLimiter({ maxRps: 0, pollActiveMs: settings.pollActiveMs }),
        bank,
        journal,
        orderLimits: DEFAULT_ORDER_LIMITS,
        orderSigners: () => null,
        settings,
      });
    };
    const shared = activities();
    current = {
      env,
      databaseUrl,
      scope,
      activities,
      ownQueue: () => {
        const taskQueue = `giro-chaos-${randomUUID()}`;
        return { taskQueue, giro: new GiroClient({ client: env.engine, taskQueue }) };
      },
      startWorker: async (taskQueue, parts = {}) => {
        const worker = await Worker.create({
          connection,
          taskQueue,
          workflowBundle: { codePath: workflowBundlePath },
          activities: shared,
          ...parts,
          maxCachedWorkflows: 10,
          shutdownGraceTime: '10s',
        });
        const running = worker.run();
        const stop = async () => {
          if (worker.getState() === 'RUNNING') worker.shutdown();
          await running;
        };
        return scope.own({ stop }, (it) => it.stop());
      },
    };
  });
  return () => {
    if (current === null) throw new Error('the environment is there only while tests run');
    return current;
  };
}
