import type { Database } from '../database';
import type { FinalAnswerRecord, Incident } from '../final-checks';
import { againWhenLost } from '../lost-race';
import { INCIDENT_JSON, toIncident } from './incident-row';
import type { IncidentJson } from './incident-row';

const answerText = `
insert into giro.final_answer (origin_id, seq, answer, agrees)
values ($1::bigint, $2::integer, $3::jsonb, $4::boolean)
on conflict (origin_id, seq) do nothing`;

/** The table's guard refuses a fact that is known, whoever wrote it a moment ago; a look again then finds it. */
const incidentText = `
with raised as (
  insert into giro.incident (origin_id, seq, fact, final_status, bank_status, movement_id, network_id, evidence_sha256)
  select a.origin_id, a.seq, $3::text, e.status, a.bank_status, a.answer #>> '{movement,movementId}',
    a.answer #>> '{movement,networkId}', a.answer #>> '{movement,evidenceSha256}'
  from giro.final_answer a join giro.result e using (origin_id)
  where a.origin_id = $1::bigint and a.seq = $2::integer and not exists (
    select from giro.incident i
    where i.origin_id = a.origin_id and i.fact = $3::text and not exists (
      select from giro.final_answer b where b.origin_id = i.origin_id and b.seq > i.seq and b.agrees
    )
  )
  returning *
)
select ${INCIDENT_JSON} as incident
from raised i left join giro.incident_acknowledgement k on k.incident_id = i.id`;

/**
 * Two statements: the answer is kept even if the incident cannot be written at this moment; the next check that meets
 * the same fact writes it then.
 */
export async function recordFinalAnswer(
  database: Database,
  { originId, seq, answer, judgement }: FinalAnswerRecord,
): Promise<Incident | null> {
  const agrees = judgement.kind === 'says-nothing' ? null : judgement.kind === 'agrees';
  await database.run({ name: 'record-final-answer', text: answerText }, [
    ...[originId, seq, JSON.stringify(answer), agrees],
  ]);
  if (judgement.kind !== 'contradicts') return null;
  const [row] = await againWhenLost(`incident of transfer ${originId}`, () =>
    database.run<{ incident: IncidentJson }>({ name: 'record-incident', text: incidentText }, [
      ...[originId, seq, judgement.fact],
    ]),
  );
  return row === undefined ? null : toIncident(row.incident);
}
