import { StepEnds } from '../../src/activities/step-ends';
import { ended, timed, timedToEnd } from '../../src/activities/timed';
import type { GivenStep, Seen } from '../../src/activities/timed';

const SEEN = { events: 12, hints: 1, decisions: 0, isCancelled: false } as const;
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const TOOK_MS = 40;
const TEN_MINUTES_MS = 600_000;

interface Given {
  readonly engineMs?: number;
  /** Between the start of its task and the moment when the worker is given the step. */
  readonly delayMs?: number;
  readonly attempt?: number;
  readonly isRecalled?: true;
  readonly lastEndMs?: number;
  readonly during?: () => void;
}

/** Steps of a worker whose clock is `aheadMs` ahead of the engine's; a gap is kept after those of `toEnd`. */
function workerOf(aheadMs: number) {
  const ends = new StepEnds(() => Date.now());
  const step =
    (wrap: typeof timed) =>
    async (given: Given = {}) => {
      const { engineMs = NOW, delayMs = 5, attempt = 1, during, ...told } = given;
      jest.setSystemTime(engineMs + delayMs + aheadMs);
      const givenStep: GivenStep = { workflowId: 'transfer-1', givenMs: Date.now(), attempt };
      const activity = wrap(
        (status: string) => {
          jest.advanceTimersByTime(TOOK_MS);
          during?.();
          return Promise.resolve({ status });
        },
        () => givenStep,
        ends,
      );
      const seen: Seen = { ...SEEN, engineMs, ...told };
      return activity('CREATED', seen);
    };
  return { step: step(timed), toEnd: step(timedToEnd) };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

describe('a local activity returns', () => {
  it('its result, and what the run had seen', async () => {
    expect(await workerOf(0).step()).toMatchObject({ status: 'CREATED', seen: { ...SEEN, engineMs: NOW } });
  });

  it.each([
    { worker: 'at the same time', aheadMs: 0 },
    { worker: 'ten minutes ahead', aheadMs: TEN_MINUTES_MS },
    { worker: 'ten minutes behind', aheadMs: -TEN_MINUTES_MS },
    { worker: 'of a server that skips time', aheadMs: -86_400_000 },
  ])("the engine's time and how long it took, by a worker $worker", async ({ aheadMs }) => {
    const { step } = workerOf(aheadMs);
    const first = await step();
    expect(first).toMatchObject({ atMs: NOW + TOOK_MS });
    expect(first.isUntimed).toBeUndefined();
    expect(await step({ engineMs: NOW + 5_000, delayMs: 3_000 })).toMatchObject({
      atMs: NOW + 5_000 + TOOK_MS,
    });
  });

  it('that it is not known how long it took, when it was tried again or asked for long before', async () => {
    const { step } = workerOf(TEN_MINUTES_MS);
    expect(await step({ attempt: 2 })).toMatchObject({ isUntimed: true });
    expect(await step({ isRecalled: true, delayMs: 240_000 })).toMatchObject({ isUntimed: true });
  });

  it('the time that the machine was suspended, though the monotonic clock stood still', async () => {
    const { step } = workerOf(0);
    const during = () => jest.setSystemTime(Date.now() + 30_000);
    expect(await step({ during })).toMatchObject({ atMs: NOW + TOOK_MS + 30_000 });
  });

  it('the time by the monotonic clock, when the other is set back', async () => {
    const { step } = workerOf(0);
    const during = () => jest.setSystemTime(Date.now() - TEN_MINUTES_MS);
    expect(await step({ during })).toMatchObject({ atMs: NOW + TOOK_MS });
  });
});

describe('how long ago the step ended after which a gap is kept', () => {
  it.each([0, TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'is told by the worker that carried out both, whatever they waited for it; its clock is %d ms ahead',
    async (aheadMs) => {
      const { step, toEnd } = workerOf(aheadMs);
      const { atMs } = await toEnd({ delayMs: 2_000 });
      expect(await step({ engineMs: NOW + 5_000, delayMs: 700, lastEndMs: atMs })).toMatchObject({
        sinceEndMs: 5_700 - 2_000 - TOOK_MS,
      });
    },
  );

  it('counts to the last of these steps, not to what came between', async () => {
    const { step, toEnd } = workerOf(0);
    await toEnd();
    const { atMs } = await toEnd({ engineMs: NOW + 5_000 });
    await step({ engineMs: NOW + 6_000, lastEndMs: atMs });
    expect(await step({ engineMs: NOW + 7_000, lastEndMs: atMs })).toMatchObject({
      sinceEndMs: 2_000 - TOOK_MS,
    });
  });

  it('is not known before the first, nor to another worker, nor to one that did an earlier step', async () => {
    const { step, toEnd } = workerOf(0);
    expect((await step()).sinceEndMs).toBeUndefined();
    const { atMs } = await toEnd();
    const other = workerOf(0);
    expect((await other.step({ lastEndMs: atMs })).sinceEndMs).toBeUndefined();
    const later = await other.toEnd({ engineMs: NOW + 5_000, lastEndMs: atMs });
    expect((await step({ engineMs: NOW + 6_000, lastEndMs: later.atMs })).sinceEndMs).toBeUndefined();
  });

  it('is remembered for the last 10,000 workflows', () => {
    const ends = new StepEnds(() => NOW);
    for (let i = 0; i <= 10_000; i += 1) ends.add(`transfer-${i}`, NOW);
    expect(ends.sinceMs('transfer-10000', NOW)).toBe(0);
    expect(ends.sinceMs('transfer-0', NOW)).toBeNull();
  });
});

describe('an ordinary activity that makes a request returns', () => {
  /** The worker ended a step of the run `sinceStepMs` before it starts the activity, which Temporal scheduled at NOW. */
  function activityAfter(sinceStepMs: number | null, takes: () => void = () => undefined) {
    const ends = new StepEnds();
    jest.setSystemTime(NOW - TEN_MINUTES_MS);
    if (sinceStepMs !== null) {
      ends.add('transfer-1', 1);
      jest.advanceTimersByTime(sinceStepMs);
    }
    const activity = ended(
      (status: string) => {
        jest.advanceTimersByTime(TOOK_MS);
        takes();
        return Promise.resolve({ status });
      },
      () => ({ workflowId: 'transfer-1', scheduledMs: NOW }),
      ends,
    );
    return activity('CREATED');
  }

  it('its latest possible end by the engine’s clock: the activity began to wait after the step', async () => {
    expect(await activityAfter(700)).toEqual({ status: 'CREATED', endedAtMs: NOW + 700 + TOOK_MS });
  });

  it.each([
    ['its worker has executed no step of the run', null, undefined],
    ['it may have waited for more than ten seconds', 10_001, undefined],
    ["its worker's clock has jumped, or the machine was suspended", 700, 9_500],
  ])('no end if %s', async (_, sinceStepMs, jumpMs) => {
    const jump = () => jest.setSystemTime(Date.now() + (jumpMs ?? 0));
    expect(await activityAfter(sinceStepMs, jump)).toEqual({ status: 'CREATED' });
  });

  it('a wait that counts a suspended machine, though the monotonic clock stood still', () => {
    const ends = new StepEnds();
    ends.add('transfer-1', 1);
    jest.setSystemTime(Date.now() + 30_000);
    expect(ends.sinceAnyMs('transfer-1')).toBe(30_000);
    expect(ends.sinceMs('transfer-1', 1)).toBe(0);
    expect(ends.sinceAnyMs('transfer-2')).toBeNull();
  });
});
