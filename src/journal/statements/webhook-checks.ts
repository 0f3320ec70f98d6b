import type { WebhookDeviation } from '../../domain/webhook-subscriptions';
import type { JournalContext } from '../context';

const text = `
insert into giro.webhook_check (findings)
select $1::jsonb
where $1::jsonb is distinct from coalesce(
  (select c.findings from giro.webhook_check c order by c.record_id desc limit 1), '[]'::jsonb)
returning record_id`;

/**
 * Writes a row if the deviations differ from those of the last row (no row: no deviations). Returns whether it wrote
 * one.
 */
export async function recordWebhookFindings(
  { database }: JournalContext,
  findings: readonly WebhookDeviation[],
): Promise<boolean> {
  const rows = await database.run({ name: 'record-webhook-findings', text }, [JSON.stringify(findings)]);
  return rows.length === 1;
}
