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
  where c.relnamespace = 'giro'::regnamespace and c.relkind in ('r', 'v')
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
  select 7, format('%s %s', thing, grantee), 0,
    format('%s: %s %s', thing, grantee, string_agg(granted_right, ', ' order by granted_right))
  from (
    select thing, privilege_type as granted_right,
      case x.grantee when 0 then 'PUBLIC' else pg_get_userbyid(x.grantee) end as grantee
    from (
      select relname as thing, relacl as rights, relowner as owner, relnamespace as namespace from pg_class
      union all
      select format('%s.%s', relname, attname), attacl, relowner, relnamespace
      from pg_attribute join pg_class on pg_class.oid = attrelid
      union all
      -- A function without any grant or revoke is PUBLIC's to execute.
      select proname || '()', coalesce(proacl, acldefault('f', proowner)), proowner, pronamespace from pg_proc
      union all
      select 'schema ' || nspname, nspacl, nspowner, oid from pg_namespace
    ) things, aclexplode(rights) x
    where namespace = 'giro'::regnamespace and x.grantee <> owner
  ) granted
  group by thing, grantee
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
