import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { migrateJournal } from '../../src/journal/migrate';
import { tokenAccess } from '../bank-access';
import type { BankAccess } from '../bank-access';
import { BANK_TOKEN, startGiroEnvironment } from '../giro-environment';
import type { GiroEnvironment } from '../giro-environment';
import { packageRoot } from '../package-root';
import { startPostgres } from '../postgres';
import type { Scope } from '../scope';
import { startTemporalServer } from '../temporal-server';
import { registerSearchAttributes } from '../whole-system';

/** What one simulation has to itself: a journal, a bank, a task queue. */
export interface SimulatedSystem {
  readonly env: GiroEnvironment;
  readonly access: BankAccess;
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
}

export interface SimulationServers {
  readonly temporalAddress: string;
  /** The URL of a new, migrated journal (superuser). */
  newJournal(): Promise<string>;
}

/** The bundle that workers run, and by which histories are replayed. */
export const WORKFLOW_BUNDLE_PATH = join(packageRoot, 'dist', 'workflow-bundle.js');

/** For all simulations of this process. */
export async function startServers(scope: Scope, say: (line: string) => void): Promise<SimulationServers> {
  const starting = [
    startPostgres({ log: say }).then((it) => scope.own(it, () => it.stop())),
    startTemporalServer({ ui: false, log: say }).then((it) => scope.own(it, () => it.stop())),
  ] as const;
  await Promise.allSettled(starting);
  const [postgres, temporal] = await Promise.all(starting);
  await registerSearchAttributes(temporal.address);
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    // The core warns of every history of an open run that it replays.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
  let journals = 0;
  return {
    temporalAddress: temporal.address,
    newJournal: async () => {
      journals += 1;
      const url = await postgres.createDatabase(`giro_${journals}`);
      await migrateJournal(url);
      return url;
    },
  };
}

export async function openSystem(scope: Scope, servers: SimulationServers): Promise<SimulatedSystem> {
  const { temporalAddress } = servers;
  const databaseUrl = await servers.newJournal();
  const taskQueue = `giro-simulate-${randomBytes(6).toString('hex')}`;
  const workflowBundlePath = WORKFLOW_BUNDLE_PATH;
  const env = scope.own(
    await startGiroEnvironment({ temporalAddress, databaseUrl, taskQueue, workflowBundlePath }),
    (it) => it.close(),
  );
  return { env, access: tokenAccess(env.bank, BANK_TOKEN), temporalAddress, databaseUrl, taskQueue };
}
