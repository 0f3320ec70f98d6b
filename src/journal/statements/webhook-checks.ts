import type { WebhookFinding } from '../../domain/webhook-subscriptions';
import type { JournalContext } from '../context';

const text = `
insert into giro.webhook_check (findings)
select $1::jsonb
where $1::jsonb is distinct from coalesce(
  (select c.findings from giro.webhook_check c order by c.record_id desc limit 1), '[]'::jsonb)
returning record_id`;

/** Writes a line if the deviations differ from the last line (no line: no deviations). Returns whether it did. */
export async function recordWebhookFindings(
  { database }: JournalContext,
  findings: readonly WebhookFinding[],
): Promise<boolean> {
  const rows = await database.run({ name: 'record-webhook-findings', text }, [JSON.stringify(findings)]);
  return rows.length === 1;
}
