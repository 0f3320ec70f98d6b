import { openTestJournal } from './open-test-journal';
import type { TestJournal } from './open-test-journal';

/**
 * Copies a journal as a dump and a restore do: unchanged rows, in other transactions of another database, and the
 * sequences. Leaves out sums, which a new journal already has.
 */
export async function copyJournal(source: TestJournal): Promise<TestJournal> {
  const target = await openTestJournal();
  // Foreign keys and guards would refuse copied rows.
  await target.sql('set session_replication_role = replica');
  const { rows: tables } = await source.sql(
    `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'giro' and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name not in ('migration', 'statistics', 'recovery_place', 'inbox_size', 'inbox_cap', 'journal_mark')
     group by table_name`,
  );
  for (const { name, columns } of tables) {
    const table = `giro.${String(name)}`;
    const { rows } = await source.sql(`select coalesce(jsonb_agg(t), '[]') as rows from ${table} t`);
    await target.sql(
      `insert into ${table} (${String(columns)}) overriding system value
       select ${String(columns)} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows[0]?.['rows'])],
    );
  }
  for (const sequence of ['giro.record_id', 'giro.origin_id']) {
    const { rows } = await source.sql(`select last_value, is_called from ${sequence}`);
    await target.sql('select setval($1, $2, $3)', [
      sequence,
      rows[0]?.['last_value'],
      rows[0]?.['is_called'],
    ]);
  }
  await target.sql('reset session_replication_role');
  return target;
}
