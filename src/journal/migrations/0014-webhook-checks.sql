-- What was wrong with the subscriptions at the bank: a row when that changes, so that it can be told since when.
create table giro.webhook_check (
  record_id bigint primary key default nextval('giro.record_id'),
  -- [{"eventType", "standing"}]; empty: nothing is wrong any more.
  findings jsonb not null check (jsonb_typeof(findings) = 'array'),
  recorded_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on giro.webhook_check
  for each statement execute function giro.refuse_change();
alter table giro.webhook_check enable always trigger append_only;
grant select, insert on giro.webhook_check to giro_runtime;
