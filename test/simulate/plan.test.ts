import { CAMPAIGN, FIRED_MIN } from '../../dev/simulate/campaign';
import { FAULT_POINTS } from '../../dev/simulate/faults';
import { planOf } from '../../dev/simulate/plan';
import type { Plan } from '../../dev/simulate/plan';
import { drawsOf } from '../../dev/simulate/random';
import { SYSTEM_FAULTS, systemFaultsOf } from '../../dev/simulate/system-faults';
import { validateOrder } from '../../src/domain/order-validation';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { RuleSet } from '../../src/sandbox-bank/rules/rule-set';

const options = { seed: 7, transfers: 40, firstOriginId: 1_001 };

test('the same seed is the same plan, another one another', () => {
  expect(planOf(options)).toEqual(planOf(options));
  expect(planOf({ ...options, seed: 8 })).not.toEqual(planOf(options));
});

test('fewer transfers are the first ones of the same plan', () => {
  const plan = planOf(options);
  expect(planOf({ ...options, transfers: 5 }).transfers).toEqual(plan.transfers.slice(0, 5));
});

test('what happens to a transfer does not depend on its originId', () => {
  const stories = (firstOriginId: number) =>
    planOf({ ...options, firstOriginId }).transfers.map(({ story, startMs }) => ({ story, startMs }));
  expect(stories(900_001)).toEqual(stories(1_001));
});

test('orders are good ones, and the sandbox bank takes the rules', () => {
  const { transfers } = planOf({ ...options, transfers: 500 });
  for (const { order } of transfers) expect(validateOrder(order, DEFAULT_ORDER_LIMITS).ok).toBe(true);
  expect(() => RuleSet.read(JSON.parse(JSON.stringify(transfers.map(({ rule }) => rule))))).not.toThrow();
});

test('one seed in five runs in real time', () => {
  const clocks = Array.from({ length: 10 }, (_, seed) => planOf({ ...options, seed }).clock);
  expect(clocks.filter((clock) => clock === 'bank')).toHaveLength(2);
});

test('one seed in four is signed, half of these encrypted too', () => {
  const plans = Array.from({ length: 16 }, (_, seed) => planOf({ ...options, seed }));
  expect(plans.filter(({ isEncrypted }) => isEncrypted)).toHaveLength(4);
  expect(plans.filter(({ isSigned }) => isSigned)).toHaveLength(4);
  expect(plans.filter(({ isSigned, isEncrypted }) => isSigned && isEncrypted)).toHaveLength(2);
});

describe('of 4,000 transfers', () => {
  const { transfers, faults } = planOf({ ...options, transfers: 4_000 });
  const share = (count: number): number => count / transfers.length;
  const told = (part: string): number => share(transfers.filter(({ story }) => story.includes(part)).length);

  test.each([
    ['create ', 0.4],
    ['look-up ', 0.4 * 0.97],
    ['vanishes', 0.03],
    ['a wrong amount', 0.03],
    ['notified lost', 2 / 15],
    ['without end', 4 / 96],
    ['delayed', 22 / 96],
  ])('%s: a share of %f', (part, expected) => {
    expect(Math.abs(told(part) - expected)).toBeLessThan(0.03);
  });

  test('half meet a process fault, four of five of these a kill, and every point is met', () => {
    expect(Math.abs(share(faults.length) - 0.5)).toBeLessThan(0.03);
    const kills = faults.filter(({ action }) => action === 'kill').length;
    expect(Math.abs(kills / faults.length - 0.8)).toBeLessThan(0.03);
    expect(new Set(faults.map(({ point }) => point))).toEqual(new Set(Object.keys(FAULT_POINTS)));
  });

  test('nine in ten of those that run long, are decided about or are cancelled meet a process fault', () => {
    const rare = transfers.filter(
      ({ course: { isFlagged, isLong }, decision, cancelMs }) =>
        isLong || cancelMs !== null || (isFlagged && decision !== null),
    );
    const struck = rare.filter(({ order }) => faults.some(({ originId }) => originId === order.originId));
    expect(Math.abs(struck.length / rare.length - 0.9)).toBeLessThan(0.03);
  });

  test('a worker is struck during a POST only while the bank holds the answer', () => {
    const struck = faults.filter(({ point }) => point === 'during the POST').map(({ originId }) => originId);
    const stories = transfers
      .filter(({ order }) => struck.includes(order.originId))
      .map(({ story }) => story);
    expect(stories.length).toBeGreaterThan(40);
    for (const story of stories)
      expect(story).toMatch(/^[^;]+; create (slow|timeout-before|timeout-after|never taken)/);
  });

  test('several faults at once are the rule, not the exception', () => {
    expect(share(transfers.filter(({ story }) => story.split('; ').length >= 4).length)).toBeGreaterThan(
      0.25,
    );
  });
});

