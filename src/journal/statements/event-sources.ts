import type { TransferResult } from '../../domain/transfer/result';
import type {
  AnnulmentEvent,
  DecisionEvent,
  GiroEvent,
  IncidentAcknowledgedEvent,
  IncidentEvent,
} from '../event-feed';
import { toResult } from '../rows';
import { sentenceOf } from './incidents';

/**
 * The tables of the feed. Each has `record_id` (unique, of the sequence giro.record_id), `origin_id`, `recorded_at` and
 * the trigger `enter_feed`. Without the trigger, readers could miss events; a test checks that each table has it.
 */
interface EventSource {
  readonly table: string;
  /** SQL: the source of the event's body, as jsonb, from row `r`; personal values are left out already here. */
  readonly body: string;
}

type Head = 'cursor' | 'at' | 'originId';

/** To add a source, create the trigger in the table's migration, and add an entry here. */
const SOURCES = {
  final: {
    table: 'result',
    body: '(select f.result from giro.result_event f where f.origin_id = r.origin_id)',
  },
  annulment: {
    table: 'annulment',
    body: `jsonb_build_object('id', r.id, 'movementId', r.movement_id, 'network', r.network,
      'networkId', r.network_id, 'amount', r.amount::text, 'currency', r.currency, 'bankStatus', r.bank_status,
      'bankTimes', jsonb_build_object('posting', r.bank_posting_at, 'completed', r.bank_completed_at),
      'evidenceSha256', r.evidence_sha256, 'decidedBy', r.decided_by, 'operators', to_jsonb(r.operators))`,
  },
  flags: {
    table: 'flags',
    body: `jsonb_build_object('open', to_jsonb(r.reasons), 'before', coalesce((
      select to_jsonb(p.reasons) from giro.flags p where p.origin_id = r.origin_id and p.seq = r.seq - 1), '[]'))`,
  },
  decision: {
    table: 'decision',
    body: `jsonb_build_object('id', r.id, 'outcome', r.outcome, 'action', r.action, 'operator', r.operator,
      'operators', to_jsonb(r.operators), 'bankStatus', r.bank_status)`,
  },
  incident: {
    table: 'inquiry_answer',
    body: `jsonb_build_object('id', r.incident_id, 'fact', r.fact,
      'finalStatus', (select e.status from giro.result e where e.origin_id = r.origin_id), 'bankStatus', r.bank_status,
      'movementId', r.movement_id, 'networkId', r.answer #>> '{movement,networkId}',
      'evidenceSha256', r.answer #>> '{movement,evidenceSha256}')`,
  },
  'incident-acknowledged': {
    table: 'incident_acknowledgement',
    body: `jsonb_build_object('incidentId', r.incident_id, 'operator', r.operator)`,
  },
} as const satisfies Record<GiroEvent['kind'], EventSource>;

export const FEED_TABLES: readonly string[] = Object.values(SOURCES).map(({ table }) => table);

/** Rows of all sources with `from` <= record_id <= `to`, each source by its index on record_id. */
export const sourceRows = (from: string, to: string, limit: string): string =>
  Object.entries(SOURCES)
    .map(
      ([kind, { table, body }]) => `(
  select '${kind}' as kind, r.record_id, r.origin_id, r.recorded_at, ${body} as body
  from giro.${table} r where r.record_id between ${from} and ${to}
  order by r.record_id limit ${limit})`,
    )
    .join(' union all ');

/**
 * SQL: the fingerprint of an event in its cursor, besides the number. Times to the microsecond, so that a journal
 * that was restored from an older backup is not mistaken for this one.
 */
export const FINGERPRINT = `left(encode(sha256(convert_to(concat_ws(' ', kind, record_id, origin_id,
    to_char(recorded_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS')), 'UTF8')), 'hex'), 16)`;

/** The last row of each source with `from` <= record_id <= `to`. */
export const lastSourceRows = (from: string, to: string): string =>
  Object.entries(SOURCES)
    .map(
      ([kind, { table }]) => `(
  select '${kind}' as kind, r.record_id, r.origin_id, r.recorded_at
  from giro.${table} r where r.record_id between ${from} and ${to}
  order by r.record_id desc limit 1)`,
    )
    .join(' union all ');

/** The type of `body` for each kind. */
export type EventRow =
  | { readonly kind: 'final'; readonly body: TransferResult }
  | { readonly kind: 'annulment'; readonly body: AnnulmentEvent['annulment'] }
  | { readonly kind: 'decision'; readonly body: DecisionEvent['decision'] }
  | { readonly kind: 'incident'; readonly body: Omit<IncidentEvent['incident'], 'sentence'> }
  | {
      readonly kind: 'incident-acknowledged';
      readonly body: Pick<IncidentAcknowledgedEvent, 'incidentId' | 'operator'>;
    }
  | {
      readonly kind: 'flags';
      readonly body: { readonly open: readonly string[]; readonly before: readonly string[] };
    };

/** The part of an event that its kind decides. */
export type EventBody = WithoutHead<GiroEvent>;

/** Distributes over the kinds, as `Omit` alone does not. */
type WithoutHead<Event> = Event extends GiroEvent ? Omit<Event, Head> : never;

export function toEventBody(row: EventRow): EventBody {
  switch (row.kind) {
    case 'final':
      return { kind: row.kind, result: toResult(row.body) };
    case 'annulment':
      return { kind: row.kind, annulment: row.body };
    case 'decision':
      return { kind: row.kind, decision: row.body };
    case 'incident':
      return { kind: row.kind, incident: { ...row.body, sentence: sentenceOf(row.body.fact) } };
    case 'incident-acknowledged':
      return { kind: row.kind, ...row.body };
    case 'flags': {
      const { open, before } = row.body;
      return {
        kind: row.kind,
        raised: open.filter((reason) => !before.includes(reason)),
        cleared: before.filter((reason) => !open.includes(reason)),
        open,
      };
    }
  }
}
