import type { TransferOrder } from '../../domain/order';
import type { FinalJudgement } from '../../domain/post-final';
import type { LookupAnswer } from '../../domain/transfer/answers';
import type { TransferResult } from '../../domain/transfer/result';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import type { JournalContext } from '../context';
import { elapsedSince } from '../elapsed';
import type { Incident, IncidentJson } from './incidents';
import { againWhenLost } from '../lost-race';
import { toIso, toOriginId, toResult } from '../rows';
import type { TransferRow } from '../rows';
import { INCIDENT_JSON, toIncident } from './incidents';

/**
 * An inquiry is a request to the bank outside a run. It is about a transfer after its end, an originId without a
 * transfer, or an open transfer whose run is lost. Claimed before its first byte goes out.
 */
export interface InquiryClaim {
  readonly originId: number;
  /** For audits: a command, the workflow id of a reconciliation, or `notified debit` (`worker/ask-about-debit.ts`). */
  readonly askedBy: string;
  /** `asOf` of the reconciliation that asks; null: no reconciliation asks. */
  readonly asOf: string | null;
  /**
   * For an open transfer whose run is lost: the number of its last request (0: none). The inquiry gets the next number,
   * and the run that is started again continues after it. Null: nothing is claimed for an open transfer.
   */
  readonly lostAfter: number | null;
  readonly gapMs: number;
  /** The gap while the bank's last status is DELAYED. */
  readonly delayedGapMs: number;
  /** Longest time from the claim of a create to its end. */
  readonly createMaxMs: number;
  /** The same for a look-up or an inquiry. */
  readonly lookupMaxMs: number;
}

export type ClaimedInquiry =
  | {
      readonly kind: 'claimed';
      readonly number: number;
      /** `request`: among the numbered requests of a transfer whose run is lost. */
      readonly as: 'inquiry' | 'request';
      /** Null: no such transfer. */
      readonly order: TransferOrder | null;
      /** How the transfer ended; null: open, or no such transfer. */
      readonly result: TransferResult | null;
      /** How long ago the claim was sent. */
      readonly claimAgeMs: number;
    }
  /** This reconciliation already has a readable answer. */
  | { readonly kind: 'answered'; readonly answer: LookupAnswer; readonly at: string }
  | { readonly kind: 'too-soon'; readonly waitMs: number }
  /** Open, and its own run asks. */
  | { readonly kind: 'open' };

export interface InquiryRecord {
  readonly originId: number;
  readonly number: number;
  readonly answer: LookupAnswer;
  /** Null: the transfer has no end to compare the answer with. */
  readonly judgement: FinalJudgement | null;
}

export interface KnownAnswer {
  readonly originId: number;
  readonly answer: LookupAnswer;
  /** ISO UTC. */
  readonly at: string;
}

interface OfRun {
  readonly originId: string;
  readonly startedAt: string;
  readonly workflowId: string;
}

/**
 * SQL: the last readable answer since a reconciliation began, and its time. The answer is to an inquiry of anyone, or
 * to a numbered request that the reconciliation made for a lost run.
 */
export const answerInRun = ({ originId, startedAt, workflowId }: OfRun): string => `
  select l.answer, l.recorded_at from (
    (select a.answer, a.recorded_at from giro.inquiry i join giro.inquiry_answer a using (origin_id, number)
      where i.origin_id = ${originId} and i.claimed_at >= ${startedAt} and a.kind <> 'no-answer'
      order by i.number desc limit 1)
    union all
    (select giro.answer_json(a), a.recorded_at from giro.request r join giro.answer a using (origin_id, number)
      where r.origin_id = ${originId} and r.run_id = ${workflowId} and a.kind in ('movement', 'not-found')
      order by r.number desc limit 1)
  ) l order by l.recorded_at desc limit 1`;

/**
 * The primary keys give each number to one session only; the guards repeat the checks of `known` under the transfer's
 * lock. `request`: SQL of the claim for a lost run, which only the worker may make.
 */
const claimText = (request: string): string => `
with subject as (
  select t.order_json, e.result, t.origin_id is not null and e.origin_id is null as is_open,
    t.origin_id is not null and e.origin_id is null
      and (coalesce(last.number, 0) is distinct from $4::integer or last.kind is not distinct from 'withdrawal') as is_driven
  from (values ($1::bigint)) asked (origin_id)
  left join giro.transfer t using (origin_id)
  left join giro.result e using (origin_id)
  left join lateral (
    select r.number, r.kind from giro.request r where r.origin_id = t.origin_id order by r.number desc limit 1
  ) last on true
), known as (
  select s.*, x.answer, x.recorded_at, greatest(0, extract(epoch from
      giro.may_ask_at($1::bigint, $5, $6, $7, $8) - clock_timestamp()) * 1000)::float8 as wait_ms
  from subject s
  left join giro.reconciliation c on c.as_of = $3::timestamptz
  left join lateral (${answerInRun({ originId: '$1::bigint', startedAt: 'c.started_at', workflowId: '$2::text' })}) x on true
), free as (
  select * from known where wait_ms <= 0 and answer is null and not is_driven
), inquiry as (
  insert into giro.inquiry (origin_id, number, asked_by)
  select $1::bigint, coalesce((select max(i.number) from giro.inquiry i where i.origin_id = $1::bigint), 0) + 1, $2::text
  from free where not is_open
  on conflict (origin_id, number) do nothing
  returning number
), request as (${request})
select known.*, (select number from inquiry) as inquiry, (select number from request) as request from known`;

