-- Notifications of one debit are found by any id that they share, so that a page of them needs no look at all the others.
create index orphan_debit_origin_ids on giro.orphan_debit using gin (origin_ids);
create index orphan_debit_movement_ids on giro.orphan_debit using gin (movement_ids);
create index orphan_debit_network_ids on giro.orphan_debit using gin (network_ids);
-- Debits told by notifications that a run has not met again.
create index break_notified on giro.break (key)
  where state <> 'resolved' and class = 'ORPHAN_AT_BANK' and book = 'notifications';

-- Transfers that a statement's debit without a known id may belong to are looked for by amount and time.
create index result_amount on giro.result ((result #>> '{amount,value}'), recorded_at);
