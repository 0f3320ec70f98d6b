import { ATTENTION_REASONS, isHeld } from '../../domain/transfer/flags';

/**
 * What lists and statistics ask of many open transfers at once, and so in SQL. A test holds both to `factsOf` over
 * random lives.
 */

const arrayOf = (reasons: readonly string[]): string =>
  `array[${reasons.map((reason) => `'${reason}'`).join(', ')}]`;
const HOLDING = ATTENTION_REASONS.filter((reason) => isHeld({ [reason]: 0 }));

/** The last request of transfer `t` is a granted withdrawal. */
const IS_WITHDRAWN = `(
  select r.kind = 'withdrawal' from giro.request r where r.origin_id = t.origin_id order by r.number desc limit 1
)`;

/** A decision from which on ids are told anew. */
const FORGETS_IDS = 'giro.forgets_ids(d)';

/** The last of them that an answer is after; 0: none. */
const decisionBefore = (answer: 'a' | 'b'): string => `coalesce((
  select max(d.seq) from giro.decision d
  where d.origin_id = ${answer}.origin_id and ${FORGETS_IDS}
    and giro.is_after(${answer}, d)
), 0)`;

/**
 * Status that the bank's answers show of transfer `t` (`JudgedEcho.isReported`); null: none. Where all answers name one
 * movement the last without a mismatch has it; only where they name several, each is compared with the first.
 */
export const BANK_STATUS = `(
  select case when seen.lowest_id is not distinct from seen.highest_id then seen.status else (
    select a.bank_status from giro.answer a
    where a.origin_id = t.origin_id and a.echo in ('match', 'incomplete') and (a.movement_id is null or a.movement_id = (
      select b.movement_id from giro.answer b
      where b.origin_id = a.origin_id and b.movement_id is not null
        and ${decisionBefore('b')} = ${decisionBefore('a')}
      order by b.record_id limit 1
    ))
    order by a.number desc limit 1
  ) end
  from (
    select min(a.movement_id) as lowest_id, max(a.movement_id) as highest_id,
      (array_agg(a.bank_status order by a.number desc) filter (where a.echo in ('match', 'incomplete')))[1] as status
    from giro.answer a where a.origin_id = t.origin_id
  ) seen
)`;

/** Latest open flags of transfer `t`. */
export const OPEN_FLAGS = `
  select f.reasons from giro.flags f where f.origin_id = t.origin_id order by f.seq desc limit 1`;

/** A create of transfer `t` may have reached the bank (`mayBeAtBank`). */
export const MAY_BE_AT_BANK = `exists (select from giro.perhaps_sent p where p.origin_id = t.origin_id)`;

/** A mismatch stands (`EchoStanding.isMismatched`) of transfer `t`, of which no answer was ever told. */
const MISMATCH_STANDS = `exists (
  select from giro.answer a left join giro.answer b
    on b.origin_id = a.origin_id and b.movement_id <> a.movement_id and ${decisionBefore('b')} = ${decisionBefore('a')}
  where a.origin_id = t.origin_id and (a.kind = 'movement' and a.echo = 'mismatch' or b.number is not null)
    and not exists (select from giro.decision d where d.origin_id = a.origin_id and ${FORGETS_IDS} and not giro.is_after(a, d))
)`;

/** Flags that an acceptance rested on whose end is not written down yet. */
const ACCEPTED_FLAGS = `coalesce((
  select case when d.outcome = 'accepted' and d.action <> 'resend' then d.flags end
  from giro.decision d where d.origin_id = t.origin_id order by d.seq desc limit 1
), '{}')`;

/** An answer told a movement of transfer `t` (`BankFacts.lastWord`); the wrong answer of a create tells nothing. */
const MOVEMENT_TOLD = `exists (
  select from giro.answer a
  where a.origin_id = t.origin_id and (a.kind = 'movement' or a.kind = 'answered' and a.echo <> 'mismatch')
)`;

/** Where transfer `t` stands, of which no status is shown and whether it is held or not (`stageOf`). */
export const STAGE = `case
    when ${MOVEMENT_TOLD} then 'polling'
    when ${MAY_BE_AT_BANK} then 'looking-up'
    else 'sending'
  end`;

/** Flags that hold transfer `t`, as the domain has them: what is never sent need not be believed (`withdrawn`). */
const HOLDING_REASONS = `(case
  when ${IS_WITHDRAWN} and (${STAGE}) = 'sending' then ${arrayOf(HOLDING.filter((reason) => reason !== 'ORDER_TAMPERED'))}
  else ${arrayOf(HOLDING)}
end)`;

/** Holds of transfer `t` that operators alone lift and have not (`standingHolds`), as far as they hold it. */
const STANDING_HOLDS = `(case when ${MOVEMENT_TOLD}
  then array_remove(giro.standing_holds(t.origin_id), 'ORDER_TAMPERED') else giro.standing_holds(t.origin_id)
end)`;

/** Word of `GiroStatus` of an open transfer `t`: bank status, else phase (`giroStatus`). */
export const OPEN_STATUS = `
  coalesce(${BANK_STATUS}, case
    when (coalesce((${OPEN_FLAGS}), '{}') || ${ACCEPTED_FLAGS}) && ${HOLDING_REASONS} or ${MISMATCH_STANDS}
      or ${STANDING_HOLDS} && ${HOLDING_REASONS} then 'held'
    else ${STAGE}
  end)`;
