-- Who gave an order: the detached JWS that came with it (`proof` of an order). Written with the row and never
-- changed, like all of it; null: the order came without one. In clear, since a signature reveals nothing of what it
-- signs.
alter table giro.transfer
  add column proof text check (proof ~ '^[A-Za-z0-9_-]{1,255}\.\.[A-Za-z0-9_-]{86}$');

grant insert (proof) on giro.transfer to giro_runtime;
