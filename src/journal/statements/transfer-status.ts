import { ATTENTION_REASONS, isHeld } from '../../domain/transfer/flags';

/** Flags that hold a transfer, as the domain has them, for a parameter of type text[]. */
export const HOLDING_REASONS: readonly string[] = ATTENTION_REASONS.filter((reason) =>
  isHeld({ [reason]: 0 }),
);

/** The latest word of the bank whose echo is not a mismatch, of transfer `t`. */
export const LAST_MOVEMENT = `
  select a.bank_status, a.movement_id, a.network, a.network_id from giro.answer a
  where a.origin_id = t.origin_id and a.echo in ('match', 'incomplete')
  order by a.number desc limit 1`;

/** The open flags of transfer `t`. */
export const OPEN_FLAGS = `
  select f.reasons from giro.flags f where f.origin_id = t.origin_id order by f.seq desc limit 1`;

/**
 * The phase of an open transfer `t` of which the bank has said nothing: `held` by its flags `f` (`holding`: the
 * parameter with those that hold), `sending` before the first claim and while the last one is a withdrawal or a create
 * that has no answer or was not sent, `looking-up` after that. What is `received` is not in the journal yet.
 */
export const phaseWord = (holding: string): string => `
  case when f.reasons && ${holding} then 'held' else coalesce((
    select case
      when r.kind = 'withdrawal' then 'sending'
      when r.kind = 'create' and coalesce(a.kind, 'not-sent') = 'not-sent' then 'sending'
      else 'looking-up'
    end
    from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = t.origin_id order by r.number desc limit 1
  ), 'sending') end`;
