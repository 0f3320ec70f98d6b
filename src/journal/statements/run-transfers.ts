import type { TransferOrder } from '../../domain/order';
import type { LookupAnswer } from '../../domain/transfer/answers';
import { factsOf, mayBeAtBank } from '../../domain/transfer/facts';
import type { TransferFacts } from '../../domain/transfer/facts';
import type { TransferRecords } from '../../domain/transfer/records';
import type { TransferResult } from '../../domain/transfer/result';
import type { JournalEntry } from '../../reconciliation/books';
import { reconciliationWorkflowId } from '../../reconciliation/run-window';
import { readable } from '../ciphers';
import type { JournalContext } from '../context';
import { toIso, toOriginId, toResult } from '../rows';
import type { TransferRow } from '../rows';
import { answerInRun } from './inquiries';
import { IS_CONFIRMED, UNCONFIRMED_DAYS } from './reconciliation-runs';
import { TRANSFER_LINES } from './transfer-lines';

/** A transfer of a run's list. */
export interface RunTransfer {
  readonly originId: number;
  /** Null: the order does not open: its key is not available, or the row was altered. */
  readonly entry: JournalEntry | null;
  readonly order: TransferOrder | null;
  /** The later of the last readable answer to a request and that to an inquiry after the end; null: none. */
  readonly recorded: RecordedAnswer | null;
  /**
   * The readable answer since this reconciliation began: to an inquiry about an ended transfer, or to a request that
   * the reconciliation made for a lost run. Null: not asked yet.
   */
  readonly askedInRun: RecordedAnswer | null;
  readonly lastRequest: LastRequest | null;
  /** A create of the transfer may have reached the bank; otherwise the bank need not be asked. */
  readonly mayBeAtBank: boolean;
  /**
   * True: the recorded answer is enough. The transfer was opened before the window, has no unresolved break against the
   * bank, and either was confirmed by an earlier reconciliation or has been COMPLETED for over 30 days.
   */
  readonly needsNoInquiry: boolean;
  /** By the journal's clock. */
  readonly openedAgoMs: number;
  readonly sameMovementId: readonly number[];
  readonly sameNetworkId: readonly number[];
}

export interface RecordedAnswer {
  readonly answer: LookupAnswer;
  /** ISO UTC. */
  readonly at: string;
  /** No later request about the transfer, by its run or by a check, has begun or ended. */
  readonly isLast: boolean;
}

export interface LastRequest {
  readonly number: number;
  /** Time since the answer was recorded, or, without an answer, since the claim; by the journal's clock. */
  readonly agoMs: number;
  readonly answered: boolean;
  /** The bank's status that determines the cadence. */
  readonly bankStatus: string | null;
  readonly retryAfterMs: number | null;
}

/** The bank's ids: those in answers whose echo is not a mismatch, and the id that a result names. */
export const names = (answer: string, result: string, column: IdColumn): string =>
  `(${answer}.echo in ('match', 'incomplete') or ${answer}.${column} = ${result} ->> '${RESULT_FIELDS[column]}')`;

const RESULT_FIELDS = { movement_id: 'movementId', network_id: 'networkId' } as const;
export type IdColumn = keyof typeof RESULT_FIELDS;

/** Other transfers with an id that this transfer ever had; symmetric. An array, so that PostgreSQL uses the index. */
const others = (column: IdColumn): string => `
  select coalesce(array_agg(distinct o.origin_id), '{}')
  from giro.answer o left join giro.result x on x.origin_id = o.origin_id
  where o.origin_id <> t.origin_id and ${names('o', 'x.result', column)} and o.${column} = any (array(
    select distinct a.${column} from giro.answer a
    where a.origin_id = t.origin_id and a.${column} is not null and ${names('a', 'e.result', column)}
  ))`;

/**
 * `asked` is the readable answer since this reconciliation began (`askedInRun`), so that a repeated step does not ask
 * again.
 */
const text = `
with page as (
  select i.origin_id, r.as_of, r.started_at, r.from_at from giro.reconciliation_item i join giro.reconciliation r using (as_of)
  where i.as_of = $1 and i.origin_id > $2::bigint
  order by i.origin_id limit $3::integer
)
select t.origin_id, t.opened_at, t.order_json, e.result, e.recorded_at as final_at, ${TRANSFER_LINES} as lines,
  case when n.id is not null then jsonb_build_object('id', n.id, 'movementId', n.movement_id,
    'amount', jsonb_build_object('currency', n.currency, 'value', n.amount::text), 'bankStatus', n.bank_status,
    'decidedBy', n.decided_by, 'recordedAt', n.recorded_at) end as annulment,
  checked.answer as checked_answer, checked.recorded_at as checked_at,
  (select max(greatest(i.claimed_at, a.recorded_at)) from giro.inquiry i left join giro.inquiry_answer a using (origin_id, number)
    where i.origin_id = t.origin_id) as last_check_at,
  asked.answer as asked_answer, asked.recorded_at as asked_at,
  (${others('movement_id')}) as same_movement_id, (${others('network_id')}) as same_network_id,
  t.opened_at < page.from_at
    and (e.status = 'COMPLETED' and e.recorded_at < page.as_of - interval '${UNCONFIRMED_DAYS} days'
      or ${IS_CONFIRMED})
    and not exists (select from giro.break b
      where b.origin_id = t.origin_id and b.state <> 'resolved' and b.book = 'bank') as needs_no_inquiry
from page join giro.transfer t using (origin_id)
left join giro.result e using (origin_id)
left join giro.annulment n using (origin_id)
left join lateral (
  select a.answer, a.recorded_at from giro.inquiry_answer a
  where a.origin_id = t.origin_id and a.kind <> 'no-answer' and a.recorded_at >= e.recorded_at
  order by a.number desc limit 1
) checked on true
left join lateral (${answerInRun({
  ...{ originId: 't.origin_id', startedAt: 'page.started_at', workflowId: '$4::text' },
})}) asked on true
order by t.origin_id`;

