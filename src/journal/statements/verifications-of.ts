import type { JournalContext } from '../context';
import type { KnownVerification } from '../inbox';

const text = `
select v.request_id, o.request_id is not null as is_open
from unnest($1::text[]) as r (request_id)
join giro.verification v using (request_id)
left join giro.open_verification o using (request_id)`;

interface Row {
  readonly request_id: string;
  readonly is_open: boolean;
}

export async function verificationsOf(
  { database }: JournalContext,
  requestIds: readonly string[],
): Promise<readonly KnownVerification[]> {
  if (requestIds.length === 0) return [];
  const rows = await database.run<Row>({ name: 'verifications-of', text }, [requestIds]);
  return rows.map(({ request_id: requestId, is_open: isOpen }) => ({ requestId, isOpen }));
}
