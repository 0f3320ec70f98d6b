import type { JournalContext } from '../context';
import type { VerificationTurnPage, VerificationTurnsTaken } from '../open-verifications';

/** The first column comes with an empty page too. */
const pageText = `
with taken as (select coalesce($3::timestamptz, clock_timestamp()) as at)
select taken.at::text as taken_at, o.looked_at::text as looked_at, o.request_id
from taken left join lateral (
  select * from giro.open_verification o
  where o.looked_at < taken.at
    and (o.looked_at, o.request_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::text, ''))
  order by o.looked_at, o.request_id limit $4::integer
) o on true
order by o.looked_at, o.request_id`;

interface Row {
  readonly taken_at: string;
  readonly looked_at: string | null;
  readonly request_id: string | null;
}

export async function openVerificationsInTurn(
  { database }: JournalContext,
  { after, notSince, limit }: VerificationTurnPage,
): Promise<VerificationTurnsTaken> {
  const rows = await database.run<Row>({ name: 'open-verifications-in-turn', text: pageText, replan: true }, [
    after?.lookedAt ?? null,
    after?.requestId ?? null,
    notSince,
    limit,
  ]);
  return {
    takenAt: rows[0]?.taken_at ?? '',
    turns: rows.flatMap(({ looked_at: lookedAt, request_id: requestId }) =>
      lookedAt === null || requestId === null ? [] : [{ lookedAt, requestId }],
    ),
  };
}

const markText = `
update giro.open_verification set looked_at = clock_timestamp() where request_id = any($1::text[])`;

export async function markVerificationsLookedAt(
  { database }: JournalContext,
  requestIds: readonly string[],
): Promise<void> {
  await database.run({ name: 'mark-verifications-looked-at', text: markText }, [requestIds]);
}

const oneText = 'select from giro.open_verification where request_id = $1::text';

export async function isOpenVerification({ database }: JournalContext, requestId: string): Promise<boolean> {
  const rows = await database.run({ name: 'is-open-verification', text: oneText }, [requestId]);
  return rows.length > 0;
}
