import type { ChainLink, NewReport } from '../../reconciliation/report';
import { readable } from '../ciphers';
import type { Database, JournalContext } from '../context';
import { JournalStatementError } from '../errors';
import { fromCursor, toCursor } from '../event-feed';
import { toIso } from '../rows';
import { hashOfLink } from './chain-records';
import { FINGERPRINT, lastSourceRows } from './event-sources';
import { feedHorizon } from './events';

/** SQL: a row `l` of giro.report_link as `ChainLink`; null where a left join found none. */
export const CHAIN_JSON = `case when l.sequence is not null then jsonb_build_object('sequence', l.sequence,
  'cursor', l.cursor, 'records', l.records, 'previousSha256', l.previous_sha256, 'sha256', l.sha256) end`;

/** Before the first link. */
const NO_SHA256 = '0'.repeat(64);

const headText = `select ${CHAIN_JSON} as link from giro.report_link l order by l.sequence desc limit 1`;

/** The newest link; null: no link exists. */
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

/** Another run recorded its report meanwhile: read the head again. */
const LOST = new Set(['23505', 'GR001']);
/** More runs than ever end at the same time. */
const TRIES_MAX = 20;

/** Records the report of a run and its link together, once; a repeat returns the existing report. */
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

/** Covers every committed event that has nothing uncommitted before it. */
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
const recordIdOf = (cursor: string | null): string => (cursor === null ? '0' : fromCursor(cursor).recordId);

/** A stored link, and what it should contain. */
export interface AuditedLink extends ChainLink {
  /** ISO UTC, like `recordedAt`. */
  readonly asOf: string;
  readonly recordedAt: string;
  readonly hasReport: boolean;
  /** The event that `cursor` names exists unchanged; true for a null cursor. */
  readonly hasEvent: boolean;
}

const linksText = `
select ${CHAIN_JSON} as link, l.as_of, l.recorded_at, e.as_of is not null as has_report
from giro.report_link l left join giro.reconciliation_end e using (as_of)
where l.sequence > $1::integer order by l.sequence limit $2::integer`;

interface LinkRow {
  readonly link: ChainLink;
  readonly as_of: Date;
  readonly recorded_at: Date;
  readonly has_report: boolean;
}

const eventText = `
select ${FINGERPRINT} as fingerprint from (${lastSourceRows('$1::bigint', '$1::bigint')}) found`;

/** The next links, in their order. */
export async function chainLinks(
  { database }: JournalContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly AuditedLink[]> {
  const rows = await database.run<LinkRow>({ name: 'chain-links', text: linksText }, [after, limit]);
  const links: AuditedLink[] = [];
  for (const { link, as_of, recorded_at, has_report } of rows) {
    const hasEvent = await isEvent(database, link.cursor);
    links.push({
      ...link,
      ...{ asOf: toIso(as_of), recordedAt: toIso(recorded_at), hasReport: has_report, hasEvent },
    });
  }
  return links;
}

async function isEvent(database: Database, cursor: string | null): Promise<boolean> {
  if (cursor === null) return true;
  const position = readable(() => fromCursor(cursor));
  if (position === null) return false;
  const { recordId, fingerprint } = position;
  const [row] = await database.run<{ fingerprint: string }>({ name: 'event-at', text: eventText }, [
    recordId,
  ]);
  return row?.fingerprint === fingerprint;
}

/** The hash that a link should have, computed from the link before it and the records between the two. */
export const recomputedLink = (
  context: JournalContext,
  {
    previousSha256,
    before,
    cursor,
  }: { previousSha256: string; before: string | null; cursor: string | null },
): Promise<{ readonly sha256: string; readonly records: number }> =>
  hashOfLink(context, previousSha256, {
    // The database's owner may have written anything: an invalid cursor is reported for the link that has it.
    after: readable(() => recordIdOf(before)) ?? '0',
    upTo: readable(() => recordIdOf(cursor)) ?? '0',
  });

const beforeText = `
select ${CHAIN_JSON} as link from giro.report_link l
where l.recorded_at < $1::timestamptz order by l.sequence desc limit 1`;

/** The last link that was recorded before this time; null: none. */
export async function linkBefore({ database }: JournalContext, at: string): Promise<ChainLink | null> {
  const [row] = await database.run<{ link: ChainLink }>({ name: 'link-before', text: beforeText }, [at]);
  return row?.link ?? null;
}

const numberedText = `
select count(*)::float8 as count from giro.report_link l
where l.sequence is null or l.sequence < 1 or (l.sequence > $1::integer and l.sequence <= $2::integer)
  or (l.sequence <= $1::integer and l.recorded_at >= $3::timestamptz)`;

/**
 * Number of links that `verifyChain` should have read from `after` to `upTo`. Also counts links that its paging never
 * returns: numbers below 1, and links recorded since `from` with a number not above `after`. `from`: ISO UTC; null: the
 * audit starts at the first link.
 */
export async function countLinks(
  { database }: JournalContext,
  { after, upTo, from }: { readonly after: number; readonly upTo: number; readonly from: string | null },
): Promise<number> {
  const [row] = await database.run<{ count: number }>({ name: 'count-links', text: numberedText }, [
    ...[after, upTo, from],
  ]);
  return row?.count ?? 0;
}

const unlinkedText = `
select e.as_of from giro.reconciliation_end e
where not exists (select from giro.report_link l where l.as_of = e.as_of)
  and ($1::timestamptz is null or e.recorded_at > $1::timestamptz)
order by e.recorded_at limit 100`;

/** `asOf` of the first hundred reports without a link that were recorded after `from` (ISO UTC; null: all). */
export async function reportsWithoutLink(
  { database }: JournalContext,
  { from }: { readonly from: string | null },
): Promise<readonly string[]> {
  const rows = await database.run<{ as_of: Date }>({ name: 'reports-without-link', text: unlinkedText }, [
    from,
  ]);
  return rows.map(({ as_of }) => toIso(as_of));
}
