import type { SuppliedTls } from '../../src/sandbox-bank';

/** The servers of the global set-up, and other resources that the test files share. */
export interface TestServers {
  /** Superuser, loopback. */
  readonly postgresAdminUrl: string;
  /** host:port, namespace `default`, search attributes registered, time skipping allowed. */
  readonly temporalAddress: string;
  /**
   * Another Temporal server of the same kind, which skips timers at once. A skip takes a second on the first server,
   * and tests that act between two requests of a skipped run need that second.
   */
  readonly quickTemporalAddress: string;
  /** URL of Temporal's HTTP API. */
  readonly temporalHttpUrl: string;
  /** Migrated and empty, without connections, so that it can be copied (`create database … template …`). */
  readonly templateDatabase: string;
  /** The workflows, bundled once. */
  readonly workflowBundlePath: string;
  /** Certificate of banks on loopback. A new one for each test file would take half a second each. */
  readonly bankTls: SuppliedTls;
}

/** The variable in which jest's workers get the servers from the set-up's process. */
export const TEST_SERVERS_VARIABLE = 'GIRO_TEST_SERVERS';

export function testServers(): TestServers {
  const text = process.env[TEST_SERVERS_VARIABLE];
  if (text === undefined) {
    throw new Error('no test servers here: name the file *.server.test.ts and run it with `npm test`');
  }
  return JSON.parse(text) as TestServers;
}