describe('of a whole campaign', () => {
  const plans = Array.from({ length: CAMPAIGN.seeds }, (_, i) =>
    planOf({ ...options, seed: i + 1, transfers: CAMPAIGN.transfers }),
  );

  // Some transfers end before they come to their point.
  test.each(Object.keys(FAULT_POINTS))('workers are to be struck 40 times %s', (point) => {
    const planned = plans.flatMap(({ faults }) => faults).filter((it) => it.point === point);
    expect(planned.length).toBeGreaterThanOrEqual(2 * FIRED_MIN);
  });

  test.each(systemFaultsOf('file'))('%s: five times', (name) => {
    const planned = plans.flatMap(({ systemFaults }) => systemFaults).filter((it) => it.name === name);
    expect(planned.length).toBeGreaterThanOrEqual(5);
  });

  test('with Temporal on PostgreSQL its PostgreSQL is struck too, and nothing else is planned differently', () => {
    const names = (plan: Plan) => new Set(plan.systemFaults.map(({ name }) => name));
    const onPostgres = planOf({ ...options, transfers: 4_000, engineStore: 'postgres' });
    expect(names(onPostgres)).toEqual(new Set(Object.keys(SYSTEM_FAULTS)));
    const { systemFaults: _, engineStore: __, ...rest } = onPostgres;
    expect(planOf({ ...options, transfers: 4_000 })).toMatchObject(rest);
  });

  test('workers and servers stand still or are gone for minutes too', () => {
    const minutes = (ms: number): boolean => ms >= 60_000;
    const stops = plans.flatMap(({ faults }) => faults).filter(({ action }) => action === 'stop');
    expect(stops.filter(({ stopMs }) => minutes(stopMs)).length).toBeGreaterThan(20);
    const long = plans.flatMap(({ systemFaults }) => systemFaults).filter(({ forMs }) => minutes(forMs));
    expect(new Set(long.map(({ name }) => SYSTEM_FAULTS[name].how)).size).toBeGreaterThan(3);
  });

  test('more than 500 kills; keys are lost, clocks are wrong', () => {
    const kills = plans.flatMap(({ faults }) => faults).filter(({ action }) => action === 'kill');
    expect(kills.length).toBeGreaterThan(500);
    expect(plans.filter(({ keyLosses }) => keyLosses.length > 0)).toHaveLength(5);
    expect(plans.filter(({ clocksAheadMs }) => clocksAheadMs.some((ms) => ms !== 0)).length).toBeGreaterThan(
      5,
    );
  });
});

test('draws: weights of zero never, both ends of a range', () => {
  const draws = drawsOf(1, 'draws');
  const numbers = Array.from({ length: 200 }, () => draws.between(1, 3));
  expect(new Set(numbers)).toEqual(new Set([1, 2, 3]));
  const words = Array.from({ length: 200 }, () => draws.weighted({ never: 0, always: 1 }));
  expect(new Set(words)).toEqual(new Set(['always']));
});
