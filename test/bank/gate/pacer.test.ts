import fc from 'fast-check';
import { LANES, Pacer, WAIT_MAX_MS } from '../../../src/bank/gate/pacer';
import type { Lane } from '../../../src/bank/gate/pacer';

interface Gone {
  readonly lane: Lane;
  readonly id: number;
  readonly atMs: number;
  readonly deferrals: number;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Requests that come back at the moments they are given, until they go, as workflows do. */
function requests(pacer: Pacer) {
  const gone: Gone[] = [];
  let ids = 0;
  const come = async (lane: Lane): Promise<void> => {
    const id = ids++;
    for (let deferrals = 0; ; deferrals += 1) {
      const enteredAtMs = performance.now();
      const turn = await pacer.turn(lane, { returning: deferrals > 0 });
      if (turn.kind === 'now') {
        expect(turn.waitedMs).toBeLessThanOrEqual(WAIT_MAX_MS + 50);
        gone.push({ lane, id, atMs: performance.now(), deferrals });
        return;
      }
      expect(performance.now() - enteredAtMs).toBeLessThanOrEqual(WAIT_MAX_MS + 50);
      expect(turn.afterMs).toBeGreaterThanOrEqual(WAIT_MAX_MS);
      await new Promise((resolve) => setTimeout(resolve, turn.afterMs));
    }
  };
  return { gone, come: (lane: Lane, times = 1) => void Array.from({ length: times }, () => come(lane)) };
}

/** Most calls in any second. */
function peak(times: readonly number[]): number {
  return Math.max(0, ...times.map((start) => times.filter((t) => t >= start && t < start + 1_000).length));
}

test('a few at once go at once', async () => {
  const { gone, come } = requests(new Pacer(100));
  come('create', 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(gone).toHaveLength(5);
});

test('never more in a second than the limit and its burst, and no less while there is work', async () => {
  const { gone, come } = requests(new Pacer(100));
  come('lookup', 1_000);
  await jest.advanceTimersByTimeAsync(12_000);
  expect(gone).toHaveLength(1_000);
  expect(peak(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(105);
});

test('a backlog goes in order, and hardly anyone is sent away twice', async () => {
  const { gone, come } = requests(new Pacer(100));
  come('create', 1_000);
  await jest.advanceTimersByTimeAsync(12_000);
  expect(gone.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, id) => id));
  expect(Math.max(...gone.map(({ deferrals }) => deferrals))).toBe(1);
});

test('who comes later does not pass those who wait for their moment', async () => {
  const { gone, come } = requests(new Pacer(10));
  come('create', 100);
  await jest.advanceTimersByTimeAsync(3_050);
  come('create');
  await jest.advanceTimersByTimeAsync(20_000);
  expect(gone).toHaveLength(101);
  expect(gone.at(-1)?.id).toBe(100);
});

test.each(['create', 'lookup'] as const)(
  'a flood of %s does not starve the other lane: it has its half at once',
  async (flooded) => {
    const pacer = new Pacer(100);
    const { gone, come } = requests(pacer);
    const rival: Lane = flooded === 'create' ? 'lookup' : 'create';
    come(flooded, 3_000);
    for (let second = 0; second < 10; second += 1) {
      come(rival, 40);
      await jest.advanceTimersByTimeAsync(1_000);
    }
    const ofRival = gone.filter(({ lane }) => lane === rival);
    expect(ofRival.length).toBeGreaterThanOrEqual(9 * 40);
    expect(ofRival.every(({ deferrals }) => deferrals === 0)).toBe(true);
    expect(gone.length - ofRival.length).toBeGreaterThan(10 * 40);
    expect(peak(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(105);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gone).toHaveLength(3_400);
  },
);

test('a flood beside takes nothing from movements: they go at once, and it gets what they leave', async () => {
  const pacer = new Pacer(100);
  const { gone, come } = requests(pacer);
  come('beside', 3_000);
  await jest.advanceTimersByTimeAsync(2_000);
  const waits: number[] = [];
  for (let tick = 0; tick < 500; tick += 1) {
    const lane = tick % 2 === 0 ? 'create' : 'lookup';
    void pacer
      .turn(lane, { returning: false })
      .then((turn) => waits.push(turn.kind === 'now' ? turn.waitedMs : Infinity));
    await jest.advanceTimersByTimeAsync(20);
  }
  expect(waits).toHaveLength(500);
  // One call's time at this rate, and the timer's.
  expect(Math.max(...waits)).toBeLessThanOrEqual(15);
  const besides = gone.filter(({ atMs }) => atMs > gone[0]!.atMs + 3_000).length;
  expect(besides).toBeGreaterThan(300);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(gone).toHaveLength(3_000);
});

test('while movements want more than there is, what is beside waits; then it goes', async () => {
  const { gone, come } = requests(new Pacer(50));
  come('create', 300);
  come('lookup', 300);
  await jest.advanceTimersByTimeAsync(500);
  come('beside', 20);
  await jest.advanceTimersByTimeAsync(40_000);
  expect(gone).toHaveLength(620);
  const firstBeside = gone.findIndex(({ lane }) => lane === 'beside');
  expect(firstBeside).toBeGreaterThanOrEqual(580);
});

test('the second call of a request goes before all others, and counts', async () => {
  const pacer = new Pacer(10);
  const { gone, come } = requests(pacer);
  come('create', 8);
  const repeated: number[] = [];
  void pacer.repeat().then(() => repeated.push(performance.now()));
  await jest.advanceTimersByTimeAsync(3_000);
  expect(repeated[0]).toBeLessThan(gone[1]!.atMs);
  expect(peak([...gone.map(({ atMs }) => atMs), ...repeated])).toBeLessThanOrEqual(11);
});

test('a turn that was given back is the next one', async () => {
  const pacer = new Pacer(1);
  expect((await pacer.turn('create', { returning: false })).kind).toBe('now');
  pacer.giveBack();
  expect((await pacer.turn('create', { returning: false })).kind).toBe('now');
});

test('any arrivals at any rate: all go in the end, and no second has too many', async () => {
  const arrivals = fc.array(
    fc.record({
      waitMs: fc.nat(800),
      lane: fc.constantFrom(...LANES),
      times: fc.integer({ min: 1, max: 15 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 3, max: 60 }), arrivals, async (rate, list) => {
      const { gone, come } = requests(new Pacer(rate));
      for (const { waitMs, lane, times } of list) {
        come(lane, times);
        await jest.advanceTimersByTimeAsync(waitMs);
      }
      const all = list.reduce((sum, { times }) => sum + times, 0);
      await jest.advanceTimersByTimeAsync((all / rate) * 4_000 + 10_000);
      expect(gone).toHaveLength(all);
      expect(peak(gone.map(({ atMs }) => atMs))).toBeLessThanOrEqual(
        rate + Math.max(1, Math.floor(rate / 20)),
      );
    }),
    { numRuns: 60 },
  );
});
