import type { Database } from '../database';
import type { Acknowledged, Incident, NewAcknowledgement } from '../incidents';
import { INCIDENT_JSON, INCIDENTS, toIncident } from './incident-row';
import type { IncidentJson } from './incident-row';

const listText = `
select ${INCIDENT_JSON} as incident from ${INCIDENTS}
where i.record_id is not null and (not $1::boolean or k.incident_id is null)
order by i.record_id desc limit $2::integer`;

export async function incidents(
  database: Database,
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

/** Two statements: one that writes does not see what another session has just written, nor its own row. */
export async function acknowledgeIncident(
  database: Database,
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
