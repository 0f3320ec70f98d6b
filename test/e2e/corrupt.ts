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
    // `kept`: answers that an archive holds may be deleted, others not.
    const guards = table === 'answer' ? ['append_only', 'kept'] : ['append_only'];
    const each = (how: string): string =>
      guards.map((guard) => `alter table giro.${table} ${how} trigger ${guard}`).join(';');
    await client.query(each('disable'));
    await client.query(statement, [originId]);
    await client.query(each('enable always'));
  } finally {
    await client.end();
  }
}
