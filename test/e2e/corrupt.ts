import { Client } from 'pg';

/**
 * Changes the books in a way that no program can: as the owner, who can switch the guards off. `$1` of the statement:
 * the originId.
 */
export async function corrupt(
  databaseUrl: string,
  table: string,
  statement: string,
  originId: number,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(`alter table giro.${table} disable trigger append_only`);
    await client.query(statement, [originId]);
    await client.query(`alter table giro.${table} enable always trigger append_only`);
  } finally {
    await client.end();
  }
}
