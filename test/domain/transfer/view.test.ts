import type { SeenMovement } from '../../../src/domain/transfer/answers';
import { apply } from '../../../src/domain/transfer/apply';
import { nextStep } from '../../../src/domain/transfer/next-step';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { NO_STATUS, withStatus } from '../../../src/domain/transfer/movement-status';
import { viewOf } from '../../../src/domain/transfer/view';
import { live, seen } from './world';

const AT = Date.parse('2026-05-12T14:03:07Z');

const ordered = { amount: '1500.25', currency: '032' };

const doubtOf = (last: SeenMovement | null) => {
  const state = initialState(4711, AT);
  return viewOf(
    {
      ...state,
      amount: { currency: ordered.currency, value: ordered.amount },
      bank: { ...state.bank, lastAnswer: last && { ...last, number: 2, atMs: AT } },
    },
    (ms) => new Date(ms).toISOString(),
  ).doubtfulAnswer;
};

const mismatch = seen({ status: 'COMPLETED', echo: 'mismatch' });

test('ordered and reported amount and currency are side by side', () => {
  expect(doubtOf({ ...mismatch, reported: { amount: '1600.00', currency: '840' } })).toEqual({
    status: 'COMPLETED',
    echo: 'mismatch',
    fields: ['amount'],
    at: '2026-05-12T14:03:07.000Z',
    ordered,
    reported: { amount: '1600.00', currency: '840' },
  });
});

test('of an answer that reported none, or was recorded without it: null', () => {
  const none = { amount: null, currency: null };
  expect(doubtOf({ ...mismatch, reported: none })).toMatchObject({ ordered, reported: none });
  expect(doubtOf(mismatch)).toMatchObject({ ordered, reported: none });
});

test('without a doubt there is nothing to compare', () => {
  expect(doubtOf(null)).toBeNull();
  expect(doubtOf(seen({ status: 'COMPLETED', echo: 'match' }))).toBeNull();
});

describe('the next poll', () => {
  const received = live({ creates: [], lookups: [], durations: [0], signals: [], decisions: [] }, 1).state;
  const nextPollAt = (state: TransferState) => viewOf(state, String).nextPollAt;

  test('none is planned while the first create is in flight: it had no due time', () => {
    expect(nextStep(received, AT)).toMatchObject({ do: 'create' });
    expect(nextPollAt(received)).toBeNull();
  });

  test('a first create that the limiter defers has a due time', () => {
    const deferred = apply(received, { kind: 'request-deferred', atMs: AT, afterMs: 2_000 });
    expect(nextPollAt(deferred)).toBe(String(AT + 2_000));
  });
});

test('an id that comes with a later answer is shown, and an answer without one keeps it', () => {
  const ids = { movementId: '900', network: 'COELSA', networkId: 'L8E5' };
  const without = { movementId: null, network: null, networkId: null };
  const first = withStatus(NO_STATUS, { ...seen({ status: 'CREATED', echo: 'match' }), ...without }, AT);
  expect(first).toMatchObject(without);
  const later = withStatus(first, { ...seen({ status: 'IN_PROGRESS', echo: 'match' }), ...ids }, AT);
  expect(later).toMatchObject(ids);
  expect(
    withStatus(later, { ...seen({ status: 'COMPLETED', echo: 'match' }), ...without }, AT),
  ).toMatchObject(ids);
});
