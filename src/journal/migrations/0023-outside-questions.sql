-- Questions of reconciliations about originIds without a transfer: no request number stands for them, and the bank's
-- cadence is kept all the same. Claimed before they are asked.
create table giro.outside_question (
  origin_id bigint not null,
  number integer not null check (number >= 1),
  as_of timestamptz not null references giro.reconciliation (as_of),
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number)
);
create table giro.outside_answer (
  origin_id bigint not null,
  number integer not null,
  answer jsonb not null,
  kind text not null generated always as (answer ->> 'kind') stored
    check (kind in ('movement', 'not-found', 'no-answer')),
  bank_status text generated always as (answer #>> '{movement,status}') stored,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (origin_id, number),
  foreign key (origin_id, number) references giro.outside_question (origin_id, number)
);

do $$
declare
  name text;
begin
  foreach name in array array['outside_question', 'outside_answer'] loop
    execute format(
      'create trigger append_only before update or delete or truncate on giro.%I
         for each statement execute function giro.refuse_change()', name);
    execute format('alter table giro.%I enable always trigger append_only', name);
    execute format('grant select, insert on giro.%I to giro_runtime', name);
  end loop;
end
$$;