const claimEndedText = claimText('select null::integer as number');
const claimLostText = claimText(`
  insert into giro.request (origin_id, number, kind, run_id)
  select $1::bigint, $4::integer + 1, 'lookup', $2::text from free where is_open
  on conflict (origin_id, number) do nothing
  returning number
`);

interface Row extends Pick<TransferRow, 'order_json'> {
  readonly result: TransferResult | null;
  readonly is_driven: boolean;
  readonly answer: LookupAnswer | null;
  readonly recorded_at: Date | null;
  readonly wait_ms: number;
  /** The number that was claimed; both null: none. */
  readonly inquiry: number | null;
  readonly request: number | null;
}

/**
 * Claims an inquiry once the gap since the end of the last request about the originId, by any caller, has passed by the
 * journal's clock. Of several callers, exactly one gets the claim.
 */
export async function claimInquiry(
  { database, orders }: JournalContext,
  { originId, askedBy, asOf, lostAfter, ...gaps }: InquiryClaim,
): Promise<ClaimedInquiry> {
  const { gapMs, delayedGapMs, createMaxMs, lookupMaxMs } = gaps;
  return againWhenLost(`inquiry about ${originId}`, async () => {
    let claimAgeMs = elapsedSince();
    const [row] = await database.run<Row>(
      lostAfter === null
        ? { name: 'claim-inquiry', text: claimEndedText }
        : { name: 'claim-inquiry-of-lost-run', text: claimLostText },
      [originId, askedBy, asOf, lostAfter, gapMs, delayedGapMs, createMaxMs, lookupMaxMs],
      { onSend: () => (claimAgeMs = elapsedSince()) },
    );
    if (row === undefined) throw new Error('journal: claim-inquiry gave no row');
    const { inquiry, request, answer, recorded_at: at, wait_ms: waitMs, order_json: order, result } = row;
    const number = inquiry ?? request;
    if (number !== null) {
      return {
        kind: 'claimed',
        number,
        as: inquiry === null ? 'request' : 'inquiry',
        order: order === null ? null : orders.openOrder(order, originId),
        result: result === null ? null : toResult(result),
        claimAgeMs: claimAgeMs(),
      };
    }
    if (answer !== null && at !== null) return { kind: 'answered', answer, at: toIso(at) };
    if (row.is_driven) return { kind: 'open' };
    return waitMs > 0 ? { kind: 'too-soon', waitMs: Math.ceil(waitMs) } : null;
  });
}

/** The table's guard decides whether the answer is an incident. */
const recordText = `
with i as (
  insert into giro.inquiry_answer (origin_id, number, answer, agrees, fact)
  values ($1::bigint, $2::integer, $3::jsonb, $4::boolean, $5::text)
  on conflict (origin_id, number) do nothing
  returning *
)
select ${INCIDENT_JSON} as incident
from i join giro.result e using (origin_id) left join giro.incident_acknowledgement k using (incident_id)
where i.incident_id is not null`;

/**
 * Records the outcome of an inquiry, once. Returns the incident that the answer raises; null: none, or already known.
 */
export async function recordInquiry(
  { database }: JournalContext,
  { originId, number, answer, judgement }: InquiryRecord,
): Promise<Incident | null> {
  const agrees = judgement === null || judgement.kind === 'says-nothing' ? null : judgement.kind === 'agrees';
  const fact = judgement?.kind === 'contradicts' ? judgement.fact : null;
  const [row] = await database.run<{ incident: IncidentJson }>({ name: 'record-inquiry', text: recordText }, [
    ...[originId, number, JSON.stringify(answer), agrees, fact],
  ]);
  return row === undefined ? null : toIncident(row.incident);
}

const ofRunText = `
select w.origin_id, x.answer, x.recorded_at
from unnest($1::bigint[]) as w (origin_id) join giro.reconciliation c on c.as_of = $2
cross join lateral (${answerInRun({ originId: 'w.origin_id', startedAt: 'c.started_at', workflowId: '$3::text' })}) x`;

/** Readable answers about these originIds since the reconciliation began, whoever made the inquiry. */
export async function inquiriesOf(
  { database }: JournalContext,
  { asOf, originIds }: { readonly asOf: string; readonly originIds: readonly number[] },
): Promise<readonly KnownAnswer[]> {
  const rows = await database.run<{
    readonly origin_id: string;
    readonly answer: LookupAnswer;
    readonly recorded_at: Date;
  }>({ name: 'inquiries-of-run', text: ofRunText }, [originIds, asOf, reconciliationWorkflowId(asOf)]);
  return rows.map(({ origin_id, answer, recorded_at }) => ({
    ...{ originId: toOriginId(origin_id), answer, at: toIso(recorded_at) },
  }));
}
