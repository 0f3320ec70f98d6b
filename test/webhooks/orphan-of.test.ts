import type { NotifiedEvent } from '../../src/webhooks/notification';
import { orphanOf } from '../../src/webhooks/process-notification';

const leased = { deliveryKey: 'id:evt-1' };
const event = (movementIds: readonly string[]): NotifiedEvent => ({
  ids: { originIds: [4711], movementIds, networkIds: ['N-1'], requestIds: ['r-1'] },
  direction: 'debit',
  movementType: 'DEBIT_X',
});

test('no account and no tax id gets into a record that is kept for ever', () => {
  const { movementIds, ...rest } = orphanOf(
    event(['880011', '0009001600000000000017', '0009001600000000000018', '20218346414', '20-21834641-4']),
    leased,
    0,
  );
  expect(movementIds).toEqual(['880011']);
  expect(rest).toEqual({ ...leased, movementType: 'DEBIT_X', originIds: [4711], networkIds: ['N-1'] });
});

test('the debits of one notification have keys of their own, which no delivery can have', () => {
  const keys = [0, 1, 2].map((index) => orphanOf(event([]), leased, index).deliveryKey);
  expect(keys).toEqual(['id:evt-1', 'id:evt-1 2', 'id:evt-1 3']);
});
