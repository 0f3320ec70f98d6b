import type { SuppliedTls } from '../../src/sandbox-bank';

/** The servers that the global set-up started, and where each test file finds what it shares with the others. */
export interface TestServers {
  /** Superuser, loopback. */
  readonly postgresAdminUrl: string;
  /** host:port, namespace `default`, search attributes registered, time skipping allowed. */
  readonly temporalAddress: string;
  /** Of its HTTP API. */
  readonly temporalHttpUrl: string;
  /** Migrated, empty, nobody connected: to be copied (`create database … template …`). */
  readonly templateDatabase: string;
  /** The workflows, bundled once. */
  readonly workflowBundlePath: string;
  /** Of banks on loopback: to make one for each test file would cost each half a second. */
  readonly bankTls: SuppliedTls;
}

/** How the set-up's process hands them to jest's workers. */
export const TEST_SERVERS_VARIABLE = 'GIRO_TEST_SERVERS';

export function testServers(): TestServers {
  const text = process.env[TEST_SERVERS_VARIABLE];
  if (text === undefined) {
    throw new Error('no test servers here: name the file *.server.test.ts and run it with `npm test`');
  }
  return JSON.parse(text) as TestServers;
}
