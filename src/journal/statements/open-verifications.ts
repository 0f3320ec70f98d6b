import type { JournalContext } from '../context';

export interface KnownVerification {
  readonly requestId: string;
  /** Tracked, and without an outcome. */
  readonly isOpen: boolean;
}

/** A position in the cycle. The time is PostgreSQL's own text, to the microsecond. */
export interface VerificationTurn {
  readonly checkedAt: string;
  readonly requestId: string;
}

export interface VerificationTurnPage {
  readonly after: VerificationTurn | null;
  /** `began` of the cycle's first page: verifications checked since then are not returned again. Null: now. */
  readonly began: string | null;
  readonly limit: number;
}

export interface VerificationTurnsTaken {
  /** PostgreSQL's own text of a time. */
  readonly began: string;
  readonly turns: readonly VerificationTurn[];
}

/** Returns a row with the first column even if the page is empty. */
const pageText = `
with taken as (select coalesce($3::timestamptz, clock_timestamp()) as at)
select taken.at::text as taken_at, o.checked_at::text as checked_at, o.request_id
from taken left join lateral (
  select * from giro.open_verification o
  where o.checked_at < taken.at
    and (o.checked_at, o.request_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::text, ''))
  order by o.checked_at, o.request_id limit $4::integer
) o on true
order by o.checked_at, o.request_id`;

interface Row {
  readonly taken_at: string;
  readonly checked_at: string | null;
  readonly request_id: string | null;
}

/** The least recently checked verifications, after `after` and before `began`. */
export async function leastRecentlyCheckedVerifications(
  { database }: JournalContext,
  { after, began, limit }: VerificationTurnPage,
): Promise<VerificationTurnsTaken> {
  const rows = await database.run<Row>({ name: 'open-verifications-in-turn', text: pageText, replan: true }, [
    after?.checkedAt ?? null,
    after?.requestId ?? null,
    began,
    limit,
  ]);
  return {
    began: rows[0]?.taken_at ?? '',
    turns: rows.flatMap(({ checked_at: checkedAt, request_id: requestId }) =>
      checkedAt === null || requestId === null ? [] : [{ checkedAt, requestId }],
    ),
  };
}

const markText = `
update giro.open_verification set checked_at = clock_timestamp() where request_id = any($1::text[])`;

/**
 * Marks these verifications as checked now, so the next recovery checks them last. Ended and stopped verifications are
 * skipped.
 */
export async function markVerificationsChecked(
  { database }: JournalContext,
  requestIds: readonly string[],
): Promise<void> {
  await database.run({ name: 'mark-verifications-checked', text: markText }, [requestIds]);
}

const oneText = 'select from giro.open_verification where request_id = $1::text';

export async function isOpenVerification({ database }: JournalContext, requestId: string): Promise<boolean> {
  const rows = await database.run({ name: 'is-open-verification', text: oneText }, [requestId]);
  return rows.length > 0;
}

const ofText = `
select v.request_id, o.request_id is not null as is_open
from unnest($1::text[]) as r (request_id)
join giro.verification v using (request_id)
left join giro.open_verification o using (request_id)`;

interface KnownRow {
  readonly request_id: string;
  readonly is_open: boolean;
}

/** The verifications among these that were ever tracked. */
export async function verificationsOf(
  { database }: JournalContext,
  requestIds: readonly string[],
): Promise<readonly KnownVerification[]> {
  if (requestIds.length === 0) return [];
  const rows = await database.run<KnownRow>({ name: 'verifications-of', text: ofText }, [requestIds]);
  return rows.map(({ request_id: requestId, is_open: isOpen }) => ({ requestId, isOpen }));
}
