import { TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import { apply } from '../../src/domain/transfer/apply';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import {
  entryOfStart,
  indexEntry,
  indexedNow,
  isMisleading,
  mayLag,
  startAttributes,
} from '../../src/workflows/transfer/index-entry';
import type { Indexed } from '../../src/workflows/transfer/index-entry';
import { received } from '../domain/transfer/received';

const OPENED = Date.parse('2026-05-12T12:00:00.000Z');
const atStart = new TypedSearchAttributes(startAttributes(4711, OPENED));
const sending = apply(initialState(4711, OPENED), received(OPENED + 10, null));

describe('the entry that a start wrote', () => {
  test('is known to the run', () => {
    expect(entryOfStart(atStart, 4711)).toEqual(indexEntry(initialState(4711, OPENED)));
  });

  test.each([
    ['nothing', new TypedSearchAttributes()],
    ["another transfer's", new TypedSearchAttributes(startAttributes(4712, OPENED))],
    [
      'something more',
      atStart.updateCopy([
        { key: { name: 'GiroMovementId', type: 'KEYWORD' } as never, value: '9' as never },
      ]),
    ],
  ])('is not taken from a start that wrote %s', (_, attributes) => {
    expect(entryOfStart(attributes, 4711)).toBeNull();
  });
});

test('what a start wrote misleads unless it is so, or only its time differs', () => {
  const refused = initialState(4711, OPENED + 5_000);
  expect(isMisleading(new TypedSearchAttributes(), refused)).toBe(false);
  expect(isMisleading(atStart, refused)).toBe(false);
  expect(isMisleading(new TypedSearchAttributes(startAttributes(4712, OPENED)), refused)).toBe(true);
  const claims = { GiroStatus: 'FAILED', GiroNetworkId: '9', GiroAttentionReason: 'VANISHED' };
  for (const [name, value] of Object.entries(claims)) {
    const found = atStart.updateCopy([{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }]);
    expect([name, isMisleading(found, refused)]).toEqual([name, true]);
  }
});

test('the first entry unsets what a start wrote that is not true', () => {
  const found = atStart.updateCopy([
    { key: defineSearchAttributeKey('GiroAttentionReason', 'KEYWORD'), value: 'VANISHED' },
    { key: defineSearchAttributeKey('GiroNetworkId', 'KEYWORD'), value: '9' },
    { key: defineSearchAttributeKey('OfTheHouse', 'KEYWORD'), value: 'stays' },
  ]);
  const nothing: Indexed = { entry: null, requests: 0, ms: OPENED, isByStart: false };
  const { changes } = indexedNow(nothing, sending, { nowMs: OPENED, found });
  const unset = changes.filter(({ value }) => value === null).map(({ key }) => key.name);
  expect(unset.toSorted()).toEqual(['GiroAttentionReason', 'GiroNetworkId']);
});

describe('the index of an active transfer may lag', () => {
  /** Numbered requests so far, with the latest status. */
  const after = (lastNumber: number, status: string | null, change: Partial<TransferState> = {}) => ({
    ...sending,
    bank: { ...sending.bank, status },
    requests: { ...sending.requests, lastNumber, lastEndedAtMs: OPENED + 1_000 },
    ...change,
  });
  const AT_START: Pick<Indexed, 'requests' | 'ms'> = { requests: 0, ms: OPENED };
  const lags = (state: TransferState, at = AT_START, nowMs = OPENED + 1_000) =>
    mayLag(state, { indexed: indexEntry(initialState(4711, OPENED)), now: indexEntry(state) }, { at, nowMs });

  test('by one request, no more', () => {
    expect(lags(after(0, null))).toBe(true);
    expect(lags(after(1, 'CREATED'))).toBe(true);
    expect(lags(after(2, 'IN_PROGRESS'))).toBe(false);
    expect(lags(after(2, 'IN_PROGRESS'), { ...AT_START, requests: 1 })).toBe(true);
  });

  test.each(['DELAYED', 'COMPLETED', 'FAILED'])('not with %s', (status) => {
    expect(lags(after(1, status))).toBe(false);
  });

  test('not with a flag', () => {
    const flagged = after(1, 'CREATED', { flags: { ...sending.flags, STATUS_UNKNOWN: OPENED } });
    expect(lags(flagged)).toBe(false);
  });

  test('not for longer than a minute, passed or planned', () => {
    expect(lags(after(1, 'CREATED'), AT_START, OPENED + 60_001)).toBe(false);
    const later = after(1, 'CREATED');
    expect(lags({ ...later, requests: { ...later.requests, notBeforeMs: OPENED + 60_001 } })).toBe(false);
  });
});
