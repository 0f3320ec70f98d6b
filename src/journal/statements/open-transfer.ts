import { NO_PAST } from '../../domain/transfer/past';
import type { KnownRequests, RequestKind, TransferPast } from '../../domain/transfer/past';
import type { TransferResult } from '../../domain/transfer/result';
import type { Database } from '../database';
import { againWhenLost } from '../lost-race';
import type { OrderCipher } from '../order-cipher';
import type { OpenedTransfer, TransferOpening } from '../port';
import { restoredAt } from '../restored-at';
import { msSince, toResult } from '../rows';

/** Where the answer's originId stands on the wire (`src/domain/transfer/movement-seen.ts`). */
const ORIGIN_ID_PATH = 'details.originId';

/**
 * `send`: creates that may have reached the bank. `seen`: every recorded movement that a look-up found, and that of a
 * create whose echo is not a mismatch. `ours`: of these the ones whose echo is not a mismatch; ids are the first that
 * were told, `since` is that of the first in the unbroken run of the last status. `decided`: since which record
 * operators have taken over, doubts of identity are settled, and ids are told anew. `marked`: the run knows of more
 * requests than the journal. `lost_end`: an end that operators accepted last and that is not written down.
 */
const text = `
with opened as (
  insert into giro.transfer (origin_id, order_sha256, order_json, create_body)
  select $1::bigint, $2, $3::jsonb, $4 where $5::boolean
  on conflict (origin_id) do nothing
  returning origin_id
), decided as (
  select count(*) filter (where d.action in ('resume', 'resend')) > 0 as took_over,
    coalesce(max(d.record_id), 0) as looked_at,
    coalesce(max(d.record_id) filter (where d.action = 'resend'), 0) as resent_at
  from giro.decision d
  where d.origin_id = $1 and (d.outcome = 'resumed' or d.outcome = 'accepted' and d.action = 'resend')
), send as (
  select count(*)::integer as sends, min(r.claimed_at) as first_at, max(r.claimed_at) as last_at,
    jsonb_agg(a.answer) as answers
  from giro.request r left join giro.answer a using (origin_id, number)
  where r.origin_id = $1 and r.kind = 'create' and a.kind is distinct from 'not-sent'
), seen as (
  select a.*, a.kind = 'movement' as looked_up, a.record_id > (select resent_at from decided) as is_latest, a.echo in ('match', 'incomplete') as ours
  from giro.answer a
  where a.origin_id = $1 and (a.kind = 'movement' or a.kind = 'answered' and a.echo in ('match', 'incomplete'))
), movement as (
  select (array_agg(m.bank_status order by m.number desc))[1] as bank_status,
    (array_agg(m.movement_id order by m.number) filter (where m.is_latest and m.movement_id is not null))[1] as movement_id,
    (array_agg(m.network order by m.number desc) filter (where m.network is not null))[1] as network,
    (array_agg(m.network_id order by m.number) filter (where m.is_latest and m.network_id is not null))[1] as network_id,
    (array_agg(m.recorded_at order by m.number desc) filter (where m.changed))[1] as since_at,
    min(m.number) filter (where m.is_latest and m.movement_id is not null) as identified_by
  from (
    select s.*, s.bank_status is distinct from lag(s.bank_status) over (order by s.number) as changed
    from seen s where s.ours
  ) m
), doubt as (
  select exists (select from seen) as saw_movement,
    (select s.bank_status from seen s order by s.number desc limit 1) as last_word,
    exists (
      select from seen s
      where s.record_id > (select looked_at from decided) and (s.looked_up and not s.ours and s.answer -> 'movement' -> 'echoFields' ? '${ORIGIN_ID_PATH}'
        or s.number > m.identified_by and s.movement_id <> m.movement_id)
    ) as identity_doubted
  from movement m
), marked as (
  insert into giro.restoration (origin_id)
  select $1::bigint from send
  where ($6::integer > coalesce((select max(r.number) from giro.request r where r.origin_id = $1), 0) or $7::integer > send.sends)
    and (exists (select from opened) or exists (select from giro.transfer t where t.origin_id = $1 and t.order_sha256 = $2))
    and not exists (select from giro.result e where e.origin_id = $1)
  returning recorded_at
)
select exists (select from opened) as is_new, exists (select from marked) as is_marked, t.order_sha256, e.result,
  last.number as last_number, last.kind as last_kind, ${msSince('last.claimed_at')} as since_last_claim_ms,
  last.answered, last.retry_after_ms,
  send.sends, ${msSince('send.first_at')} as since_first_send_ms, ${msSince('send.last_at')} as since_last_send_ms,
  case when send.sends = 1 then send.answers -> 0 end as only_answer,
  (select count(*)::integer from giro.request r where r.origin_id = $1 and r.kind = 'lookup') as polls,
  m.bank_status, m.movement_id, m.network, m.network_id, ${msSince('m.since_at')} as since_status_ms,
  d.saw_movement, d.last_word, d.identity_doubted, decided.took_over,
  (select p.id from giro.live_proposals($1) p order by p.seq desc limit 1) as open_proposal,
  (select f.reasons from giro.flags f where f.origin_id = $1 order by f.seq desc limit 1) as open_flags,
  lost_end.id as lost_end, (
    select f.reasons from giro.flags f where f.origin_id = $1 and f.record_id < lost_end.record_id
    order by f.seq desc limit 1
  ) as lost_end_flags,
  ${msSince('t.opened_at')} as since_opened_ms,
  x.restored_at is not null as restored, ${msSince('x.restored_at')} as since_restored_ms
from send cross join movement m cross join doubt d cross join decided
left join giro.transfer t on t.origin_id = $1
left join giro.result e on e.origin_id = $1
left join lateral (
  select coalesce((select m.recorded_at from marked m), ${restoredAt('t')}) as restored_at
) x on true
left join lateral (
  select latest.id, latest.record_id from (
    select d.id, d.record_id, d.outcome, d.action from giro.decision d where d.origin_id = $1 order by d.seq desc limit 1
  ) latest where latest.outcome = 'accepted' and latest.action <> 'resend'
) lost_end on true
left join lateral (
  select r.number, r.kind, r.claimed_at, a.number is not null as answered,
    coalesce(a.answer ->> 'retryAfterMs', a.answer -> 'error' ->> 'retryAfterMs')::double precision as retry_after_ms
  from giro.request r left join giro.answer a using (origin_id, number)
  where r.origin_id = $1 order by r.number desc limit 1
) last on true`;

