-- The detached JWS that came with the order (`proof`) and shows who gave it; null: the order came without a proof. In
-- clear: like `order_sha256`, a signature only lets a reader confirm a guess of the order.
alter table giro.transfer
  add column proof text check (proof ~ '^[A-Za-z0-9_-]{1,255}\.\.[A-Za-z0-9_-]{86}$');

grant insert (proof) on giro.transfer to giro_runtime;
