import type { Client, QueryResult, QueryResultRow } from 'pg';
import type { Database } from '../../../src/journal/context';
import { JournalStatementError } from '../../../src/journal/errors';

/**
 * Runs a statement, checks its deferred constraints at once, and rolls everything back. `state`: SQLSTATE of the
 * refusal, or `TAKEN`. Parameters are text; the journal's statements cast each of them.
 */
const rehearse = `
create function pg_temp.rehearse(statement text, v text[], out answer jsonb, out state text, out message text)
language plpgsql as $$
declare
  line record;
  lines bigint;
begin
  begin
    execute statement into line
      using v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14];
    get diagnostics lines = row_count;
    answer := case when lines > 0 then to_jsonb(line) end;
    set constraints all immediate;
    raise exception using errcode = 'ZZ000';
  exception when others then
    state := case sqlstate when 'ZZ000' then 'TAKEN' else sqlstate end;
    message := sqlerrm;
  end;
end
$$`;

interface Rehearsed {
  readonly answer: QueryResultRow | null;
  readonly state: string;
  readonly message: string;
}

/**
 * A session of the runtime role that executes one statement after the other and rolls each back. A statement returns at
 * most one row.
 */
export async function rehearsing(client: Client): Promise<Database> {
  await client.query(rehearse);
  await client.query('set role giro_runtime');
  let turn: Promise<unknown> = Promise.resolve();
  const next = (text: string, values: readonly unknown[]): Promise<QueryResult<Rehearsed>> => {
    const query = turn.then(() =>
      client.query<Rehearsed>('select * from pg_temp.rehearse($1, $2::text[])', [text, values.map(asText)]),
    );
    turn = query.catch(() => null);
    return query;
  };
  return {
    async run<Row extends QueryResultRow>(
      { text }: { readonly text: string },
      values: readonly unknown[] | (() => readonly unknown[]),
    ) {
      const said = (await next(text, typeof values === 'function' ? values() : values)).rows[0];
      if (said?.state !== 'TAKEN')
        throw new JournalStatementError(said?.message ?? '', said?.state ?? '?????');
      return said.answer === null ? [] : [said.answer as Row];
    },
  };
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map((one) => JSON.stringify(one)).join()}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