/** Ages are `greatest(0, null)` = 0 in PostgreSQL, so each is read only when its record is there. */
interface Row {
  readonly is_new: boolean;
  readonly is_marked: boolean;
  /** Null for a new transfer, and for one whose row another session has just inserted. */
  readonly order_sha256: string | null;
  readonly result: TransferResult | null;
  readonly last_number: number | null;
  readonly last_kind: RequestKind | null;
  readonly since_last_claim_ms: number;
  readonly answered: boolean | null;
  readonly retry_after_ms: number | null;
  readonly sends: number;
  readonly since_first_send_ms: number;
  readonly since_last_send_ms: number;
  readonly only_answer: {
    readonly kind: string;
    readonly httpStatus: number;
    readonly code: string | null;
  } | null;
  readonly polls: number;
  readonly bank_status: string | null;
  readonly movement_id: string | null;
  readonly network: string | null;
  readonly network_id: string | null;
  readonly since_status_ms: number;
  readonly saw_movement: boolean;
  readonly last_word: string | null;
  readonly identity_doubted: boolean;
  readonly took_over: boolean;
  /** Id of its line. */
  readonly open_proposal: string | null;
  readonly open_flags: readonly string[] | null;
  /** Id of its line. */
  readonly lost_end: string | null;
  readonly lost_end_flags: readonly string[] | null;
  readonly since_opened_ms: number;
  readonly restored: boolean;
  readonly since_restored_ms: number;
}

const NOTHING_KNOWN: KnownRequests = { lastNumber: 0, sends: 0 };

export async function openTransfer(
  database: Database,
  cipher: OrderCipher,
  { order, orderSha256, createBody, mayBeNew = true, known = NOTHING_KNOWN }: TransferOpening,
): Promise<OpenedTransfer> {
  const values = [
    order.originId,
    orderSha256,
    JSON.stringify(cipher.sealOrder(order)),
    cipher.sealBody(createBody, order.originId),
    mayBeNew,
    known.lastNumber,
    known.sends,
  ];
  return againWhenLost(`opening transfer ${order.originId}`, async () => {
    const [row] = await database.run<Row>({ name: 'open-transfer', text }, values);
    if (row?.is_new === true) {
      return { kind: 'open', past: row.is_marked ? { ...NO_PAST, sinceRestoredMs: 0 } : NO_PAST };
    }
    if (row === undefined || row.order_sha256 === null) return mayBeNew ? null : { kind: 'unknown' };
    if (row.order_sha256 !== orderSha256) return { kind: 'conflict' };
    if (row.result !== null) return { kind: 'ended', result: toResult(row.result) };
    return { kind: 'open', past: toPast(row) };
  });
}

function toPast(row: Row): TransferPast {
  const { only_answer: answer } = row;
  return {
    lastNumber: row.last_number ?? 0,
    lastClaim:
      row.last_kind === null
        ? null
        : {
            kind: row.last_kind,
            agoMs: row.since_last_claim_ms,
            answered: row.answered === true,
            retryAfterMs: row.retry_after_ms,
          },
    sends: row.sends,
    sinceFirstSendMs: row.sends === 0 ? null : row.since_first_send_ms,
    sinceLastSendMs: row.sends === 0 ? null : row.since_last_send_ms,
    refusal: answer?.kind === 'refused' ? { httpStatus: answer.httpStatus, code: answer.code } : null,
    polls: row.polls,
    lastMovement:
      row.bank_status === null
        ? null
        : {
            status: row.bank_status,
            movementId: row.movement_id,
            network: row.network,
            networkId: row.network_id,
            sinceMs: row.since_status_ms,
          },
    lastWord: row.last_word,
    sawMovement: row.saw_movement,
    identityDoubted: row.identity_doubted,
    openProposal: row.open_proposal,
    operatorsTookOver: row.took_over,
    openFlags: row.open_flags ?? [],
    lostAcceptance: row.lost_end === null ? null : { id: row.lost_end, openFlags: row.lost_end_flags ?? [] },
    sinceOpenedMs: row.since_opened_ms,
    sinceRestoredMs: row.restored ? row.since_restored_ms : null,
  };
}
