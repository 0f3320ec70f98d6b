import type { ChainLink, NewReport } from '../../reconciliation/report';
import type { JournalContext } from '../context';
import { JournalStatementError } from '../errors';
import { fromCursor, toCursor } from '../event-feed';
import { hashOfLink } from './chain-records';
import { FINGERPRINT, lastSourceRows } from './event-sources';
import { feedHorizon } from './events';

/** SQL: a row `l` of giro.report_link as `ChainLink`; null where a left join found none. */
export const CHAIN_JSON = `case when l.sequence is not null then jsonb_build_object('sequence', l.sequence,
  'cursor', l.cursor, 'records', l.records, 'previousSha256', l.previous_sha256, 'sha256', l.sha256) end`;

/** Before the first link. */
export const NO_SHA256 = '0'.repeat(64);

const headText = `select ${CHAIN_JSON} as link from giro.report_link l order by l.sequence desc limit 1`;

/** The newest link; null: there is none. */
export async function chainHead({ database }: JournalContext): Promise<ChainLink | null> {
  const [row] = await database.run<{ link: ChainLink }>({ name: 'chain-head', text: headText }, []);
  return row?.link ?? null;
}

const lastEventText = `
select record_id::text, ${FINGERPRINT} as fingerprint
from (${lastSourceRows('$1::bigint + 1', '$2::bigint')}) found
order by found.record_id desc limit 1`;

const endText = `
with ended as (
  insert into giro.reconciliation_end (as_of, report) values ($1, $2::jsonb)
  on conflict (as_of) do nothing
  returning as_of
)
insert into giro.report_link (sequence, as_of, cursor, records, previous_sha256, sha256)
select $3::integer, e.as_of, $4, $5::bigint, $6, $7 from ended e`;

const ownText = `select ${CHAIN_JSON} as link from giro.reconciliation_end e left join giro.report_link l using (as_of)
where e.as_of = $1`;

/** Another run recorded its report meanwhile: the head is read again. */
const LOST = new Set(['23505', 'GR001']);
/** As many runs never end at the same moment. */
const TRIES_MAX = 20;

/** Records the report of a run and its link together, once; a repeat returns what is there. */
export async function chainReport(
  context: JournalContext,
  asOf: string,
  report: NewReport,
): Promise<ChainLink | null> {
  const { database } = context;
  for (let tried = 1; ; tried += 1) {
    const [own] = await database.run<{ link: ChainLink | null }>({ name: 'own-link', text: ownText }, [asOf]);
    if (own !== undefined) return own.link;
    const link = await nextLink(context);
    try {
      await database.run({ name: 'end-reconciliation', text: endText }, [
        ...[asOf, JSON.stringify(report), link.sequence, link.cursor],
        ...[link.records, link.previousSha256, link.sha256],
      ]);
    } catch (error) {
      const lost = error instanceof JournalStatementError && LOST.has(error.sqlState);
      if (!lost || tried === TRIES_MAX) throw error;
    }
  }
}

/** Covers every event that has been committed and has nothing uncommitted before it. */
async function nextLink(context: JournalContext): Promise<ChainLink> {
  const head = await chainHead(context);
  const after = recordIdOf(head?.cursor ?? null);
  const [last] = await context.database.run<{ record_id: string; fingerprint: string }>(
    { name: 'last-event', text: lastEventText },
    [after, await feedHorizon(context)],
  );
  const cursor =
    last === undefined
      ? (head?.cursor ?? null)
      : toCursor({ recordId: last.record_id, fingerprint: last.fingerprint });
  const previousSha256 = head?.sha256 ?? NO_SHA256;
  const range = { after, upTo: recordIdOf(cursor) };
  return {
    sequence: (head?.sequence ?? 0) + 1,
    ...{ cursor, previousSha256 },
    ...(await hashOfLink(context, previousSha256, range)),
  };
}

/** Decimal digits; null: before the first event. */
export const recordIdOf = (cursor: string | null): string =>
  cursor === null ? '0' : fromCursor(cursor).recordId;
