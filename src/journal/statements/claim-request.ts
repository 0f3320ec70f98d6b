import type { TransferOrder } from '../../domain/order';
import type { CreateAnswer, LookupAnswer } from '../../domain/transfer/answers';
import type { RequestKind, SendingStop } from '../../domain/transfer/records';
import type { TransferResult } from '../../domain/transfer/result';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import { elapsedSince } from '../elapsed';
import { JournalChanged } from '../errors';
import { againWhenLost } from '../lost-race';
import { msSince, toIso, toResult } from '../rows';
import type { TransferRow } from '../rows';
import { stopOf } from '../seen-brake';
import type { BrakeChange } from '../seen-brake';
import { recoverStop } from './lost-stop';

export interface RequestClaim {
  readonly originId: number;
  readonly number: number;
  readonly kind: RequestKind;
  /** Who claims: workflow run id, for audits. */
  readonly runId: string;
  /**
   * For a create: for how long after this claim the create may be repeated. The window of the first create that may
   * have reached the bank applies to all repeats.
   */
  readonly resendWindowMs?: number;
  /** For a create: how long its bytes may be in flight if no outcome is recorded. Default: an hour. */
  readonly inFlightMs?: number;
  /** The journal (`giro.journal_id`) that vouched for this claim: no other journal may grant it. */
  readonly onlyIn?: string;
}

export type ClaimedRequest =
  | {
      readonly kind: 'claimed';
      /** Null: the row was altered, so the order does not open. */
      readonly order: TransferOrder | null;
      /** The order's proof; null: none. */
      readonly proof: string | null;
      /** When the journal received the order. */
      readonly openedAt: Date;
      /** False: the order is in clear although orders are sealed. */
      readonly isBelieved: boolean;
      /** Fingerprints of the order and of its create body, recorded at receipt. */
      readonly orderSha256: string;
      readonly bodySha256: string;
      /** Digest of the latest recorded answer of this transfer; null: none. */
      readonly lastDigest: string | null;
      /** From sending the statement until its answer arrived; never too short. */
      readonly claimAgeMs: number;
    }
  | {
      /** Claimed before: never send it again. */
      readonly kind: 'repeated';
      readonly requestKind: RequestKind;
      /** The recorded answer; null: none. */
      readonly answer: CreateAnswer | LookupAnswer | null;
      /** Age of the claim by the journal's clock: the request may be in flight until its time-out has passed. */
      readonly claimAgeMs: number;
      /** Claimed by the run that claims now. */
      readonly isOwn: boolean;
    }
  /**
   * The create may not leave (`giro.create_refusal`):
   *
   * - three creates may have reached the bank,
   * - the window is over by the journal's clock,
   * - a look-up has found a movement,
   * - the journal has lost requests of the transfer, or
   * - neither look-ups nor operators permit a repeat.
   */
  | { readonly kind: 'denied' }
  /** The emergency brake is on: the create was not claimed, and its number is still free. */
  | { readonly kind: 'held-back'; readonly stop: SendingStop }
  /** The withdrawal came too late: a create may have reached the bank. */
  | { readonly kind: 'too-late' }
  /** Withdrawn or ended meanwhile. */
  | { readonly kind: 'ended'; readonly result: TransferResult | null }
  /** The transfer is unknown, or `number` does not follow `lastNumber`: this is not the journal that the run knew. */
  | { readonly kind: 'out-of-order'; readonly lastNumber: number };

/**
 * The primary key gives a number to one session only. `known` checks the rules in the claim's own snapshot; the table's
 * guard repeats the checks with a fresh snapshot under the transfer's lock. A withdrawal is always the last number, and
 * needs no order. `lacks_key`: the key id at the beginning of a sealed order is not available; text of another form was
 * altered.
 */
const text = `
with brake as (
  select s.stopped, s.operator, s.reason, s.recorded_at from giro.sending s order by s.record_id desc limit 1
), known as (
  select t.order_json, t.proof, t.opened_at, t.order_sha256, t.create_body_sha256, e.result, coalesce(last.number, 0) as last_number,
    e.origin_id is not null or last.kind is not distinct from 'withdrawal' as ended,
    $3::text = 'withdrawal' and exists (
      select from giro.perhaps_sent p where p.origin_id = t.origin_id
    ) as too_late,
    $3::text = 'create' and giro.create_refusal(t.origin_id) is not null as denied,
    $3::text = 'create' and coalesce((select b.stopped from brake b), false) as held_back,
    $3::text = 'create' and $9::timestamptz is not null and not exists (
      select from brake b where b.stopped or b.recorded_at >= $9::timestamptz
    ) as is_stop_lost,
    $3::text <> 'withdrawal' and jsonb_typeof(t.order_json) = 'string' and coalesce(
      substring(t.order_json #>> '{}' from '^([A-Za-z0-9._-]{1,64}):') <> all ($6::text[]), false
    ) as lacks_key,
    $8::text is not null and giro.journal_id() <> $8::text as is_elsewhere
  from giro.transfer t
  left join giro.result e using (origin_id)
  left join lateral (
    select r.number, r.kind from giro.request r where r.origin_id = t.origin_id order by r.number desc limit 1
  ) last on true
  where t.origin_id = $1::bigint
), claimed as (
  insert into giro.request (origin_id, number, kind, run_id, resend_until, in_flight_until)
  select $1::bigint, $2::integer, $3::text, $4::text,
    case when $3::text = 'create' then clock_timestamp() + make_interval(secs => $5::double precision / 1000) end,
    case when $3::text = 'create' then clock_timestamp() + make_interval(secs => $7::double precision / 1000) end
  from known
  where $2::integer = last_number + 1 and not ended and not too_late and not denied and not held_back and not lacks_key
    and not is_elsewhere and not is_stop_lost
  on conflict (origin_id, number) do nothing
  returning number
)
select known.*, exists (select from claimed) as claimed, latest.digest as last_digest,
  before.kind as before_kind, before.run_id = $4::text as before_own, ${msSince('before.claimed_at')} as before_age_ms,
  case when what.number is not null then giro.answer_json(what) end as before_answer,
  brake.stopped, brake.recorded_at as changed_at, brake.operator as changed_by, brake.reason as changed_for
from known left join brake on true
left join giro.request before on before.origin_id = $1::bigint and before.number = $2::integer
left join giro.answer what on what.origin_id = $1::bigint and what.number = $2::integer
left join lateral (
  -- After a decision of operators the next answer counts anew, so it is recorded even if it is equal.
  select case when not exists (
    select from giro.decision d where d.origin_id = a.origin_id and d.record_id > a.record_id
  ) then a.digest end as digest
  from giro.answer a where a.origin_id = $1::bigint order by a.number desc limit 1
) latest on true`;

