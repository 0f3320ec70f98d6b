import { Client } from 'pg';
import type { QueryResult } from 'pg';
import { createEveryJournal } from '../../../dev/every-identity';
import type { JournalOptions, OpenJournal } from '../../../src/journal/create-journal';
import { createTestDatabase } from '../../support/journal-database';

export interface TestJournal extends OpenJournal {
  readonly url: string;
  /** Another session of the owner; `close` ends it. */
  readonly connect: () => Promise<Client>;
  /** As the owner, a superuser. */
  readonly sql: (text: string, values?: readonly unknown[]) => Promise<QueryResult<Record<string, unknown>>>;
}

/** A busy machine may need longer than a worker waits. */
export const PATIENT = { connectMs: 60_000, statementMs: 60_000 };

/** A journal in a separate database; `close` drops the database. */
export async function openTestJournal(options?: JournalOptions): Promise<TestJournal> {
  const database = await createTestDatabase();
  const clients: Client[] = [];
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: database.url });
    clients.push(client);
    await client.connect();
    return client;
  };
  const owner = await connect();
  const open = createEveryJournal(database.url, { timeouts: PATIENT, ...options });
  return {
    url: database.url,
    connect,
    journal: open.journal,
    sql: (text, values = []) => owner.query<Record<string, unknown>>(text, [...values]),
    close: async () => {
      await open.close();
      await Promise.all(clients.map((client) => client.end()));
      await database.drop();
    },
  };
}
