import fc from 'fast-check';
import { busiestSecond } from '../../../bench/samples';
import {
  BACKGROUND_EVERY,
  PRIORITIES,
  RateLimiter,
  WAIT_MAX_MS,
} from '../../../src/bank/limiter/rate-limiter';
import type { Priority } from '../../../src/bank/limiter/rate-limiter';

interface Gone {
  readonly priority: Priority;
  readonly id: number;
  readonly atMs: number;
  readonly deferrals: number;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Requests that return at their given times until they leave, as workflows do. */
function requests(limiter: RateLimiter) {
  const gone: Gone[] = [];
  let ids = 0;
  const come = async (priority: Priority): Promise<void> => {
    const id = ids++;
    for (let deferrals = 0; ; deferrals += 1) {
      const enteredAtMs = performance.now();
      const turn = await limiter.turn(priority, { returning: deferrals > 0 });
      if (turn.kind === 'now') {
        expect(turn.waitedMs).toBeLessThanOrEqual(WAIT_MAX_MS + 50);
        turn.slot.leave();
        gone.push({ priority, id, atMs: performance.now(), deferrals });
        return;
      }
      expect(performance.now() - enteredAtMs).toBeLessThanOrEqual(WAIT_MAX_MS + 50);
      expect(turn.afterMs).toBeGreaterThanOrEqual(WAIT_MAX_MS);
      await new Promise((resolve) => setTimeout(resolve, turn.afterMs));
    }
  };
  return {
    gone,
    come: (priority: Priority, times = 1) => void Array.from({ length: times }, () => come(priority)),
  };
}

test('a few at once go at once', async () => {
  const { gone, come } = requests(new RateLimiter(100));
  come('create', 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(gone).toHaveLength(5);
});

test('never more in a second than the limit, and no less while there is work', async () => {
  const { gone, come } = requests(new RateLimiter(100));
  come('lookup', 1_000);
  await jest.advanceTimersByTimeAsync(12_000);
  expect(gone).toHaveLength(1_000);
  expect(busiestSecond(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(100);
});

test('a backlog goes in order, and hardly anyone is sent away twice', async () => {
  const { gone, come } = requests(new RateLimiter(100));
  come('create', 1_000);
  await jest.advanceTimersByTimeAsync(12_000);
  expect(gone.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, id) => id));
  expect(Math.max(...gone.map(({ deferrals }) => deferrals))).toBe(1);
});

test('who comes later does not pass those who wait for their moment', async () => {
  const { gone, come } = requests(new RateLimiter(10));
  come('create', 100);
  await jest.advanceTimersByTimeAsync(3_050);
  come('create');
  await jest.advanceTimersByTimeAsync(20_000);
  expect(gone).toHaveLength(101);
  expect(gone.at(-1)?.id).toBe(100);
});

test.each(['create', 'lookup'] as const)(
  'a flood of %s does not starve the other priority: it has its half at once',
  async (flooded) => {
    const limiter = new RateLimiter(100);
    const { gone, come } = requests(limiter);
    const rival: Priority = flooded === 'create' ? 'lookup' : 'create';
    come(flooded, 3_000);
    for (let second = 0; second < 10; second += 1) {
      come(rival, 40);
      await jest.advanceTimersByTimeAsync(1_000);
    }
    const ofRival = gone.filter(({ priority }) => priority === rival);
    expect(ofRival.length).toBeGreaterThanOrEqual(9 * 40);
    expect(ofRival.every(({ deferrals }) => deferrals === 0)).toBe(true);
    expect(gone.length - ofRival.length).toBeGreaterThan(10 * 40);
    expect(busiestSecond(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(100);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gone).toHaveLength(3_400);
  },
);

test('a flood in the background takes nothing from movements: they go at once, and it gets what they leave', async () => {
  const limiter = new RateLimiter(100);
  const { gone, come } = requests(limiter);
  come('background', 3_000);
  await jest.advanceTimersByTimeAsync(2_000);
  const waits: number[] = [];
  for (let tick = 0; tick < 500; tick += 1) {
    const priority = tick % 2 === 0 ? 'create' : 'lookup';
    void limiter.turn(priority, { returning: false }).then((turn) => {
      if (turn.kind === 'now') turn.slot.leave();
      waits.push(turn.kind === 'now' ? turn.waitedMs : Infinity);
    });
    await jest.advanceTimersByTimeAsync(20);
  }
  expect(waits).toHaveLength(500);
  // At most: how far requests may run ahead of even spacing, plus the spacing of one call, plus a late timer.
  expect(Math.max(...waits)).toBeLessThanOrEqual(75);
  const besides = gone.filter(({ atMs }) => atMs > gone[0]!.atMs + 3_000).length;
  expect(besides).toBeGreaterThan(300);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(gone).toHaveLength(3_000);
});

test.each([3, 8, 20])(
  'movement requests that want more than %i a second: background requests have one call in twenty',
  async (rate) => {
    const { gone, come } = requests(new RateLimiter(rate));
    come('background', 10 * rate);
    for (let second = 0; second < 60; second += 1) {
      come('create', rate);
      come('lookup', rate);
      await jest.advanceTimersByTimeAsync(1_000);
    }
    const background = gone.filter(({ priority }) => priority === 'background');
    expect(background.length / gone.length).toBeGreaterThanOrEqual(0.9 / BACKGROUND_EVERY);
    // The first ones find nobody before them.
    expect(background.length / gone.length).toBeLessThanOrEqual(1.5 / BACKGROUND_EVERY);
  },
);

test('the second call of a request goes before all others, and counts', async () => {
  const limiter = new RateLimiter(10);
  const { gone, come } = requests(limiter);
  come('create', 8);
  const repeated: number[] = [];
  void limiter.repeat().then((slot) => {
    slot.leave();
    repeated.push(performance.now());
  });
  await jest.advanceTimersByTimeAsync(3_000);
  expect(repeated[0]).toBeLessThan(gone[1]!.atMs);
  expect(busiestSecond([...gone.map(({ atMs }) => atMs), ...repeated])).toBeLessThanOrEqual(10);
});

test('a slot that was given back is the next one', async () => {
  const limiter = new RateLimiter(1);
  const turn = await limiter.turn('create', { returning: false });
  if (turn.kind === 'now') turn.slot.giveBack();
  expect(await limiter.turn('create', { returning: false })).toMatchObject({ kind: 'now', waitedMs: 0 });
});

test('any arrivals at any rate: all go in the end, and no second has too many', async () => {
  const arrivals = fc.array(
    fc.record({
      waitMs: fc.nat(800),
      priority: fc.constantFrom(...PRIORITIES),
      times: fc.integer({ min: 1, max: 15 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 3, max: 60 }), arrivals, async (rate, list) => {
      const { gone, come } = requests(new RateLimiter(rate));
      for (const { waitMs, priority, times } of list) {
        come(priority, times);
        await jest.advanceTimersByTimeAsync(waitMs);
      }
      const all = list.reduce((sum, { times }) => sum + times, 0);
      await jest.advanceTimersByTimeAsync((all / rate) * 4_000 + 10_000);
      expect(gone).toHaveLength(all);
      expect(busiestSecond(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(rate);
    }),
    { numRuns: 60 },
  );
});
