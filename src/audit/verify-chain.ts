import type { Journal } from '../journal/journal';
import type { AuditedLink } from '../journal/statements/report-chain';
import type { ChainLink } from '../reconciliation/report';
import type { Difference } from './difference';

export type ChainJournal = Pick<
  Journal,
  | 'chainHead'
  | 'chainLinks'
  | 'countLinks'
  | 'linkBefore'
  | 'recomputedLink'
  | 'reportsWithoutLink'
  | 'unnumberedRecords'
>;

export interface ChainRequest {
  readonly journal: ChainJournal;
  /** Trust the last link before this time; ISO UTC. Null: verify from the first link. */
  readonly from: string | null;
  readonly expect: string | null;
}

export interface ChainReport {
  readonly links: number;
  readonly head: ChainLink | null;
  readonly expected: ChainLink | null;
}

const LINKS_AT_ONCE = 200;
/** Before the first link. */
const START = { sequence: 0, cursor: null, sha256: '0'.repeat(64) } as const;

/**
 * Recomputes each link from the stored link before it. So if records were changed, only their link differs, which shows
 * the range. A completely rewritten chain is consistent; only `expect` reveals the rewrite. `expect` is compared only
 * with links that were found valid here.
 */
export async function verifyChain(
  { journal, from, expect }: ChainRequest,
  onDifference: (difference: Difference) => void,
): Promise<ChainReport> {
  let before: Pick<ChainLink, 'sequence' | 'cursor' | 'sha256'> =
    (from === null ? null : await journal.linkBefore(from)) ?? START;
  const { sequence: after } = before;
  let links = 0;
  let expected: ChainLink | null = null;
  for (;;) {
    const page = await journal.chainLinks({ after: before.sequence, limit: LINKS_AT_ONCE });
    for (const link of page) {
      const differs = await judgeLink(journal, before, link);
      if (differs !== null) onDifference(ofLink(link, differs));
      else if (link.sha256 === expect) expected = withoutRows(link);
      before = link;
      links += 1;
    }
    if (page.length < LINKS_AT_ONCE) break;
  }
  const more = (await journal.countLinks({ after, upTo: before.sequence, from })) - links;
  if (more !== 0) {
    onDifference({
      ...{ rule: 'chain-in-order', table: 'report_link', originId: null, record: null },
      ...{
        kept: `${more} links that do not belong to the chain`,
        expected: 'links numbered from 1 on, each once',
      },
    });
  }
  for (const { table, originId, recordId } of await journal.unnumberedRecords()) {
    onDifference({
      ...{ rule: 'record-number', table, originId, record: null },
      ...{ kept: recordId, expected: 'a number from 1 on, which a link covers' },
    });
  }
  for (const asOf of await journal.reportsWithoutLink({ from })) {
    onDifference({
      ...{ rule: 'link-missing', table: 'report_link', originId: null, record: `report as of ${asOf}` },
      ...{ kept: null, expected: 'a link' },
    });
  }
  const head = await journal.chainHead();
  if (expect !== null && expected === null) {
    onDifference({
      ...{ rule: 'head-expected', table: 'report_link', originId: null },
      record: from === null ? null : `links recorded since ${from}`,
      ...{ kept: head?.sha256 ?? null, expected: expect },
    });
  }
  return { links, head, expected };
}

const withoutRows = ({ sequence, cursor, records, previousSha256, sha256 }: AuditedLink): ChainLink => ({
  ...{ sequence, cursor, records, previousSha256, sha256 },
});

type LinkDifference = Pick<Difference, 'rule' | 'kept' | 'expected'>;

async function judgeLink(
  journal: ChainJournal,
  before: Pick<ChainLink, 'sequence' | 'cursor' | 'sha256'>,
  link: AuditedLink,
): Promise<LinkDifference | null> {
  const { sequence, cursor, previousSha256, sha256, records, hasReport, hasEvent } = link;
  if (sequence !== before.sequence + 1) {
    return { rule: 'chain-in-order', kept: `link ${sequence}`, expected: `link ${before.sequence + 1}` };
  }
  if (previousSha256 !== before.sha256) {
    return { rule: 'chain-previous', kept: previousSha256, expected: before.sha256 };
  }
  if (!hasReport) return { rule: 'chain-report', kept: null, expected: 'its report' };
  if (!hasEvent) return { rule: 'chain-cursor', kept: cursor, expected: 'an event of the journal' };
  const recomputed = await recomputedOrNull(journal, { previousSha256, before: before.cursor, cursor });
  if (recomputed === null)
    return { rule: 'chain-hash', kept: sha256, expected: 'records that can be hashed' };
  if (recomputed.sha256 === sha256 && recomputed.records === records) return null;
  // The number of records distinguishes a missing record from a changed one.
  const described = (one: { readonly sha256: string; readonly records: number }): string =>
    `${one.sha256} of ${one.records} records`;
  return { rule: 'chain-hash', kept: described({ sha256, records }), expected: described(recomputed) };
}

/** Null: the database's owner has written a number that JSON text cannot hold. */
async function recomputedOrNull(
  journal: ChainJournal,
  link: Parameters<ChainJournal['recomputedLink']>[0],
): Promise<Awaited<ReturnType<ChainJournal['recomputedLink']>> | null> {
  try {
    return await journal.recomputedLink(link);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const ofLink = ({ sequence, asOf }: AuditedLink, difference: LinkDifference): Difference => ({
  ...{ table: 'report_link', originId: null, record: `link ${sequence}, report as of ${asOf}` },
  ...difference,
});
