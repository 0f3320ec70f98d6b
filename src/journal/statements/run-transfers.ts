import type { TransferOrder } from '../../domain/order';
import type { CreateAnswer, LookupAnswer } from '../../domain/transfer/answers';
import type { AttentionReason } from '../../domain/transfer/flags';
import type { TransferResult } from '../../domain/transfer/result';
import type { JournalEntry } from '../../reconciliation/books';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import type { RecordedAnswer, RunTransfer } from '../../reconciliation/port';
import type { Database } from '../database';
import type { OrderCipher } from '../order-cipher';
import { msSince, toIso, toOriginId, toResult } from '../rows';
import { UNCONFIRMED_DAYS } from './reconciliation-runs';
import { LAST_MOVEMENT } from './transfer-status';

/** The bank's ids: of answers whose echo is not a mismatch, and the one that a result names. */
const names = (answer: string, result: string, column: IdColumn): string =>
  `(${answer}.echo in ('match', 'incomplete') or ${answer}.${column} = ${result} ->> '${RESULT_FIELDS[column]}')`;

const RESULT_FIELDS = { movement_id: 'movementId', network_id: 'networkId' } as const;
type IdColumn = keyof typeof RESULT_FIELDS;

/** Others with an id that this one ever had: the same, seen from either of two. As an array, so that the index serves. */
const others = (column: IdColumn): string => `
  select coalesce(array_agg(distinct o.origin_id), '{}')
  from giro.answer o left join giro.result x on x.origin_id = o.origin_id
  where o.origin_id <> t.origin_id and ${names('o', 'x.result', column)} and o.${column} = any (array(
    select distinct a.${column} from giro.answer a
    where a.origin_id = t.origin_id and a.${column} is not null and ${names('a', 'e.result', column)}
  ))`;

/**
 * `asked` is the readable answer to a question of the run itself, about an ended transfer or about one without a run,
 * so that a step which is repeated asks nobody again.
 */
const text = `
with page as (
  select i.origin_id, r.as_of, r.started_at, r.from_at from giro.reconciliation_item i join giro.reconciliation r using (as_of)
  where i.as_of = $1 and i.origin_id > $2::bigint
  order by i.origin_id limit $3::integer
)
select t.origin_id, t.opened_at, t.order_json, e.result, e.recorded_at as final_at,
  m.movement_id, m.network_id,
  exists (
    select from giro.answer a where a.origin_id = t.origin_id and a.bank_status = 'DELAYED'
  ) as was_delayed,
  case when n.id is not null then jsonb_build_object('id', n.id, 'movementId', n.movement_id,
    'amount', jsonb_build_object('currency', n.currency, 'value', n.amount::text), 'bankStatus', n.bank_status,
    'decidedBy', n.decided_by, 'recordedAt', n.recorded_at) end as annulment,
  coalesce(f.flags, '[]') as flags,
  (select count(*)::integer from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = t.origin_id and r.kind = 'create' and a.kind is distinct from 'not-sent') as sends,
  ${msSince('t.opened_at')} as opened_ago_ms,
  told.answer as told_answer, told.recorded_at as told_at,
  not exists (select from giro.request q left join giro.answer a using (origin_id, number)
    where q.origin_id = t.origin_id and q.kind <> 'withdrawal' and greatest(q.claimed_at, a.recorded_at) > told.recorded_at)
  and not exists (select from giro.final_check c left join giro.final_answer a using (origin_id, seq)
    where c.origin_id = t.origin_id and greatest(c.claimed_at, a.recorded_at) > told.recorded_at) as told_is_last,
  asked.answer as asked_answer, asked.recorded_at as asked_at,
  last.number as last_number, last.answered as last_answered, last.ago_ms as last_ago_ms,
  last.retry_after_ms as last_retry_after_ms, last.digest as last_digest,
  (select a.bank_status from giro.answer a where a.origin_id = t.origin_id and a.bank_status is not null
    order by a.number desc limit 1) as last_word,
  (${others('movement_id')}) as same_movement_id, (${others('network_id')}) as same_network_id,
  t.opened_at < page.from_at
    and (e.status = 'COMPLETED' and e.recorded_at < page.as_of - interval '${UNCONFIRMED_DAYS} days'
      or exists (select from giro.reconciled c where c.settled and c.origin_id = t.origin_id
        and c.heard_at >= case when e.status = 'REFUSED' then e.recorded_at + interval '1 day' else '-infinity' end))
    and not exists (select from giro.break b
      where b.origin_id = t.origin_id and b.state <> 'resolved' and b.book = 'bank') as is_confirmed
from page join giro.transfer t using (origin_id)
left join giro.result e using (origin_id)
left join giro.annulment n using (origin_id)
left join lateral (${LAST_MOVEMENT}) m on true
left join lateral (
  select jsonb_agg(jsonb_build_object('reason', open.reason, 'since', (
    select min(g.recorded_at) from giro.flags g
    where g.origin_id = t.origin_id and g.seq > coalesce((
      select max(w.seq) from giro.flags w where w.origin_id = t.origin_id and not open.reason = any(w.reasons)), 0)
  ))) as flags
  from (select g.reasons from giro.flags g where g.origin_id = t.origin_id order by g.seq desc limit 1) latest
  cross join unnest(latest.reasons) as open (reason)
) f on true
left join lateral (
  select l.answer, l.recorded_at from (
    (select a.answer, a.recorded_at from giro.answer a
      where a.origin_id = t.origin_id and a.kind in ('answered', 'movement', 'not-found')
      order by a.number desc limit 1)
    union all
    (select a.answer, a.recorded_at from giro.final_answer a
      where a.origin_id = t.origin_id and a.kind <> 'no-answer' order by a.seq desc limit 1)
  ) l order by l.recorded_at desc limit 1
) told on true
left join lateral (
  select l.answer, l.recorded_at from (
    (select a.answer, a.recorded_at from giro.final_check c join giro.final_answer a using (origin_id, seq)
      where c.origin_id = t.origin_id and c.asked_by = 'reconciliation' and c.claimed_at >= page.started_at
        and a.kind <> 'no-answer'
      order by c.seq desc limit 1)
    union all
    (select a.answer, a.recorded_at from giro.request q join giro.answer a using (origin_id, number)
      where q.origin_id = t.origin_id and q.run_id = $4::text and a.kind in ('movement', 'not-found')
      order by q.number desc limit 1)
  ) l order by l.recorded_at desc limit 1
) asked on true
left join lateral (
  select q.number, a.number is not null as answered, a.digest,
    ${msSince('greatest(q.claimed_at, a.recorded_at)')} as ago_ms,
    coalesce(a.answer ->> 'retryAfterMs', a.answer -> 'error' ->> 'retryAfterMs')::float8 as retry_after_ms
  from giro.request q left join giro.answer a using (origin_id, number)
  where q.origin_id = t.origin_id order by q.number desc limit 1
) last on true
order by t.origin_id`;

