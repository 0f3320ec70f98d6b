import { ATTENTION_REASONS, isHeld } from '../../domain/transfer/flags';

/** Flags that hold a transfer, as the domain has them: an array in SQL. */
const HOLDING_REASONS = `array[${ATTENTION_REASONS.filter((reason) => isHeld({ [reason]: 0 }))
  .map((reason) => `'${reason}'`)
  .join(', ')}]`;

/** The latest word of the bank whose echo is not a mismatch, of transfer `t`. */
export const LAST_MOVEMENT = `
  select a.bank_status, a.movement_id, a.network, a.network_id from giro.answer a
  where a.origin_id = t.origin_id and a.echo in ('match', 'incomplete')
  order by a.number desc limit 1`;

/** The open flags of transfer `t`. */
export const OPEN_FLAGS = `
  select f.reasons from giro.flags f where f.origin_id = t.origin_id order by f.seq desc limit 1`;

/**
 * The phase of an open transfer `t` with its last movement `m` and its flags `f`, as near to the domain's `phaseOf` as
 * records tell it: the order is there, so it is `sending` before the first claim, and while the last claim is a
 * withdrawal or a create that has no answer or was not sent; `looking-up` after that, until the bank has said a word.
 */
export const OPEN_PHASE = `
  case
    when f.reasons && ${HOLDING_REASONS} then 'held'
    when m.bank_status = 'FAILED' then 'annulling'
    when m.bank_status is not null then 'polling'
    else coalesce((
      select case
        when r.kind = 'withdrawal' then 'sending'
        when r.kind = 'create' and coalesce(a.kind, 'not-sent') = 'not-sent' then 'sending'
        else 'looking-up'
      end
      from giro.request r left join giro.answer a using (origin_id, number)
      where r.origin_id = t.origin_id order by r.number desc limit 1
    ), 'sending')
  end`;
