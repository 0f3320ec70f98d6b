import type { SeenMovement } from '../../../src/domain/transfer/answers';
import { initialState } from '../../../src/domain/transfer/state';
import { NO_STATUS, withStatus } from '../../../src/domain/transfer/movement-status';
import { viewOf } from '../../../src/domain/transfer/view';
import { seen } from './world';

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
