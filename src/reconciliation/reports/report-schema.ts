import { z } from 'zod';
import { BOOKS } from '../books';
import { BREAK_CLASSES, BREAK_STATES, SEVERITIES } from '../break';
import { NOT_CHECKED_REASONS, OUTCOMES } from '../report';
import type { Report } from '../report';

const time = z.iso.datetime().describe('ISO 8601, UTC');
const count = z.int().min(0);
const amount = z
  .string()
  .regex(/^[0-9]+\.[0-9]{2}$/)
  .describe('decimal string with two decimals');

const tally = z
  .strictObject({ count, amount })
  .describe('number, and sum in pesos; other currencies are counted but not summed');
const talliesByStatus = z.record(z.string(), tally);

const totals = z
  .strictObject({
    transfers: tally,
    journal: talliesByStatus.describe('by result, or OPEN, or NOT_IN_JOURNAL'),
    bank: talliesByStatus.describe('by the bank’s status, or NOT_FOUND, NO_ANSWER, NOT_RECORDED, NOT_ASKED'),
    engine: talliesByStatus.describe('by the state of the workflow run, or MISSING, UNKNOWN'),
    annulments: tally,
    statement: talliesByStatus.describe('DEBIT and CREDIT; empty without a statement'),
  })
  .describe('the same transfers in each book: journal, bank and engine have the sum of transfers');

const evidence = z
  .strictObject({ sha256: z.string().nullable(), at: time })
  .describe('SHA-256 of the bank’s answer or of the statement’s file, and when it was received or booked');

const found = z.strictObject({
  key: z.string().describe('identifies the difference: the same in every run that sees it'),
  class: z.enum(BREAK_CLASSES),
  subCase: z.string().describe('the difference within its class'),
  originId: z.int().nullable(),
  severity: z.enum(SEVERITIES),
  detail: z.string().describe('a sentence for people, without personal data'),
  amount: z.strictObject({ currency: z.string(), value: amount }).nullable().describe('money at stake'),
  evidence: evidence.nullable(),
  book: z.enum(BOOKS).describe('the book that shows the difference'),
  fact: z.string().describe('equal as long as the difference is unchanged'),
  firstSeen: time,
  lastSeen: time,
  state: z.enum(BREAK_STATES),
  resolvedBy: z.enum(['run', 'operator']).nullable(),
  operator: z.string().nullable(),
  note: z.string().nullable(),
  resolvedFact: z.string().nullable().describe('for a break resolved by hand: the resolved fact'),
});

const notAsked = z.strictObject({
  originId: z.int(),
  book: z.enum(BOOKS),
  reason: z.enum(NOT_CHECKED_REASONS),
});

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const chain = z
  .strictObject({
    sequence: z.int().min(1).describe('1, 2, 3… in the order in which reports were recorded'),
    cursor: z
      .string()
      .nullable()
      .describe('cursor of the last event that the link covers; null: no event yet'),
    records: count.describe('results, annulments and decisions since the link before'),
    previousSha256: sha256.describe('hash of the link before; zeros in the first link'),
    sha256: sha256.describe('hash of this link; keep it outside the journal for `audit verify --expect`'),
  })
  .nullable()
  .describe('the link of this report in the chain of reports; null: the journal has no link');

/** The published shape of a report's JSON: `docs/schemas/reconciliation-report.schema.json` is made from it. */
export const reportSchema = z
  .strictObject({
    asOf: time,
    from: time,
    to: time,
    outcome: z.enum(OUTCOMES),
    totals,
    breaksOpened: count,
    breaksResolved: count,
    breaks: z.array(found).describe('most severe first'),
    byClass: z.partialRecord(z.enum(BREAK_CLASSES), tally),
    bySeverity: z.partialRecord(z.enum(SEVERITIES), tally),
    notAskedCount: count,
    notAsked: z.array(notAsked).describe('the first items that could not be checked'),
    chain,
  })
  .meta({ title: 'Giro reconciliation report' }) satisfies z.ZodType<Report>;
