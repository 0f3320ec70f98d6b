import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { migrateJournal } from '../src/journal/migrate';
import type { SandboxRule, VerificationRule } from '../src/sandbox-bank';
import { tokenAccess } from './bank-access';
import type { BankAccess, HighLevel } from './bank-access';
import { BANK_TOKEN, startGiroEnvironment } from './giro-environment';
import type { GiroEnvironment } from './giro-environment';
import { packageRoot } from './package-root';
import { startPostgres } from './postgres';
import type { Scope } from './scope';
import { registerSearchAttributes, startTemporalServer } from './temporal-server';
import { startWorkerProcess } from './worker-process';
import type { WorkerProcess } from './worker-process';

export const TASK_QUEUE = 'giro';

export interface WholeSystem {
  readonly env: GiroEnvironment;
  /** Starts `giro worker` as a separate process. */
  readonly startWorker: () => Promise<WorkerProcess>;
  readonly uiUrl: string | null;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly access: BankAccess;
}

/** Starts servers and bank, and runs set-up, for demo and benchmarks. Everything ends with the scope. */
export async function startWholeSystem(
  scope: Scope,
  options: {
    readonly ui: boolean;
    /** Temporal keeps its data in a file; default: in memory. */
    readonly onDisk?: boolean;
    readonly rules: readonly (SandboxRule | VerificationRule)[];
    /** What the bank demands of its clients; default: only a token. */
    readonly bank?: HighLevel;
    readonly workerEnv?: Readonly<Record<string, string>>;
    readonly say: (line: string) => void;
  },
): Promise<WholeSystem> {
  const { ui, onDisk = false, rules, bank, workerEnv = {}, say } = options;
  const starting = [
    startPostgres({ log: say, durable: true }).then((it) => scope.own(it, () => it.stop())),
    startTemporalServer({ ui, onDisk, log: say }).then((it) => scope.own(it, () => it.stop())),
  ] as const;
  await Promise.allSettled(starting);
  const [postgres, temporal] = await Promise.all(starting);
  const databaseUrl = await postgres.createDatabase('giro');
  await Promise.all([migrateJournal(databaseUrl), registerSearchAttributes(temporal.address)]);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const where = { temporalAddress: temporal.address, databaseUrl, taskQueue: TASK_QUEUE };
  const workflowBundlePath = join(packageRoot, 'dist', 'workflow-bundle.js');
  const env = scope.own(
    await startGiroEnvironment({
      ...{ ...where, workflowBundlePath, rules },
      ...(bank === undefined ? {} : { bankOptions: bank.bankOptions }),
    }),
    (it) => it.close(),
  );
  const access = bank?.access(env.bank) ?? tokenAccess(env.bank, BANK_TOKEN);
  const startWorker = async () =>
    scope.own(await startWorkerProcess({ ...where, access, env: workerEnv }), async (it) => {
      await it.stop();
    });
  return { env, startWorker, uiUrl: temporal.uiUrl, databaseUrl, temporalAddress: temporal.address, access };
}
