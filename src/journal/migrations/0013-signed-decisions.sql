-- Signatures of operators' decisions, each with the line that was signed. All null: the decision was not signed.

alter table giro.decision
  add column line text,
  add column signature text check (char_length(signature) <= 4096),
  -- As `ssh-keygen -l` prints it.
  add column key_fingerprint text check (key_fingerprint ~ '^SHA256:[A-Za-z0-9+/]{43}$'),
  -- A signed line counts once. The line is unique, not the signature, because a valid signature can be turned into
  -- other valid signatures of the same line.
  add column line_sha256 text unique,
  add constraint decision_signed_whole check (
    num_nulls(line, signature, key_fingerprint, line_sha256) in (0, 4) and (line is null or operator is not null)
  );

-- The signed line must name the same decision as its row, and the order of the journal, and must not have expired. Two
-- operators need two keys, and a signed decision cannot pair with an unsigned one. The signature itself is verified by
-- workers and audits, which have the keys.
create function giro.guard_signed_decision() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  said jsonb;
begin
  if new.outcome = 'accepted' and not exists (
    select from giro.live_proposals(new.origin_id) p
      join giro.decision d on d.origin_id = new.origin_id and d.seq = p.seq
    where p.action = new.action and new.operators = array[p.operator, new.operator]
      and (d.key_fingerprint is null) = (new.key_fingerprint is null)
      and coalesce(d.key_fingerprint <> new.key_fingerprint, true)
  ) then
    raise exception 'giro: decision of transfer % refused: two decisions take two keys, or none is signed',
      new.origin_id using errcode = 'GR002';
  end if;
  if new.line is null then
    return new;
  end if;
  said := new.line::jsonb;
  if new.line_sha256 <> encode(sha256(convert_to(new.line, 'UTF8')), 'hex')
    or (said ->> 'originId', said ->> 'action', said ->> 'operator', said ->> 'reason') is distinct from
      (new.origin_id::text, new.action, new.operator, new.reason)
    or said ->> 'orderSha256' is distinct from (
      select t.order_sha256 from giro.transfer t where t.origin_id = new.origin_id
    )
  then
    raise exception 'giro: decision of transfer % refused: what was signed is another decision', new.origin_id
      using errcode = 'GR002';
  end if;
  if not coalesce(
    (said ->> 'expiresAt')::timestamptz > new.recorded_at
      and (said ->> 'expiresAt')::timestamptz <= new.recorded_at + interval '1 hour', false)
  then
    raise exception 'giro: decision of transfer % refused: the signature has expired, or expires too late',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$$;
-- Triggers fire in the order of their names: after `guard`, the transfer's lock is held.
create trigger guard_signed before insert on giro.decision
  for each row execute function giro.guard_signed_decision();

revoke execute on function giro.guard_signed_decision() from public;
grant insert (line, signature, key_fingerprint, line_sha256) on giro.decision to giro_runtime;
