import { TaskDelays } from '../../src/activities/task-delay';
import { timed } from '../../src/activities/timed';
import type { GivenStep, Seen } from '../../src/activities/timed';

const SEEN = { events: 12, hints: 1, decisions: 0, isCancelled: false } as const;
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const TOOK_MS = 40;
const TEN_MINUTES_MS = 600_000;

/** A worker whose clock is `aheadMs` ahead of the engine's. */
function workerOf(aheadMs: number) {
  const delays = new TaskDelays(() => Date.now());
  /** Carries a step out that its run asked for at `engineMs`, and that the worker is given `delayMs` later. */
  return async (
    given: {
      engineMs?: number;
      delayMs?: number;
      attempt?: number;
      isRecalled?: true;
      during?: () => void;
    } = {},
  ) => {
    const { engineMs = NOW, delayMs = 5, attempt = 1, isRecalled, during } = given;
    const seen: Seen = { ...SEEN, engineMs, ...(isRecalled === undefined ? {} : { isRecalled }) };
    jest.setSystemTime(engineMs + delayMs + aheadMs);
    const step = (): GivenStep => ({ workflowId: 'transfer-1', givenMs: Date.now(), attempt });
    const activity = timed(
      (status: string) => {
        jest.advanceTimersByTime(TOOK_MS);
        during?.();
        return Promise.resolve({ status });
      },
      step,
      delays,
    );
    return activity('CREATED', seen);
  };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

describe('a local activity tells', () => {
  it('its result, and what the run had seen', async () => {
    expect(await workerOf(0)()).toMatchObject({ status: 'CREATED', seen: { ...SEEN, engineMs: NOW } });
  });

  it.each([
    { worker: 'at the same time', aheadMs: 0 },
    { worker: 'a little ahead', aheadMs: 1_500 },
    { worker: 'ten minutes ahead', aheadMs: TEN_MINUTES_MS },
    { worker: 'ten minutes behind', aheadMs: -TEN_MINUTES_MS },
    { worker: 'of a server that skips time', aheadMs: -86_400_000 },
  ])("the engine's time and how long it took, by a worker $worker", async ({ aheadMs }) => {
    const step = workerOf(aheadMs);
    expect(await step()).toMatchObject({ atMs: NOW + TOOK_MS, isUntimed: true });
    const next = await step({ engineMs: NOW + 5_000 });
    expect(next).toMatchObject({ atMs: NOW + 5_000 + TOOK_MS });
    expect(next.isUntimed).toBeUndefined();
  });

  it.each([0, TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'how long it was on its way, by a worker that has done a step of the run before and is %d ms ahead',
    async (aheadMs) => {
      const step = workerOf(aheadMs);
      await step();
      const held = await step({ engineMs: NOW + 5_000, delayMs: 8_005 });
      expect(held).toMatchObject({ atMs: NOW + 13_000 + TOOK_MS });
      expect(held.isUntimed).toBeUndefined();
    },
  );

  it('that it is not known how long it took, when it was tried again or asked for long before', async () => {
    const step = workerOf(TEN_MINUTES_MS);
    await step();
    expect(await step({ attempt: 2 })).toMatchObject({ isUntimed: true });
    expect(await step({ isRecalled: true, delayMs: 240_000 })).toMatchObject({ isUntimed: true });
  });

  it('the time that the machine was suspended, though the monotonic clock stood still', async () => {
    const step = workerOf(0);
    await step();
    const during = () => jest.setSystemTime(Date.now() + 30_000);
    expect(await step({ during })).toMatchObject({ atMs: NOW + TOOK_MS + 30_000 });
  });

  it('the time by the monotonic clock, when the other is set back', async () => {
    const step = workerOf(0);
    await step();
    const during = () => jest.setSystemTime(Date.now() - TEN_MINUTES_MS);
    expect(await step({ during })).toMatchObject({ atMs: NOW + TOOK_MS });
  });
});

describe('what a step waited for its worker', () => {
  let clockMs = 0;
  const at = (delays: TaskDelays, engineMs: number, steadyMs: number, agoMs = 0): number | null => {
    clockMs = steadyMs;
    return delays.of('transfer-1', engineMs, agoMs);
  };
  const newDelays = () => new TaskDelays(() => clockMs);

  it('is not known of the first, and counts beside the least of its workflow', () => {
    const delays = newDelays();
    expect(at(delays, NOW, NOW + 3_000)).toBeNull();
    expect(at(delays, NOW + 5_000, NOW + 5_004)).toBe(0);
    // As long as the first one, which was slow: known now.
    expect(at(delays, NOW + 6_000, NOW + 9_000)).toBe(2_996);
  });

  it('does not count what the worker has done with it already', () => {
    const delays = newDelays();
    at(delays, NOW, NOW + 5);
    expect(at(delays, NOW + 1_000, NOW + 1_255, 250)).toBe(0);
  });

  it('is remembered of so many workflows, the last ones', () => {
    const delays = new TaskDelays(() => NOW);
    for (let i = 0; i <= 10_000; i += 1) delays.of(`transfer-${i}`, NOW, 0);
    expect(delays.of('transfer-10000', NOW - 7, 0)).toBe(7);
    expect(delays.of('transfer-0', NOW - 7, 0)).toBeNull();
  });
});
