import type { Database } from '../database';
import type { Incident } from '../incidents';
import type { InquiryRecord } from '../inquiries';
import { INCIDENT_JSON, toIncident } from './incident-row';
import type { IncidentJson } from './incident-row';

/** The table's guard says whether the answer is an incident. */
const text = `
with i as (
  insert into giro.inquiry_answer (origin_id, number, answer, agrees, fact)
  values ($1::bigint, $2::integer, $3::jsonb, $4::boolean, $5::text)
  on conflict (origin_id, number) do nothing
  returning *
)
select ${INCIDENT_JSON} as incident
from i join giro.result e using (origin_id) left join giro.incident_acknowledgement k using (incident_id)
where i.incident_id is not null`;

export async function recordInquiry(
  database: Database,
  { originId, number, answer, judgement }: InquiryRecord,
): Promise<Incident | null> {
  const agrees = judgement === null || judgement.kind === 'says-nothing' ? null : judgement.kind === 'agrees';
  const fact = judgement?.kind === 'contradicts' ? judgement.fact : null;
  const [row] = await database.run<{ incident: IncidentJson }>({ name: 'record-inquiry', text }, [
    ...[originId, number, JSON.stringify(answer), agrees, fact],
  ]);
  return row === undefined ? null : toIncident(row.incident);
}
