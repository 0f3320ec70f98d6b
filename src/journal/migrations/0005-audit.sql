-- What people did or looked at, and why: never changed, never read by the rules of a transfer.
create table giro.audit (
  record_id bigint primary key default nextval('giro.record_id'),
  action text not null check (action ~ '^[a-z][a-z-]{0,39}( [a-z][a-z-]{0,39})?$'),
  -- What it was about: an originId, an event type…; null: all of Giro.
  subject text check (char_length(subject) between 1 and 255),
  -- As named by whoever ran it: Giro does not authenticate people.
  operator text not null check (char_length(operator) between 1 and 100),
  reason text check (char_length(reason) between 1 and 1000),
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  recorded_at timestamptz not null default clock_timestamp()
);
create index audit_subject on giro.audit (subject, record_id);

create trigger append_only before update or delete or truncate on giro.audit
  for each statement execute function giro.refuse_change();
alter table giro.audit enable always trigger append_only;
grant select, insert on giro.audit to giro_runtime;
