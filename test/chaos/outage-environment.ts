import { randomUUID } from 'node:crypto';
import { lastingPort } from '../../dev/free-port';
import { BANK_TOKEN, startGiroEnvironment } from '../../dev/giro-environment';
import type { GiroEnvironment } from '../../dev/giro-environment';
import { startPostgres } from '../../dev/postgres';
import type { PostgresServer } from '../../dev/postgres';
import { Scope } from '../../dev/scope';
import { registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import type { TemporalServer } from '../../dev/temporal-server';
import { tokenAccess } from '../../dev/bank-access';
import { startWorkerProcess } from '../../dev/worker-process';
import type { WorkerProcess } from '../../dev/worker-process';
import { migrateJournal } from '../../src/journal/migrate';
import { testServers } from '../support/servers';
import { CHAOS_SETTINGS } from './chaos-environment';
import { CREATE_TIMEOUT_MS, LOOKUP_TIMEOUT_MS, OUTAGE_RULES } from './outage-scenarios';

/** Separate servers, so that a test can stop them; the worker is the real program. */
export interface OutageEnvironment {
  readonly env: GiroEnvironment;
  readonly databaseUrl: string;
  readonly postgres: PostgresServer;
  readonly temporal: TemporalServer;
  readonly worker: WorkerProcess;
  /** Status and text of the worker's `/readyz`. */
  readonly readiness: () => Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

export async function startOutageEnvironment(): Promise<OutageEnvironment> {
  const scope = new Scope();
  try {
    return await boot(scope);
  } catch (error) {
    await scope.release();
    throw error;
  }
}

async function boot(scope: Scope): Promise<OutageEnvironment> {
  const log = (line: string): void => console.error(line);
  const starting = [
    startPostgres({ log }).then((it) => scope.own(it, () => it.stop())),
    startTemporalServer({ ui: false, onDisk: true, log }).then((it) => scope.own(it, () => it.stop())),
  ] as const;
  await Promise.allSettled(starting);
  const [postgres, temporal] = await Promise.all(starting);
  const databaseUrl = await postgres.createDatabase('giro');
  await Promise.all([migrateJournal(databaseUrl), registerSearchAttributes(temporal.address)]);
  const where = { temporalAddress: temporal.address, databaseUrl, taskQueue: `giro-outage-${randomUUID()}` };
  const { workflowBundlePath } = testServers();
  const env = scope.own(
    await startGiroEnvironment({ ...where, rules: OUTAGE_RULES, workflowBundlePath }),
    (it) => it.close(),
  );
  const httpAddress = `127.0.0.1:${await lastingPort()}`;
  const worker = scope.own(
    await startWorkerProcess({
      ...where,
      access: tokenAccess(env.bank, BANK_TOKEN),
      env: {
        GIRO_HTTP_ADDRESS: httpAddress,
        POLL_ACTIVE: `${CHAOS_SETTINGS.pollActiveMs}ms`,
        BANK_TIMEOUT_CREATE: `${CREATE_TIMEOUT_MS}ms`,
        BANK_TIMEOUT: `${LOOKUP_TIMEOUT_MS}ms`,
      },
    }),
    async (it) => {
      await it.stop();
    },
  );
  return {
    ...{ env, databaseUrl, postgres, temporal, worker },
    readiness: async () => {
      const response = await fetch(`http://${httpAddress}/readyz`);
      return { status: response.status, text: await response.text() };
    },
    close: () => scope.release(),
  };
}
