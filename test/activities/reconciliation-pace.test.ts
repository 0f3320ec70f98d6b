import { Pace } from '../../src/activities/reconciliation/pace';

test('turns are evenly spaced, however many ask at once; a pause earns no burst', () => {
  const pace = new Pace(10);
  expect([0, 0, 0, 50].map((nowMs) => pace.take(nowMs))).toEqual([0, 100, 200, 250]);
  expect([5_000, 5_000].map((nowMs) => pace.take(nowMs))).toEqual([0, 100]);
});

test('0 is no limit', () => {
  const pace = new Pace(0);
  expect([0, 0, 0].map((nowMs) => pace.take(nowMs))).toEqual([0, 0, 0]);
});
