import type { TransferResult } from '../../domain/transfer/result';
import type { Database } from '../database';
import type { ClaimedFinalCheck, FinalCheckClaim } from '../final-checks';
import { againWhenLost } from '../lost-race';
import type { OrderCipher } from '../order-cipher';
import { toResult } from '../rows';

/** How long the bank asked us to wait, in the row `answer`. */
const retryAfterMs = (answer: string): string =>
  `coalesce(${answer}.answer ->> 'retryAfterMs', ${answer}.answer -> 'error' ->> 'retryAfterMs')::double precision
    as retry_after_ms`;

/**
 * The gap runs from the end of the last request about the transfer, of its run or of a check; one without a record may
 * have taken its whole time-out. The primary key lets one session have each `seq`.
 */
const text = `
with known as (
  select t.order_json, e.result, coalesce(c.seq, 0) as last_seq,
    greatest(0, extract(epoch from
      greatest(
        coalesce(c.recorded_at, c.claimed_at + make_interval(secs => $5::double precision / 1000)),
        coalesce(q.recorded_at, q.claimed_at + make_interval(secs => $5::double precision / 1000))
      )
      + make_interval(secs => greatest(
          case when w.bank_status = 'DELAYED' then $4::double precision else $3::double precision end,
          case when c.seq is null then q.retry_after_ms else c.retry_after_ms end
        ) / 1000)
      - clock_timestamp()) * 1000)::float8 as wait_ms
  from giro.result e join giro.transfer t using (origin_id)
  left join lateral (
    select k.seq, k.claimed_at, a.recorded_at, ${retryAfterMs('a')}
    from giro.final_check k left join giro.final_answer a using (origin_id, seq)
    where k.origin_id = e.origin_id order by k.seq desc limit 1
  ) c on true
  left join lateral (
    select r.claimed_at, a.recorded_at, ${retryAfterMs('a')} from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = e.origin_id and r.kind <> 'withdrawal' order by r.number desc limit 1
  ) q on true
  left join lateral (
    -- Errors, not-founds and looks in the network's own format leave the cadence as the last word has it.
    select coalesce(
      (select a.bank_status from giro.final_answer a
        where a.origin_id = e.origin_id and a.bank_status is not null order by a.seq desc limit 1),
      (select a.bank_status from giro.answer a
        where a.origin_id = e.origin_id and a.bank_status is not null order by a.number desc limit 1)
    ) as bank_status
  ) w on true
  where e.origin_id = $1::bigint
), claimed as (
  insert into giro.final_check (origin_id, seq, asked_by)
  select $1::bigint, last_seq + 1, $2::text from known where coalesce(wait_ms, 0) <= 0
  on conflict (origin_id, seq) do nothing
  returning seq
)
select order_json, result, coalesce(wait_ms, 0) as wait_ms, (select seq from claimed) as seq from known`;

interface Row {
  readonly order_json: unknown;
  readonly result: TransferResult;
  readonly wait_ms: number;
  /** Null: not claimed. */
  readonly seq: number | null;
}

export async function claimFinalCheck(
  database: Database,
  cipher: OrderCipher,
  { originId, askedBy, gapMs, delayedGapMs, timeoutMs }: FinalCheckClaim,
): Promise<ClaimedFinalCheck> {
  return againWhenLost(`final check of transfer ${originId}`, async () => {
    const [row] = await database.run<Row>({ name: 'claim-final-check', text }, [
      ...[originId, askedBy, gapMs, delayedGapMs, timeoutMs],
    ]);
    if (row === undefined) return { kind: 'not-ended' };
    const { seq, wait_ms: waitMs } = row;
    if (seq === null) return waitMs > 0 ? { kind: 'too-soon', waitMs: Math.ceil(waitMs) } : null;
    return {
      kind: 'claimed',
      seq,
      order: cipher.openOrder(row.order_json, originId),
      result: toResult(row.result),
    };
  });
}
