import { parseJson } from '../../src/bank/http/json';
import { readMovement } from '../../src/bank/apibank/movements/read-movement';
import { observeMovement } from '../../src/bank/movements/observation';
import type { Movement } from '../../src/domain/movement';
import { MOVEMENT_TEXT, ORDER, seeMovement } from './fixtures';

const evidenceSha256 = 'ab'.repeat(32);

function movement(changes: Partial<Movement> = {}): Movement {
  const json = parseJson(MOVEMENT_TEXT);
  const read = readMovement(json.ok ? json.value : null);
  if (read === null) throw new Error('the fixture is no movement');
  return { ...read, ...changes };
}

test('a movement as the transfer sees it', () => {
  expect(seeMovement(ORDER, { movement: movement(), evidenceSha256 })).toEqual({
    status: 'IN_PROGRESS',
    movementId: '8812345678901234567',
    network: 'COELSA',
    networkId: 'EXM1ZL9PQ2QY5QGLN6R08D',
    postingAt: '2026-03-01T12:00:00.000Z',
    completedAt: null,
    echo: 'match',
    echoFields: [],
    evidenceSha256,
  });
});

test.each([
  ...['8812', 'EXM1ZL9PQ2QY5QGLN6R08D', 'a.b_c-4', 'B17/2026:55.1', 'x'.repeat(64)].map((id) => [id, id]),
  ...['juan.perez.mp', '20.218.346', '20/21834641/4', '12/03/1985', 'PEREZ/JUAN', '.a1'].map((id) => [
    id,
    null,
  ]),
  ...['', 'Juan Pérez', 'ana@example.com', 'x'.repeat(65), '8812 '].map((id) => [id, null]),
])('the id %j is seen as %j', (id, seen) => {
  expect(seeMovement(ORDER, { movement: movement({ id, networkId: id }), evidenceSha256 })).toMatchObject({
    movementId: seen,
    networkId: seen,
  });
});

test('a mismatch names fields, not values', () => {
  const seen = seeMovement(ORDER, { movement: movement({ amount: '100.11' }), evidenceSha256 });
  expect(seen).toMatchObject({ echo: 'mismatch', echoFields: ['amount'] });
});

test('an answer that does not match keeps the reported amount and currency', () => {
  const reportedIn = (changes: Partial<Movement>) =>
    seeMovement(ORDER, { movement: movement(changes), evidenceSha256 }).reported;
  const { currency } = movement();
  expect(reportedIn({})).toBeUndefined();
  expect(reportedIn({ amount: '100.11' })).toEqual({ amount: '100.11', currency });
  expect(reportedIn({ amount: '1.5e3', currency: 'ARS' })).toEqual({ amount: '1500.00', currency: 'ARS' });
  expect(reportedIn({ amount: null })).toEqual({ amount: null, currency });
  expect(reportedIn({ destination: { address: '1', personIds: [] } })).toEqual({
    ...{ amount: '100.10', currency },
  });
  // Nothing was ordered: there is nothing to compare it with.
  expect(seeMovement(null, { movement: movement(), evidenceSha256 }).reported).toBeUndefined();
});

test.each<[string, string | null]>([
  ['100.1', '100.10'],
  ['1.001e2', '100.10'],
  ['0100.10', '100.10'],
  ['100.101', '100.101'],
  ['-7', '-7.00'],
  ['0', '0.00'],
  ['9999999999999.99', '9999999999999.99'],
  ['10000000000000', null],
  ['0.1234567', null],
  ['1e400', null],
  ['100,10', null],
  ['Juan Pérez', null],
  ['a tax id: 20-21834641-4', null],
  // Digits of a tax id or an account are no amount, whatever field they come in.
  ['20218346414', null],
  ['00000020218346414.00', null],
  ['0009001600000000000017', null],
])('the reported amount %j is told as %j', (amount, told) => {
  const answer = { movement: movement({ amount, currency: '840' }), evidenceSha256 };
  expect(seeMovement(ORDER, answer).reported).toEqual({ amount: told, currency: '840' });
});

test.each(['Juan Pérez', 'ana', 'ARSX', '0320', '', '03 2'])('the currency %j does not pass', (currency) => {
  expect(
    seeMovement(ORDER, { movement: movement({ currency, amount: '7' }), evidenceSha256 }).reported,
  ).toEqual({ amount: '7.00', currency: null });
});

test('accounts and tax ids that differ are separate from what a transfer may know', () => {
  const destination = { address: '3220001880500009999902', personIds: ['27361705039'] };
  const { movement: seen, differing } = observeMovement(ORDER, {
    movement: movement({ destination }),
    evidenceSha256,
  });
  expect(differing.map(({ reported }) => reported)).toEqual([['3220001880500009999902'], ['27361705039']]);
  expect(JSON.stringify(seen)).not.toMatch(/3220001880500009999902|27361705039/);
  expect(seen).toEqual(seeMovement(ORDER, { movement: movement({ destination }), evidenceSha256 }));
  expect(observeMovement(ORDER, { movement: movement(), evidenceSha256 }).differing).toEqual([]);
});

test('text that could be personal does not pass', () => {
  const words = ['Juan Pérez', 'a@b.c', 'x'.repeat(65), 'line\nbreak', '{}', '<b>'];
  for (const word of words) {
    const changes = { id: word, network: word, networkId: word, postingAt: word, completedAt: word };
    expect(seeMovement(ORDER, { movement: movement(changes), evidenceSha256 })).toMatchObject({
      movementId: null,
      network: null,
      networkId: null,
      postingAt: null,
      completedAt: null,
    });
  }
});

test.each(['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.1234567', '2026-03-01T09:00:00-03:00'])(
  'the timestamp %s passes',
  (completedAt) => {
    expect(seeMovement(ORDER, { movement: movement({ completedAt }), evidenceSha256 })).toMatchObject({
      completedAt,
    });
  },
);

test('a status that does not look like one becomes a short hash', () => {
  const { status } = seeMovement(ORDER, {
    movement: movement({ status: 'Pago de Juan Pérez' }),
    evidenceSha256,
  });
  expect(status).toMatch(/^UNREADABLE_[0-9A-F]{8}$/);
  const again = seeMovement(ORDER, { movement: movement({ status: 'Pago de Juan Pérez' }), evidenceSha256 });
  expect(again.status).toBe(status);
});
