import { join } from 'node:path';
import type { PostgresServer } from '../../dev/postgres';
import { startPostgres } from '../../dev/postgres';
import { releaseOnSignals } from '../../dev/signals';
import { Scope } from '../../dev/scope';
import type { TemporalServer } from '../../dev/temporal-server';
import { registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import { bundleWorkflows } from './workflow-bundle';
import { migrateJournal } from '../../src/journal/migrate';
import { makeCertificate } from '../../src/sandbox-bank/server/certificate';
import { handOver } from './server-scope';
import type { TestServers } from './servers';
import { TEST_SERVERS_VARIABLE } from './servers';

const TEMPLATE_DATABASE = 'giro_template';

/** Starts the servers once for the test run, and only when a test of the project `servers` runs. */
export default async function startServers(): Promise<void> {
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  try {
    const [postgres, temporal, quickTemporal] = await startAll(scope);
    const [workflowBundlePath, bankTls] = await Promise.all([
      bundleWorkflows(join(temporal.folder, 'workflow-bundle.js')),
      makeCertificate([]),
      migrateTemplate(postgres),
      registerSearchAttributes(temporal.address),
      registerSearchAttributes(quickTemporal.address),
    ]);
    const servers: TestServers = {
      postgresAdminUrl: postgres.adminUrl,
      temporalAddress: temporal.address,
      quickTemporalAddress: quickTemporal.address,
      temporalHttpUrl: temporal.httpUrl,
      templateDatabase: TEMPLATE_DATABASE,
      workflowBundlePath,
      bankTls,
    };
    process.env[TEST_SERVERS_VARIABLE] = JSON.stringify(servers);
    handOver(scope, letSignalsBe);
  } catch (error) {
    await scope.release();
    letSignalsBe();
    throw error;
  }
}

async function startAll(scope: Scope): Promise<[PostgresServer, TemporalServer, TemporalServer]> {
  const log = (line: string): void => console.error(`giro: ${line}`);
  const starting = [
    startPostgres({ log }).then((server) => scope.own(server, () => server.stop())),
    startTemporalServer({ ui: false, log }).then((server) => scope.own(server, () => server.stop())),
    startTemporalServer({ ui: false, quickTimers: true, log }).then((server) =>
      scope.own(server, () => server.stop()),
    ),
  ] as const;
  // When one start fails, the others may still be running; wait for them before the scope is released.
  await Promise.allSettled(starting);
  return Promise.all(starting);
}

async function migrateTemplate(postgres: PostgresServer): Promise<void> {
  await migrateJournal(await postgres.createDatabase(TEMPLATE_DATABASE));
}
