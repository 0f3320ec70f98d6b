import { recoverLeastRecentlyChecked } from '../../src/recovery/least-recently-checked';

const TURNS = Array.from({ length: 25 }, (_, i) => i);

/** A recovery over 25 items, of which `broken` throw. */
function walk(broken: readonly number[], isOutage: boolean) {
  const marked: number[] = [];
  const checkedSoFar = recoverLeastRecentlyChecked<number, 'REFUSED'>({
    page: ({ after }) => Promise.resolve({ began: 'now', turns: after === null ? TURNS : [] }),
    recoverOne: (turn) =>
      broken.includes(turn) ? Promise.reject(new Error(`turn ${turn}`)) : Promise.resolve('recovered'),
    isOutage: () => isOutage,
    mark: (turns) => {
      marked.push(...turns);
      return Promise.resolve();
    },
    ...{ checksMax: 100, startsMax: 100, isOver: () => false },
  });
  return { checkedSoFar, marked };
}

test('an error of one is reported, and neither stops the others nor comes first again', async () => {
  const { checkedSoFar, marked } = walk([0, 22], false);
  expect(await checkedSoFar).toMatchObject({
    ...{ checked: 25, failedInAll: 2, more: false },
    failed: [
      { turn: 0, reason: 'UNEXPECTED' },
      { turn: 22, reason: 'UNEXPECTED' },
    ],
  });
  expect(marked).toEqual(TURNS);
});

test('an outage ends the recovery, and what was not checked stays first', async () => {
  const { checkedSoFar, marked } = walk([22], true);
  await expect(checkedSoFar).rejects.toThrow('turn 22');
  expect(marked).toEqual(TURNS.slice(0, 20));
});
