-- What a run could not look at, with why: all of it, however much; a step's outcome holds the first.
create table giro.not_asked (
  as_of timestamptz not null,
  step integer not null,
  origin_id bigint not null,
  book text not null check (book ~ '^[a-z]{1,20}$'),
  reason text not null check (reason ~ '^[A-Z][A-Z_]{0,39}$'),
  -- In this order it is read, page by page.
  primary key (as_of, origin_id, book, step),
  foreign key (as_of, step) references giro.reconciliation_step (as_of, step)
);
create trigger append_only before update or delete or truncate on giro.not_asked
  for each statement execute function giro.refuse_change();
alter table giro.not_asked enable always trigger append_only;
grant select, insert on giro.not_asked to giro_runtime;
