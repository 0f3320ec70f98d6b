-- The chain of reconciliation reports: a link for each report, in the order of recording. A link covers the results,
-- annulments and decisions between the cursor of the previous link and its own (docs/signatures.md has the form). Links
-- are kept for ever. Whoever rewrites history has to rewrite every later link too, and then the head differs from the
-- one that was kept elsewhere.
create table giro.report_link (
  sequence integer primary key check (sequence >= 1),
  as_of timestamptz not null unique references giro.reconciliation_end (as_of),
  -- The last event that the link covers; null: there was no event yet.
  cursor text check (cursor ~ '^e1-[1-9][0-9]{0,18}-[0-9a-f]{16}$'),
  -- The cursor's record number.
  up_to bigint not null generated always as (coalesce(split_part(cursor, '-', 2)::bigint, 0)) stored,
  records bigint not null check (records >= 0),
  -- Zeros in the first link.
  previous_sha256 text not null check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  recorded_at timestamptz not null default clock_timestamp()
);

-- There is only one chain: if two runs end at the same time, the second is refused and reads the head again. A cursor
-- ahead of the events would leave nothing for later links to cover. The hash is not computed here, because SQL cannot hash
-- millions of records piece by piece: `audit verify` names a link with a wrong one.
create function giro.guard_report_link() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  head giro.report_link;
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.report_link', 0));
  select * into head from giro.report_link l order by l.sequence desc limit 1;
  if new.sequence <> coalesce(head.sequence, 0) + 1
    or new.previous_sha256 <> coalesce(head.sha256, repeat('0', 64))
    or coalesce(split_part(new.cursor, '-', 2)::bigint, 0) not between coalesce(head.up_to, 0) and giro.feed_horizon()
  then
    raise exception 'giro: link % does not follow the head of the chain', new.sequence using errcode = 'GR001';
  end if;
  return new;
end
$$;
create trigger guard before insert on giro.report_link for each row execute function giro.guard_report_link();

create trigger append_only before update or delete or truncate on giro.report_link
  for each statement execute function giro.refuse_change();
alter table giro.report_link enable always trigger append_only;

revoke execute on function giro.guard_report_link() from public;
grant select on giro.report_link to giro_runtime, giro_operator;
grant insert (sequence, as_of, cursor, records, previous_sha256, sha256) on giro.report_link to giro_runtime;
-- A link covers only what everybody can see: no event up to its cursor commits later.
grant execute on function giro.feed_horizon() to giro_runtime;
