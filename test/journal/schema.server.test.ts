import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTestDatabase } from '../support/journal-database';
import { dumpSchema } from './support/schema-dump';

const SNAPSHOT = path.join(__dirname, 'schema.sql');

/** `GIRO_UPDATE_SCHEMA=1` writes the snapshot anew, to be read in the diff of the commit that adds a migration. */
test('the committed schema is what the migrations make', async () => {
  const database = await createTestDatabase();
  try {
    const schema = await dumpSchema(database.url);
    if (process.env['GIRO_UPDATE_SCHEMA'] === '1') await writeFile(SNAPSHOT, schema);
    expect(schema).toBe(await readFile(SNAPSHOT, 'utf8'));
  } finally {
    await database.drop();
  }
});
