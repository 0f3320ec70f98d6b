-- A restoration of one transfer: the run that was open knew of requests which the journal had lost. Null: of all that
-- were opened before.
alter table giro.restoration add column origin_id bigint references giro.transfer (origin_id);
create index restoration_of on giro.restoration (origin_id, recorded_at);
