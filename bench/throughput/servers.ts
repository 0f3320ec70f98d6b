import { Client, Connection } from '@temporalio/client';
import { tokenAccess } from '../../dev/bank-access';
import type { BankAccess } from '../../dev/bank-access';
import { startPostgres } from '../../dev/postgres';
import type { Scope } from '../../dev/scope';
import { registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import { migrateJournal } from '../../src/journal/migrate';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { RULES } from './orders';

/**
 * The servers that all contestants share: a bank, a Temporal server, and a PostgreSQL whose commits survive a power
 * cut.
 */
export interface Servers {
  readonly bank: SandboxBank;
  readonly access: BankAccess;
  readonly client: Client;
  readonly temporalAddress: string;
  readonly temporalPid: () => number;
  readonly postgresPid: () => number;
  readonly createDatabase: (name: string) => Promise<string>;
  /** Giro's journal. */
  readonly journalUrl: string;
}

const BANK_TOKEN = 'bench';

export async function startServers(scope: Scope, say: (line: string) => void): Promise<Servers> {
  const postgres = scope.own(await startPostgres({ log: say, durable: true }), (it) => it.stop());
  const temporal = scope.own(await startTemporalServer({ ui: false, log: say }), (it) => it.stop());
  const journalUrl = await postgres.createDatabase('giro');
  await migrateJournal(journalUrl);
  await registerSearchAttributes(temporal.address);
  const bank = scope.own(await startSandboxBank({ token: BANK_TOKEN, rules: RULES }), (it) => it.close());
  const connection = scope.own(await Connection.connect({ address: temporal.address }), (it) => it.close());
  return {
    ...{ bank, journalUrl, access: tokenAccess(bank, BANK_TOKEN), client: new Client({ connection }) },
    ...{ temporalAddress: temporal.address, temporalPid: temporal.pid, postgresPid: postgres.pid },
    createDatabase: (name) => postgres.createDatabase(name),
  };
}
