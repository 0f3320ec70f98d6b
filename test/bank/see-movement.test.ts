import { parseJson } from '../../src/bank/http/json';
import { readMovement } from '../../src/bank/movements/movement-schema';
import { seeMovement } from '../../src/bank/movements/see-movement';
import type { Movement } from '../../src/domain/movement';
import { MOVEMENT_TEXT, ORDER } from './fixtures';

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

test('a mismatch names paths, not values', () => {
  const seen = seeMovement(ORDER, { movement: movement({ amount: '100.11' }), evidenceSha256 });
  expect(seen).toMatchObject({ echo: 'mismatch', echoFields: ['details.amount'] });
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

test('a status that is no word is a short hash', () => {
  const { status } = seeMovement(ORDER, {
    movement: movement({ status: 'Pago de Juan Pérez' }),
    evidenceSha256,
  });
  expect(status).toMatch(/^UNREADABLE_[0-9A-F]{8}$/);
  const again = seeMovement(ORDER, { movement: movement({ status: 'Pago de Juan Pérez' }), evidenceSha256 });
  expect(again.status).toBe(status);
});
