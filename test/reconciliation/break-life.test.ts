import type { Break, FoundBreak } from '../../src/reconciliation/break';
import { acknowledgeBreak, missBreak, resolveBreak, seeBreak } from '../../src/reconciliation/break-life';
import { foundBreak } from '../../src/reconciliation/found-break';

const found = (word: string, value = '100.00'): FoundBreak =>
  foundBreak('COMPLETED_THEN_FAILED', {
    originId: 7,
    tail: [`bank ${word}`],
    amount: { currency: '032', value },
    evidence: { sha256: 'e', at: '2026-03-01T00:00:00.000Z' },
    fact: [word],
  });
const day = (n: number): string => `2026-03-${String(n).padStart(2, '0')}T06:00:00.000Z`;
const BANK = new Set(['journal', 'bank'] as const);
const JOURNAL_ALONE = new Set(['journal'] as const);
const word = (n: number) => ({ operator: 'ana', note: 'asked the bank', at: day(n) });

const opened = seeBreak(null, found('FAILED'), day(1));
const acknowledged = acknowledgeBreak(opened.break, word(2))!;
const resolvedByHand = resolveBreak(acknowledged.break, word(3))!;
const resolvedByRun = missBreak(opened.break, BANK, day(2));

test('new: open, once, however often it is seen', () => {
  expect(opened.break).toMatchObject({
    state: 'open',
    firstSeen: day(1),
    lastSeen: day(1),
    severity: 'high',
  });
  expect(opened.change).toEqual({ kind: 'opened', at: day(1), operator: null, note: null });
  const again = seeBreak(opened.break, found('FAILED'), day(2));
  expect(again.change).toBeNull();
  expect(again.break).toMatchObject({
    state: 'open',
    firstSeen: day(1),
    lastSeen: day(2),
    key: opened.break.key,
  });
});

test('the third day makes it more severe; an earlier moment moves nothing forward', () => {
  expect(seeBreak(opened.break, found('FAILED'), day(3)).break.severity).toBe('high');
  expect(seeBreak(opened.break, found('FAILED'), day(4)).break.severity).toBe('critical');
  const earlier = seeBreak({ ...opened.break, lastSeen: day(5), firstSeen: day(4) }, found('FAILED'), day(3));
  expect(earlier.break).toMatchObject({ firstSeen: day(3), lastSeen: day(5) });
});

test('another fact under the same key is noted', () => {
  const changed = seeBreak(opened.break, found('DELAYED'), day(2));
  expect(changed.change?.kind).toBe('changed');
  expect(changed.break).toMatchObject({ state: 'open', firstSeen: day(1) });
});

describe('not seen', () => {
  test('by a run that looked: resolved, open again when it is back', () => {
    expect(resolvedByRun.break).toMatchObject({ state: 'resolved', resolvedBy: 'run', lastSeen: day(1) });
    expect(resolvedByRun.change?.kind).toBe('resolved');
    const back = seeBreak(resolvedByRun.break, found('FAILED'), day(3));
    expect(back.change?.kind).toBe('reopened');
    expect(back.break).toMatchObject({
      state: 'open',
      resolvedBy: null,
      firstSeen: day(1),
      lastSeen: day(3),
    });
  });

  test('by a run that did not ask the bank, or has an earlier asOf: nothing changes', () => {
    expect(missBreak(opened.break, JOURNAL_ALONE, day(2))).toEqual({ break: opened.break, change: null });
    expect(missBreak({ ...opened.break, lastSeen: day(5) }, BANK, day(4)).change).toBeNull();
  });

  test('an acknowledged one resolves like an open one', () => {
    const gone = missBreak(acknowledged.break, BANK, day(4));
    expect(gone.break).toMatchObject({ state: 'resolved', resolvedBy: 'run', operator: 'ana' });
  });
});

describe('acknowledged', () => {
  test('with operator and note, and stays so while the same fact is seen', () => {
    expect(acknowledged.break).toMatchObject({
      state: 'acknowledged',
      operator: 'ana',
      note: 'asked the bank',
    });
    expect(acknowledged.change).toMatchObject({ kind: 'acknowledged', operator: 'ana', at: day(2) });
    expect(seeBreak(acknowledged.break, found('FAILED'), day(3))).toMatchObject({
      change: null,
      break: { state: 'acknowledged', operator: 'ana', lastSeen: day(3) },
    });
  });

  test('open again when the fact is another one', () => {
    const other = seeBreak(acknowledged.break, found('DELAYED'), day(3));
    expect(other.change?.kind).toBe('reopened');
    expect(other.break).toMatchObject({ state: 'open', operator: null, note: null });
  });
});

describe('resolved by hand', () => {
  test('stays so while the same fact is seen', () => {
    expect(resolvedByHand.break).toMatchObject({ state: 'resolved', resolvedBy: 'operator' });
    const seen = seeBreak(resolvedByHand.break, found('FAILED'), day(4));
    expect(seen.change).toBeNull();
    expect(seen.break).toMatchObject({ state: 'resolved', lastSeen: day(4) });
  });

  test('opens again on another fact, and on the same one once a run did not see it', () => {
    expect(seeBreak(resolvedByHand.break, found('DELAYED'), day(4)).change?.kind).toBe('reopened');
    const gone = missBreak(resolvedByHand.break, BANK, day(4));
    expect(gone.change).toBeNull();
    expect(gone.break).toMatchObject({ state: 'resolved', resolvedBy: 'operator', resolvedFact: null });
    expect(seeBreak(gone.break, found('FAILED'), day(5)).change?.kind).toBe('reopened');
  });

  test('a resolved one is neither acknowledged nor resolved again', () => {
    const refused: readonly Break[] = [resolvedByHand.break, resolvedByRun.break];
    for (const one of refused) {
      expect(acknowledgeBreak(one, word(5))).toBeNull();
      expect(resolveBreak(one, word(5))).toBeNull();
    }
  });
});
