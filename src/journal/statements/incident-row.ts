import { LATE_FACTS } from '../../domain/late-truth';
import type { LateFact } from '../../domain/late-truth';
import type { Incident } from '../final-checks';
import { toIso } from '../rows';

/** An incident as PostgreSQL's JSON. */
export type IncidentJson = Omit<Incident, 'sentence' | 'fact'> & { readonly fact: string };

/** Of `giro.incident i` and, left joined, `giro.incident_acknowledgement k`. */
export const INCIDENT_JSON = `jsonb_build_object(
  'id', i.id, 'originId', i.origin_id, 'fact', i.fact, 'finalStatus', i.final_status, 'bankStatus', i.bank_status,
  'movementId', i.movement_id, 'networkId', i.network_id, 'evidenceSha256', i.evidence_sha256, 'at', i.recorded_at,
  'acknowledged', case when k.incident_id is not null then
    jsonb_build_object('operator', k.operator, 'note', k.note, 'at', k.recorded_at) end)`;

export function toIncident(json: IncidentJson): Incident {
  const { id, originId, finalStatus, bankStatus, movementId, networkId, evidenceSha256, acknowledged } = json;
  return {
    id,
    originId,
    // A newer program may know more facts than this one.
    fact: json.fact as LateFact,
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
  isKnown(fact) ? LATE_FACTS[fact] : 'the bank contradicts how the transfer ended';

const isKnown = (fact: string): fact is LateFact => Object.hasOwn(LATE_FACTS, fact);