interface Row extends Pick<
  TransferRow,
  'order_json' | 'proof' | 'opened_at' | 'order_sha256' | 'create_body_sha256'
> {
  readonly result: TransferResult | null;
  readonly last_number: number;
  readonly ended: boolean;
  readonly too_late: boolean;
  readonly denied: boolean;
  readonly claimed: boolean;
  readonly last_digest: string | null;
  /** Kind of the request that already had the number; null: this statement saw none. */
  readonly before_kind: RequestKind | null;
  readonly before_own: boolean;
  readonly before_age_ms: number;
  readonly before_answer: CreateAnswer | LookupAnswer | null;
  readonly held_back: boolean;
  /** This process has seen a `sending stop` that the journal lacks. */
  readonly is_stop_lost: boolean;
  readonly lacks_key: boolean;
  readonly is_elsewhere: boolean;
  /** The last change of the emergency brake; nulls: none. */
  readonly stopped: boolean | null;
  readonly changed_at: Date | null;
  readonly changed_by: string | null;
  readonly changed_for: string | null;
}

/**
 * Claims request `number` of a transfer before its first byte goes out. Numbers run 1, 2, 3…, and exactly one caller
 * gets `claimed` for each. A number is claimable only if it follows the last one and the transfer has not ended. A
 * withdrawal is a claim too, so withdrawal and create exclude each other. A withdrawal is granted only if every claimed
 * create is recorded as not sent.
 *
 * @throws SealError the key that sealed the order is not available; nothing was claimed
 * @throws JournalChanged this is not the journal of `onlyIn`; nothing was claimed
 */
export async function claimRequest(
  context: JournalContext,
  { originId, number, kind, runId, resendWindowMs, inFlightMs, onlyIn }: RequestClaim,
): Promise<ClaimedRequest> {
  const { database, orders, brake } = context;
  return againWhenLost(`claim ${number} of transfer ${originId}`, async () => {
    let claimAgeMs = elapsedSince();
    const [row] = await database.run<Row>(
      { name: 'claim-request', text },
      () => [
        ...[originId, number, kind, runId],
        ...[resendWindowMs ?? null, orders.keyIds, inFlightMs ?? null, onlyIn ?? null],
        brake.stop()?.at ?? null,
      ],
      { onSend: () => (claimAgeMs = elapsedSince()) },
    );
    if (row === undefined) return { kind: 'out-of-order', lastNumber: 0 };
    const change = changeIn(row);
    if (change !== null) brake.see(change);
    if (row.claimed) {
      return {
        kind: 'claimed',
        order: readable(() => orders.openOrder(row.order_json, originId)),
        proof: row.proof,
        openedAt: row.opened_at,
        isBelieved: orders.isBelieved(row.order_json, row.opened_at),
        orderSha256: row.order_sha256,
        bodySha256: row.create_body_sha256,
        lastDigest: row.last_digest,
        claimAgeMs: claimAgeMs(),
      };
    }
    // A number that was claimed before has the same outcome as then, even if more has happened since: a reset run
    // repeats its steps.
    if (row.before_kind !== null) {
      return {
        kind: 'repeated',
        requestKind: row.before_kind,
        answer: row.before_answer,
        claimAgeMs: row.before_age_ms,
        isOwn: row.before_own,
      };
    }
    if (row.ended) return { kind: 'ended', result: row.result === null ? null : toResult(row.result) };
    if (row.is_elsewhere) {
      throw new JournalChanged(
        `request ${number} of transfer ${originId}: another journal answers than the one that vouched for it`,
      );
    }
    if (number !== row.last_number + 1) return { kind: 'out-of-order', lastNumber: row.last_number };
    if (row.too_late) return { kind: 'too-late' };
    if (row.denied) return { kind: 'denied' };
    if (row.is_stop_lost) {
      const lost = brake.stop();
      if (lost !== null) await recoverStop(context, lost);
      return null;
    }
    if (row.held_back && change !== null) return { kind: 'held-back', stop: stopOf(change) };
    if (row.lacks_key) orders.openOrder(row.order_json, originId);
    return null; // another session has just claimed it
  });
}

const changeIn = ({ stopped, changed_at, changed_by, changed_for }: Row): BrakeChange | null =>
  changed_at === null
    ? null
    : {
        stopped: stopped ?? false,
        at: toIso(changed_at),
        operator: changed_by ?? '',
        reason: changed_for ?? '',
      };
