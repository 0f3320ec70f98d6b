import type { NotifiedDebit } from '../../src/journal/statements/orphan-debits';
import { mergeSameDebits } from '../../src/journal/statements/orphan-debits';

let keys = 0;
const debit = (ids: Partial<NotifiedDebit>): NotifiedDebit => ({
  deliveryKey: `evt-${(keys += 1)}`,
  movementType: 'DEBIT_X',
  ...{ originIds: [], movementIds: [], networkIds: [] },
  receivedAt: '2026-01-05T10:00:00.000Z',
  ...ids,
});

test('the notifications of one debit are one, under the first, with the ids of all', () => {
  const created = debit({ movementIds: ['M-9'] });
  const sent = debit({ movementIds: ['M-9'], networkIds: ['N-9'], receivedAt: '2026-01-05T10:05:00.000Z' });
  const settled = debit({ movementIds: ['evt-x'], networkIds: ['N-9'] });
  expect(mergeSameDebits([created, debit({ movementIds: ['M-8'] }), sent, settled])).toEqual([
    { ...created, movementIds: ['M-9', 'evt-x'], networkIds: ['N-9'] },
    expect.objectContaining({ movementIds: ['M-8'] }),
  ]);
});

test('two debits stay two, whatever else they share', () => {
  const two = [
    debit({ movementIds: ['shared'], networkIds: ['N-1'] }),
    debit({ movementIds: ['shared'], networkIds: ['N-2'] }),
    debit({ originIds: [1], movementIds: ['other'] }),
    debit({ originIds: [2], movementIds: ['other'] }),
    debit({}),
    debit({}),
  ];
  expect(mergeSameDebits(two)).toEqual(two);
});
