import fc from 'fast-check';
import { recordedObservation, tooSoon } from '../../src/activities/reconciliation/bank-observation';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { compare } from '../../src/reconciliation/compare';
import { notAskedOf, sourcesChecked } from '../../src/reconciliation/sources-checked';
import type { RecordedAnswer } from '../../src/journal/statements/run-transfers';
import { AS_OF, CONTEXT, before, cleanBooks, seen } from '../reconciliation/clean-books';

/** Open transfers that a run drives: what the run recorded last, however long ago. */

const MIN_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const KNOWN = { subCase: 'NO_ANSWER', evidence: null } as const;
const UNFLAGGED = { sends: 1, flags: [] };

const heard = (status: string, agoMs: number): RecordedAnswer => ({
  answer: { kind: 'movement', movement: seen(4711, status) },
  at: before(agoMs),
  isLast: true,
});
const asked = (agoMs: number, bankStatus: string | null = 'CREATED') => ({
  ...{ number: 2, agoMs, answered: true, bankStatus, retryAfterMs: null, digest: null },
});
const observed = (
  recorded: RecordedAnswer | null,
  lastAgoMs: number | null,
  {
    sends = 1,
    openedAgoMs = DAY_MS,
    stopped = false,
    word = 'CREATED',
    reasons = [],
  }: {
    sends?: number;
    openedAgoMs?: number;
    stopped?: boolean;
    word?: string;
    reasons?: readonly AttentionReason[];
  } = {},
) =>
  recordedObservation(
    { recorded, openedAgoMs, lastRequest: lastAgoMs === null ? null : asked(lastAgoMs, word) },
    { sends, flags: reasons.map((reason) => ({ reason, since: before(DAY_MS) })) },
    DEFAULT_TRANSFER_SETTINGS,
    stopped,
  );

test.each([
  ['FAILED', 'FAILED_ANSWER'],
  ['COMPLETED', 'FINAL_NOT_TAKEN'],
])('a recorded %s that the run did not act on is a break, whatever its age', (status, subCase) => {
  fc.assert(
    fc.property(
      cleanBooks(null),
      fc.integer({ min: 10 * MIN_MS, max: 30 * DAY_MS }),
      fc.constantFrom([], [{ reason: 'ECHO_INCOMPLETE' as const, since: before(DAY_MS) }]),
      (clean, agoMs, flags) => {
        const entry = { ...clean.entry!, ...UNFLAGGED, flags };
        const bank = recordedObservation(
          {
            recorded: {
              ...heard(status, agoMs),
              answer: { kind: 'movement', movement: seen(clean.originId, status) },
            },
            lastRequest: asked(agoMs, status),
            openedAgoMs: agoMs,
          },
          entry,
          DEFAULT_TRANSFER_SETTINGS,
          false,
        );
        const books = {
          ...{ ...clean, entry, bank, statement: null },
          run: { kind: 'open', startedAt: before(DAY_MS) } as const,
        };
        expect(compare(books, CONTEXT).map((one) => one.subCase)).toEqual([subCase]);
      },
    ),
  );
});

test('overdue: listed as not checked, compared, and no proof that another difference is gone', () => {
  const [clean] = fc.sample(cleanBooks(null), { numRuns: 1, seed: 7 });
  const run = { kind: 'open', startedAt: before(DAY_MS) } as const;
  const late = { ...clean!, run, statement: null, bank: observed(heard('IN_PROGRESS', DAY_MS), DAY_MS) };
  expect(late.bank).toMatchObject({ kind: 'movement', source: 'recorded', overdue: true });
  expect(notAskedOf(late)).toEqual([{ originId: clean!.originId, book: 'bank', reason: 'OVERDUE' }]);
  expect(sourcesChecked(late, KNOWN).has('bank')).toBe(false);
  const onTime = { ...late, bank: observed(heard('IN_PROGRESS', 5_000), 5_000) };
  expect(notAskedOf(onTime)).toEqual([]);
  expect(sourcesChecked(onTime, KNOWN).has('bank')).toBe(true);
});

test('a delayed one has its own cadence', () => {
  const delayed = (agoMs: number) =>
    observed(heard('DELAYED', agoMs), agoMs, { word: 'DELAYED' }) as { overdue?: boolean };
  expect(delayed(25 * MIN_MS).overdue).toBeUndefined();
  expect(delayed(40 * MIN_MS).overdue).toBe(true);
});

test('a held one is asked at the delayed cadence, one that is only reported at its own', () => {
  const flagged = (...reasons: readonly AttentionReason[]) =>
    observed(heard('CREATED', 20 * MIN_MS), 20 * MIN_MS, { reasons }) as { overdue?: boolean };
  expect(flagged('ECHO_MISMATCH').overdue).toBeUndefined();
  expect(flagged('OPEN_TOO_LONG', 'VANISHED').overdue).toBeUndefined();
  expect(flagged('OPEN_TOO_LONG').overdue).toBe(true);
  expect(flagged('BANK_UNAUTHORIZED', 'STATUS_UNKNOWN').overdue).toBe(true);
});

test('never sent and never asked: overdue past its bound, unless sending is stopped', () => {
  const never = (openedAgoMs: number, stopped = false) =>
    observed(null, null, { sends: 0, openedAgoMs, stopped });
  expect(never(10 * MIN_MS)).toEqual({ kind: 'not-asked', reason: 'NOTHING_RECORDED' });
  expect(never(30 * MIN_MS)).toEqual({ kind: 'not-asked', reason: 'OVERDUE' });
  expect(never(30 * DAY_MS, true)).toEqual({ kind: 'not-asked', reason: 'NOTHING_RECORDED' });
  // Sent, so that the brake does not explain the missing answer.
  expect(observed(null, DAY_MS, { stopped: true })).toEqual({ kind: 'not-asked', reason: 'OVERDUE' });
});

test('too soon to ask: the last answer counts, an older one does not', () => {
  const last = heard('COMPLETED', 3 * DAY_MS);
  expect(tooSoon(last)).toMatchObject({ kind: 'movement', source: 'recorded', at: before(3 * DAY_MS) });
  expect(tooSoon({ ...last, isLast: false })).toEqual({ kind: 'not-asked', reason: 'TOO_SOON' });
  expect(tooSoon(null)).toEqual({ kind: 'not-asked', reason: 'TOO_SOON' });
});

test('an earlier asOf hides nothing: what is in flight is judged by when the books were read', () => {
  const [clean] = fc.sample(cleanBooks(null), { numRuns: 1, seed: 7 });
  const bank = observed(heard('FAILED', 30 * MIN_MS), 30 * MIN_MS);
  const run = { kind: 'open', startedAt: before(DAY_MS) } as const;
  const entry = { ...clean!.entry!, ...UNFLAGGED, movementId: null };
  const books = { ...clean!, bank, run, statement: null, entry };
  const earlier = { ...CONTEXT, asOf: before(2 * DAY_MS), readAt: AS_OF };
  expect(compare(books, earlier).map((one) => one.subCase)).toEqual(['FAILED_ANSWER']);
});
