import { CONTRADICTIONS } from '../../domain/post-final';
import type { Contradiction } from '../../domain/post-final';
import type { TransferResult } from '../../domain/transfer/result';
import type { JournalContext } from '../context';
import { toIso } from '../rows';

/** A final that the bank contradicted. The result never changes, and only people close an incident. */
export interface Incident {
  readonly id: string;
  readonly originId: number;
  readonly fact: Contradiction;
  /** For people. */
  readonly sentence: string;
  /** How the transfer ended. */
  readonly finalStatus: TransferResult['status'];
  /** Status of the contradicting answer, like the ids; null: the answer had no status, or found nothing. */
  readonly bankStatus: string | null;
  readonly movementId: string | null;
  readonly networkId: string | null;
  readonly evidenceSha256: string | null;
  /** ISO UTC. */
  readonly at: string;
  readonly acknowledged: Acknowledgement | null;
}

export interface Acknowledgement {
  readonly operator: string;
  readonly note: string;
  /** ISO UTC. */
  readonly at: string;
}

export interface NewAcknowledgement {
  readonly incidentId: string;
  readonly operator: string;
  readonly note: string;
}

export interface Acknowledged {
  readonly incident: Incident;
  /** False: somebody had done so before, see `incident.acknowledged`. */
  readonly now: boolean;
}

/** An incident as PostgreSQL's JSON. */
export type IncidentJson = Omit<Incident, 'sentence' | 'fact'> & { readonly fact: string };

/** SQL: answers of inquiries with the result and the acknowledgement. */
const INCIDENTS = `giro.inquiry_answer i join giro.result e using (origin_id)
  left join giro.incident_acknowledgement k using (incident_id)`;

/** SQL: an `IncidentJson` from a row of `INCIDENTS`. */
export const INCIDENT_JSON = `jsonb_build_object(
  'id', i.incident_id, 'originId', i.origin_id, 'fact', i.fact, 'finalStatus', e.status, 'bankStatus', i.bank_status,
  'movementId', i.movement_id, 'networkId', i.answer #>> '{movement,networkId}',
  'evidenceSha256', i.answer #>> '{movement,evidenceSha256}', 'at', i.recorded_at,
  'acknowledged', case when k.incident_id is not null then
    jsonb_build_object('operator', k.operator, 'note', k.note, 'at', k.recorded_at) end)`;

export function toIncident(json: IncidentJson): Incident {
  const { id, originId, finalStatus, bankStatus, movementId, networkId, evidenceSha256, acknowledged } = json;
  return {
    id,
    originId,
    // A newer program may have recorded a fact that this one does not know.
    fact: json.fact as Contradiction,
    sentence: sentenceOf(json.fact),
    finalStatus,
    bankStatus,
    movementId,
    networkId,
    evidenceSha256,
    at: toIso(json.at),
    acknowledged: acknowledged === null ? null : { ...acknowledged, at: toIso(acknowledged.at) },
  };
}

export const sentenceOf = (fact: string): string =>
  isKnown(fact) ? CONTRADICTIONS[fact] : 'the bank contradicts how the transfer ended';

const isKnown = (fact: string): fact is Contradiction => Object.hasOwn(CONTRADICTIONS, fact);

const listText = `
select ${INCIDENT_JSON} as incident from ${INCIDENTS}
where i.record_id is not null and (not $1::boolean or k.incident_id is null)
order by i.record_id desc limit $2::integer`;

/** Newest first. `open`: those that nobody has acknowledged. */
export async function incidents(
  { database }: JournalContext,
  { open, limit }: { readonly open: boolean; readonly limit: number },
): Promise<readonly Incident[]> {
  const rows = await database.run<{ incident: IncidentJson }>(
    { name: 'incidents', text: listText, replan: true },
    [open, limit],
  );
  return rows.map(({ incident }) => toIncident(incident));
}

const acknowledgeText = `
insert into giro.incident_acknowledgement (incident_id, origin_id, operator, note)
select i.incident_id, i.origin_id, $2::text, $3::text from giro.inquiry_answer i where i.incident_id = $1::uuid
on conflict (incident_id) do nothing
returning incident_id`;

const oneText = `
select ${INCIDENT_JSON} as incident from ${INCIDENTS} where i.incident_id = $1::uuid`;

/**
 * Acknowledges an incident, which then needs no more attention but stays recorded. Null: no such incident. Two
 * statements, because a writing statement sees neither a concurrent write nor its own row.
 */
export async function acknowledgeIncident(
  { database }: JournalContext,
  { incidentId, operator, note }: NewAcknowledgement,
): Promise<Acknowledged | null> {
  const written = await database.run({ name: 'acknowledge-incident', text: acknowledgeText }, [
    ...[incidentId, operator, note],
  ]);
  const [row] = await database.run<{ incident: IncidentJson }>({ name: 'incident', text: oneText }, [
    incidentId,
  ]);
  return row === undefined ? null : { incident: toIncident(row.incident), now: written.length > 0 };
}