interface Row extends Pick<TransferRow, 'origin_id' | 'opened_at' | 'order_json'> {
  readonly result: TransferResult | null;
  readonly final_at: Date | null;
  readonly lines: TransferRecords;
  readonly annulment: NonNullable<JournalEntry['annulment']> | null;
  /** The last readable answer to an inquiry about its end. */
  readonly checked_answer: LookupAnswer | null;
  readonly checked_at: Date | null;
  readonly last_check_at: Date | null;
  readonly asked_answer: LookupAnswer | null;
  readonly asked_at: Date | null;
  readonly same_movement_id: string[];
  readonly same_network_id: string[];
  readonly needs_no_inquiry: boolean;
}

/** The next transfers of a run's list, by originId; `after` 0: from the first. */
export async function runPage(
  { database, orders }: JournalContext,
  page: { readonly asOf: string; readonly after: number; readonly limit: number },
): Promise<readonly RunTransfer[]> {
  const rows = await database.run<Row>({ name: 'reconciliation-page', text }, [
    ...[page.asOf, page.after, page.limit, reconciliationWorkflowId(page.asOf)],
  ]);
  return rows.map((row) => {
    const originId = toOriginId(row.origin_id);
    const order = readable(() => orders.openOrder(row.order_json, originId));
    const facts = factsOf(row.lines);
    return {
      ...{ originId, order },
      entry: order === null ? null : toEntry(row, originId, order, facts),
      recorded: recordedOf(facts, row),
      askedInRun: toRecorded(row.asked_answer, row.asked_at, true),
      openedAgoMs: Math.max(0, facts.readAtMs - facts.openedAtMs),
      mayBeAtBank: mayBeAtBank(facts),
      lastRequest: lastRequestOf(facts),
      sameMovementId: row.same_movement_id.map(toOriginId),
      sameNetworkId: row.same_network_id.map(toOriginId),
      needsNoInquiry: row.needs_no_inquiry,
    };
  });
}

function toEntry(row: Row, originId: number, order: TransferOrder, facts: TransferFacts): JournalEntry {
  const { annulment } = row;
  const { movementId, networkId, wasDelayed, echo } = facts.bank;
  return {
    ...{ originId, movementId, networkId, wasDelayed, movementIds: echo.movementIds },
    openedAt: toIso(row.opened_at),
    amount: { currency: order.body.currencyId, value: order.body.amount },
    from: order.from.address,
    to: order.to.address,
    result: row.result === null ? null : toResult(row.result),
    finalAt: row.final_at === null ? null : toIso(row.final_at),
    annulment: annulment === null ? null : { ...annulment, recordedAt: toIso(annulment.recordedAt) },
    flags: facts.openFlags.map(({ reason, sinceMs }) => ({ reason, since: isoOf(sinceMs) })),
    sends: facts.sends.count,
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** The later of the last readable answer to the transfer's requests and that to inquiries after its end. */
function recordedOf({ lastReadable, lastRequest }: TransferFacts, row: Row): RecordedAnswer | null {
  const lastCheckMs = row.last_check_at?.getTime() ?? 0;
  const lastRequestMs = Math.max(lastRequest?.claimedAtMs ?? 0, lastRequest?.answeredAtMs ?? 0);
  const lastMs = Math.max(lastCheckMs, lastRequest?.kind === 'withdrawal' ? 0 : lastRequestMs);
  const checkedMs = row.checked_at?.getTime() ?? 0;
  if (lastReadable === null || checkedMs > lastReadable.atMs)
    return toRecorded(row.checked_answer, row.checked_at, checkedMs >= lastMs);
  const { atMs } = lastReadable;
  const answer: LookupAnswer =
    lastReadable.kind === 'movement'
      ? { kind: 'movement', movement: lastReadable.movement }
      : { kind: 'not-found' };
  return toRecorded(answer, new Date(atMs), atMs >= lastMs);
}

function lastRequestOf({ lastRequest, lastNumber, readAtMs, bank }: TransferFacts): LastRequest | null {
  if (lastRequest === null) return null;
  const { claimedAtMs, answeredAtMs, retryAfterMs } = lastRequest;
  return {
    number: lastNumber,
    agoMs: Math.max(0, readAtMs - Math.max(claimedAtMs, answeredAtMs ?? 0)),
    answered: answeredAtMs !== null,
    bankStatus: bank.lastStatus,
    retryAfterMs,
  };
}

function toRecorded(answer: LookupAnswer | null, at: Date | null, isLast: boolean): RecordedAnswer | null {
  return answer === null || at === null ? null : { answer, at: at.toISOString(), isLast };
}
