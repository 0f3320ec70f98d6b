import { planOf } from '../../dev/simulate/plan';
import { cutTo, shrink, wholeOf } from '../../dev/simulate/shrink';
import type { Cut } from '../../dev/simulate/shrink';

const plan = planOf({ seed: 3, transfers: 16, firstOriginId: 1 });
const whole = wholeOf(plan);

test('the whole of a plan is the plan', () => {
  expect(cutTo(plan, whole)).toEqual(plan);
});

test('a part keeps the transfers and faults that it names, and nothing else', () => {
  const [first = -1, second = -1] = whole.faulted;
  const part = cutTo(plan, { transfers: [first, second], faulted: [second], system: false });
  expect(part.transfers).toEqual([plan.transfers[first], plan.transfers[second]]);
  expect(part.faults).toEqual(plan.faults.filter(({ originId }) => originId === second + 1));
  expect(part.faults).toHaveLength(1);
  expect([...part.sendingStops, ...part.receiverFaults]).toEqual([]);
});

test('finds the one transfer and the one fault that it takes', async () => {
  const [culprit = -1] = whole.faulted;
  const fails = ({ transfers, faulted }: Cut) =>
    Promise.resolve(transfers.includes(culprit) && faulted.includes(culprit));
  const found = await shrink({ from: whole, suspects: [culprit], fails, triesMax: 20 });
  expect(found).toEqual({ transfers: [culprit], faulted: [culprit], system: false });
});

test('finds two that fail only together, though only one of them is seen to be wrong', async () => {
  const fails = ({ transfers }: Cut) => Promise.resolve(transfers.includes(4) && transfers.includes(11));
  const found = await shrink({ from: whole, suspects: [4], fails, triesMax: 200 });
  expect(found).toEqual({ transfers: [4, 11], faulted: [], system: false });
});

test('asks at most so often, and asks nothing twice', async () => {
  const asked: string[] = [];
  const fails = (cut: Cut) => {
    asked.push(JSON.stringify(cut));
    return Promise.resolve(false);
  };
  expect(await shrink({ from: whole, suspects: [1], fails, triesMax: 5 })).toEqual(whole);
  expect(asked).toHaveLength(5);
  expect(new Set(asked).size).toBe(5);
});

test('tries no further part when the time is up', async () => {
  const asked: Cut[] = [];
  const fails = (cut: Cut) => Promise.resolve(asked.push(cut) > 0);
  const [first = -1, second = -1] = whole.transfers;
  const found = await shrink({
    ...{ from: whole, suspects: [first, second], fails, triesMax: 20, isTimeUp: () => asked.length === 1 },
  });
  expect(asked).toEqual([found]);
  expect(found.transfers).toEqual([first, second]);
});