interface Row {
  readonly origin_id: string;
  readonly opened_at: Date;
  readonly order_json: unknown;
  readonly result: TransferResult | null;
  readonly final_at: Date | null;
  readonly movement_id: string | null;
  readonly network_id: string | null;
  readonly was_delayed: boolean;
  readonly annulment: NonNullable<JournalEntry['annulment']> | null;
  readonly flags: readonly { readonly reason: AttentionReason; readonly since: string }[];
  readonly sends: number;
  readonly told_answer: CreateAnswer | LookupAnswer | null;
  readonly opened_ago_ms: number;
  readonly told_at: Date | null;
  readonly told_is_last: boolean;
  readonly asked_answer: LookupAnswer | null;
  readonly asked_at: Date | null;
  readonly last_number: number | null;
  readonly last_answered: boolean | null;
  readonly last_ago_ms: number;
  readonly last_retry_after_ms: number | null;
  readonly last_digest: string | null;
  readonly last_word: string | null;
  readonly same_movement_id: string[];
  readonly same_network_id: string[];
  readonly is_confirmed: boolean;
}

export async function runPage(
  database: Database,
  cipher: OrderCipher,
  page: { readonly asOf: string; readonly after: number; readonly limit: number },
): Promise<RunTransfer[]> {
  const rows = await database.run<Row>({ name: 'reconciliation-page', text }, [
    ...[page.asOf, page.after, page.limit, reconciliationWorkflowId(page.asOf)],
  ]);
  return rows.map((row) => {
    const originId = toOriginId(row.origin_id);
    const order = openOrder(cipher, row.order_json, originId);
    return {
      originId,
      order,
      entry: order === null ? null : toEntry(row, originId, order),
      recorded: toRecorded(row.told_answer, row.told_at, row.told_is_last),
      askedInRun: toRecorded(row.asked_answer, row.asked_at, true),
      openedAgoMs: row.opened_ago_ms,
      lastRequest:
        row.last_number === null
          ? null
          : {
              number: row.last_number,
              agoMs: row.last_ago_ms,
              answered: row.last_answered === true,
              bankStatus: row.last_word,
              retryAfterMs: row.last_retry_after_ms,
              digest: row.last_digest,
            },
      sameMovementId: row.same_movement_id.map(toOriginId),
      sameNetworkId: row.same_network_id.map(toOriginId),
      isConfirmed: row.is_confirmed,
    };
  });
}

function toEntry(row: Row, originId: number, order: TransferOrder): JournalEntry {
  const { annulment } = row;
  return {
    originId,
    openedAt: toIso(row.opened_at),
    amount: { currency: order.body.currencyId, value: order.body.amount },
    from: order.from.address,
    to: order.to.address,
    result: row.result === null ? null : toResult(row.result),
    finalAt: row.final_at === null ? null : toIso(row.final_at),
    movementId: row.movement_id,
    networkId: row.network_id,
    wasDelayed: row.was_delayed,
    annulment: annulment === null ? null : { ...annulment, recordedAt: toIso(annulment.recordedAt) },
    flags: row.flags.map(({ reason, since }) => ({ reason, since: toIso(since) })),
    sends: row.sends,
  };
}

function toRecorded(
  answer: CreateAnswer | LookupAnswer | null,
  at: Date | null,
  isLast: boolean,
): RecordedAnswer | null {
  if (answer === null || at === null) return null;
  if (answer.kind === 'not-found') return { answer, at: toIso(at), isLast };
  return 'movement' in answer
    ? { answer: { kind: 'movement', movement: answer.movement }, at: toIso(at), isLast }
    : null;
}

/** An order that cannot be read is told by the run, which goes on with the others. */
function openOrder(cipher: OrderCipher, stored: unknown, originId: number): TransferOrder | null {
  try {
    return cipher.openOrder(stored, originId);
  } catch {
    return null;
  }
}
