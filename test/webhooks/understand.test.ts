import type { LeasedNotification } from '../../src/journal/statements/notifications';
import { understand } from '../../src/webhooks/understand';

const leased = (i: number): LeasedNotification & { readonly body: Buffer } => ({
  ...{ deliveryKey: `d-${i}`, body: Buffer.from(JSON.stringify({ originId: i })) },
  ...{ receivedAtUs: 0, ageMs: 0, tries: 1, unfinished: 0 },
});

test('between any two notifications of a batch everybody else in the process has a turn', async () => {
  let turns = 0;
  let isOver = false;
  const somebodyElse = (): void => {
    turns += 1;
    if (!isOver) setImmediate(somebodyElse);
  };
  setImmediate(somebodyElse);
  const work = await understand(
    Array.from({ length: 50 }, (_, i) => leased(i + 1)),
    {
      inbox: { transfersOf: () => Promise.resolve([]), verificationsOf: () => Promise.resolve([]) },
      reading: { idPointers: [], debitPointer: null, debitTypes: [] },
      onCut: () => undefined,
    },
  );
  isOver = true;
  expect(work.map(({ subjects }) => subjects[0]?.event.ids.originIds)).toEqual(
    Array.from({ length: 50 }, (_, i) => [i + 1]),
  );
  expect(turns).toBeGreaterThanOrEqual(49);
});
