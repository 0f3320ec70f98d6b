-- Figures of the books for those who watch, worked out at most once in some seconds however many ask. Not a record:
-- they follow from the books.
create table giro.figures (
  only_row boolean primary key default true check (only_row),
  taken_at timestamptz not null,
  figures jsonb not null
);
insert into giro.figures (taken_at, figures) values ('-infinity', '{}');

grant select, update (taken_at, figures) on giro.figures to giro_runtime;
