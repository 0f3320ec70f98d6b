import fc from 'fast-check';
import type { Break } from '../../../src/reconciliation/break';
import { acknowledgeBreak, resolveBreak, seeBreak } from '../../../src/reconciliation/break-life';
import { inOrder } from '../../../src/reconciliation/break';
import { tallyBreaks } from '../../../src/reconciliation/tally';
import { compare } from '../../../src/reconciliation/compare';
import { NO_TOTALS, addToTotals } from '../../../src/reconciliation/control-totals';
import { notAskedOf, outcomeOf } from '../../../src/reconciliation/sources-checked';
import type { Report } from '../../../src/reconciliation/report';
import { AS_OF, CONTEXT, before, cleanBooks } from '../clean-books';
import { CORRUPTIONS } from '../corruptions';

const DAY_MS = 86_400_000;
/** A note that must not affect a page, a spreadsheet or a terminal. */
export const HOSTILE_NOTE = `=HYPERLINK("http://x","y")<script>alert(1)</script>'&\u001b[2J\n,`;

/** A report on made-up transfers, with every kind of difference, some old, acknowledged or resolved. */
export function sampleReport(): Report {
  const clean = fc.sample(cleanBooks(), { numRuns: 400, seed: 11 });
  const corrupted = CORRUPTIONS.map((one, i) => {
    const [from] = fc.sample(cleanBooks(...one.of), { numRuns: 1, seed: i + 1 });
    return one.corrupt(from!, from!.entry!);
  });
  const books = [...clean, ...corrupted];
  const seen = corrupted.flatMap((one) => compare(one, CONTEXT)).map(aged);
  const breaks = inOrder(seen);
  const notAsked = books.flatMap(notAskedOf);
  return {
    asOf: AS_OF,
    from: before(3 * DAY_MS),
    to: AS_OF,
    outcome: outcomeOf(breaks.length, notAsked.length),
    totals: books.reduce(addToTotals, NO_TOTALS),
    breaksOpened: 12,
    breaksResolved: 3,
    breaks,
    ...tallyBreaks(breaks),
    notAskedCount: notAsked.length,
    notAsked: notAsked.slice(0, 30),
    chain: {
      ...{ sequence: 2, cursor: 'e1-4711-0123456789abcdef', records: 1_200 },
      ...{ previousSha256: 'ab'.repeat(32), sha256: 'cd'.repeat(32) },
    },
  };
}

function aged(found: Parameters<typeof seeBreak>[1], i: number): Break {
  const opened = seeBreak(null, found, before([0, 1.5, 4, 12, 45][i % 5]! * DAY_MS)).break;
  const { break: seen } = seeBreak(opened, found, AS_OF);
  const word = { operator: 'ana', note: HOSTILE_NOTE, at: AS_OF };
  if (i % 7 === 3) return acknowledgeBreak(seen, word)!.break;
  return i % 11 === 5 ? resolveBreak(seen, word)!.break : seen;
}

export const CLEAN_REPORT: Report = {
  ...sampleReport(),
  outcome: 'CLEAN',
  totals: fc.sample(cleanBooks('COMPLETED'), { numRuns: 5, seed: 2 }).reduce(addToTotals, NO_TOTALS),
  breaksOpened: 0,
  breaks: [],
  byClass: {},
  bySeverity: {},
  notAskedCount: 0,
  notAsked: [],
};
