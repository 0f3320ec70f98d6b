import { Client } from 'pg';

/** The schema `giro` as text, from the catalogue: the same on every PostgreSQL version that Giro supports. */
const text = `
select line from (
  select 1 as part, c.relname as thing, a.attnum as position,
    format('%s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' else '' end,
      case when a.attgenerated = 's' then ' generated ' when d.adbin is not null then ' default ' else '' end
        || coalesce(pg_get_expr(d.adbin, d.adrelid), '')) as line
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'giro'::regnamespace and c.relkind = 'r'
  union all
  select 2, conrelid::regclass::text || conname, 0,
    format('%s constraint %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where connamespace = 'giro'::regnamespace and contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select 3, indexname, 0, indexdef from pg_indexes where schemaname = 'giro'
  union all
  select 4, c.relname || tgname, 0,
    pg_get_triggerdef(t.oid) || case tgenabled when 'A' then ' -- always' when 'D' then ' -- disabled' else '' end
  from pg_trigger t join pg_class c on c.oid = tgrelid
  where c.relnamespace = 'giro'::regnamespace and not tgisinternal
  union all
  select 5, sequencename, 0, format('sequence %s %s start %s min %s max %s cycle %s', sequencename, data_type,
    start_value, min_value, max_value, cycle)
  from pg_sequences where schemaname = 'giro'
  union all
  select 6, proname, 0, pg_get_functiondef(oid) from pg_proc where pronamespace = 'giro'::regnamespace
  union all
  select 7, thing, 0, format('%s: giro_runtime %s', thing, string_agg(privilege_type, ', ' order by privilege_type))
  from (
    select c.relname as thing, x.privilege_type, x.grantee from pg_class c, aclexplode(c.relacl) x
    where c.relnamespace = 'giro'::regnamespace
    union all
    select proname || '()', x.privilege_type, x.grantee from pg_proc, aclexplode(proacl) x
    where pronamespace = 'giro'::regnamespace
    union all
    select 'schema ' || nspname, x.privilege_type, x.grantee from pg_namespace, aclexplode(nspacl) x
    where nspname = 'giro'
  ) granted
  where grantee = 'giro_runtime'::regrole group by thing
) lines order by part, thing collate "C", position`;

export async function dumpSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set search_path = ''");
    const { rows } = await client.query<{ line: string }>(text);
    return `${rows.map(({ line }) => line.trimEnd()).join('\n')}\n`;
  } finally {
    await client.end();
  }
}
