import { chart } from '../../bench/throughput/chart';
import type { Round } from '../../bench/throughput/measure';
import { goalsOf, historyCosts, median, medianRatio, spread } from '../../bench/throughput/report';
import type { Measured } from '../../bench/throughput/report';

const round = (perSecond: number, worker: number, engine: number): Round => ({
  perSecond,
  cpuMs: { worker, engine, 'bank and callers': 99 },
});
const measured = (name: Measured['name'], rounds: readonly Round[]): Measured => ({
  ...{ name, rounds, histories: null, kill: null },
});

test('medians and spread', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(spread([3, 1, 2])).toBe('2.0 (1.0–3.0)');
  expect(spread([])).toBe('–');
});

test('a ratio is taken within a round: what the machine does to both cancels out', () => {
  const ours = [round(10, 0, 0), round(5, 0, 0), round(20, 0, 0)];
  const theirs = [round(20, 0, 0), round(10, 0, 0), round(20, 0, 0)];
  expect(medianRatio(ours, theirs, ({ perSecond }) => perSecond)).toBe(0.5);
});

test('goals: bounds from both sides; bank and callers do not count', () => {
  const goals = goalsOf([
    measured('giro', [round(12, 40, 40)]),
    measured('naive', [round(10, 50, 50)]),
    measured('floor', [round(20, 30, 30)]),
  ]);
  expect(goals.map(({ measured: value, isReached }) => [value, isReached])).toEqual([
    ['1.20', true],
    ['0.60', false],
    ['0.80', true],
  ]);
  expect(goalsOf([measured('naive', [round(10, 50, 50)])])).toEqual([]);
});

test('goals: a create that was sent twice misses one', () => {
  const kill = { orders: 40, createsTwice: 1, backAfterS: 10 };
  expect(goalsOf([{ ...measured('giro', [round(1, 1, 1)]), kill }])).toEqual([
    { what: 'creates sent twice after kill -9', measured: '1', bound: '0', isReached: false },
  ]);
});

test('histories: what one more poll and continue-as-new add', () => {
  const costs = historyCosts({
    short: [{ events: 28, transitions: 12 }],
    failed: [{ events: 33, transitions: 15 }],
    'one more poll': [{ events: 34, transitions: 15 }],
    // 38 polls more than the short one.
    long: [
      { events: 200, transitions: 100 },
      { events: 61, transitions: 29 },
    ],
  });
  expect(costs.map(({ what, events, transitions }) => [what, events, transitions])).toEqual([
    ['2 polls', 28, 12],
    ['FAILED', 33, 15],
    ['an unchanged poll', 6, 3],
    ['continue-as-new', 261 - 28 - 38 * 6, 129 - 12 - 38 * 3],
  ]);
});

test('the chart has a bar for each contestant in both groups', () => {
  const svg = chart({
    contestants: [measured('giro', [round(10, 40, 40)]), measured('naive', [round(20, 30, 30)])],
  });
  expect(svg.match(/<rect x=/g)).toHaveLength(4);
  expect(svg).toContain('>80.0<');
});
