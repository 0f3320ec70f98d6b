import { Client } from 'pg';
import type { QueryResult } from 'pg';
import { createJournal } from '../../../src/journal/create-journal';
import type { JournalOptions, OpenJournal } from '../../../src/journal/create-journal';
import { createTestDatabase } from '../../support/journal-database';

export interface TestJournal extends OpenJournal {
  readonly url: string;
  /** As the owner, a superuser. */
  readonly sql: (text: string, values?: readonly unknown[]) => Promise<QueryResult<Record<string, unknown>>>;
}

/** A journal in a database of its own; `close` drops it. */
export async function openTestJournal(options?: JournalOptions): Promise<TestJournal> {
  const database = await createTestDatabase();
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  const open = createJournal(database.url, options);
  return {
    url: database.url,
    journal: open.journal,
    sql: (text, values = []) => owner.query<Record<string, unknown>>(text, [...values]),
    close: async () => {
      await open.close();
      await owner.end();
      await database.drop();
    },
  };
}
