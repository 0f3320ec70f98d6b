import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { ChainLink } from '../reconciliation/report';
import type { Difference } from './difference';
import { isUnsigned, judgeTransfer } from './transfer-checks';
import type { CheckMeans } from './transfer-checks';
import { verifyChain } from './verify-chain';
import type { ChainJournal } from './verify-chain';

export type AuditOutcome = 'OK' | 'DIFFERS' | 'PARTIAL';

/** The report of `audit verify`. Plain JSON. */
export interface AuditReport {
  /** `PARTIAL`: nothing differs, but not everything could be checked. */
  readonly outcome: AuditOutcome;
  /** ISO UTC; null: from the beginning. */
  readonly from: string | null;
  readonly transfers: number;
  /** Transfers whose order is sealed under a key that is not in the ring. */
  readonly notJudged: number;
  /**
   * Orders without a proof, and decisions without a signature. Such records are older than the requirement, or somebody
   * else wrote them.
   */
  readonly unsigned: { readonly orders: number; readonly decisions: number };
  readonly links: number;
  /** The newest link; null: no reconciliation has been recorded. */
  readonly head: ChainLink | null;
  /** The link with the expected hash; null: no hash was given, or no valid link of `links` has it. */
  readonly expected: ChainLink | null;
  readonly differences: number;
  readonly byRule: Readonly<Record<string, number>>;
  /** The first difference: transfers by originId, then the chain. Null: nothing differs. */
  readonly first: Difference | null;
}

export type AuditJournal = ChainJournal & Pick<Journal, 'auditedTransfers' | 'rowsWithoutTransfer'>;

export interface AuditRequest {
  readonly journal: AuditJournal;
  /** Only transfers opened or ended since then, and links recorded since then; ISO UTC. Null: all. */
  readonly from: string | null;
  /** A head that was kept outside the journal: 64 lower-case hex digits; null: none. */
  readonly expect: string | null;
  readonly means: CheckMeans;
  /** Called with the progress for each transfer, skipped ones included. */
  readonly onTransfer?: (word: 'agrees' | 'differs' | 'not judged' | 'passed over') => void;
}

/** Halved each time that a page exceeds the statement time-out: a transfer may have tens of thousands of requests. */
const TRANSFERS_AT_ONCE = 500;

/**
 * Recomputes the journal's records page by page, so memory does not grow with the books. Counts all differences, and
 * names the first.
 */
export async function verifyBooks(request: AuditRequest): Promise<AuditReport> {
  const { journal, from, expect } = request;
  const found = new Differences();
  const { transfers, notJudged, unsigned } = await verifyTransfers(request, found);
  const { links, head, expected } = await verifyChain({ journal, from, expect }, (one) => found.add(one));
  const { first, count: differences } = found;
  return {
    outcome: first !== null ? 'DIFFERS' : notJudged > 0 ? 'PARTIAL' : 'OK',
    ...{ from, transfers, notJudged, unsigned, links, head, expected, differences, first },
    byRule: found.byRule,
  };
}

async function verifyTransfers(
  { journal, from, means, onTransfer }: AuditRequest,
  found: Differences,
): Promise<Pick<AuditReport, 'transfers' | 'notJudged' | 'unsigned'>> {
  let transfers = 0;
  let notJudged = 0;
  const unsigned = { orders: 0, decisions: 0 };
  let limit = TRANSFERS_AT_ONCE;
  for (let after = 0; ;) {
    const page = await pageInTime(limit, () => journal.auditedTransfers({ after, limit, from }));
    if (page === 'too slow') {
      limit = Math.ceil(limit / 2);
      continue;
    }
    const last = page.length < limit ? null : (page.at(-1)?.originId ?? null);
    const upTo = last ?? Number.MAX_SAFE_INTEGER;
    for (const { table, originId } of await journal.rowsWithoutTransfer({ after, upTo })) {
      found.add({
        rule: 'transfer-deleted',
        table,
        originId,
        record: null,
        kept: 'rows',
        expected: 'their transfer',
      });
    }
    for (const { transfer } of page) {
      if (transfer === null) {
        onTransfer?.('passed over');
        continue;
      }
      transfers += 1;
      const { differences, isJudged } = await judgeTransfer(transfer, means);
      const without = isUnsigned(transfer);
      if (without.order) unsigned.orders += 1;
      unsigned.decisions += without.decisions;
      for (const one of differences) found.add(one);
      if (!isJudged) notJudged += 1;
      onTransfer?.(differences.length > 0 ? 'differs' : isJudged ? 'agrees' : 'not judged');
    }
    if (last === null) return { transfers, notJudged, unsigned };
    after = last;
  }
}

async function pageInTime<Page>(limit: number, read: () => Promise<Page>): Promise<Page | 'too slow'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof JournalUnavailable && error.hasTimedOut && limit > 1) return 'too slow';
    throw error;
  }
}

/** Counts differences and keeps only the first: an owner who rewrites everything causes one for each transfer. */
class Differences {
  first: Difference | null = null;
  count = 0;
  readonly byRule: Record<string, number> = {};

  add(one: Difference): void {
    this.first ??= one;
    this.count += 1;
    this.byRule[one.rule] = (this.byRule[one.rule] ?? 0) + 1;
  }
}
