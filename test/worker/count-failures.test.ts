import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { countFailures } from '../../src/worker/count-failures';

type Context = Parameters<ReturnType<typeof countFailures>['interceptor']>[0];

const INPUT: ActivityExecuteInput = { args: [], headers: {} };

function counting() {
  const clock = { nowMs: 1_000 };
  const metrics = createMetrics();
  const { interceptor, showAll } = countFailures(metrics.activities, () => clock.nowMs);
  showAll({ recordResult: null, createTransfer: null });
  /** One try of an activity, which throws `error` unless it is null. */
  const tryOnce = async (activity: string, attempt: number, error: Error | null): Promise<void> => {
    const { signal: cancellationSignal } = new AbortController();
    const context = { info: { activityType: activity, attempt }, cancellationSignal } as unknown as Context;
    const execute = interceptor(context).inbound?.execute?.bind(null);
    if (execute === undefined) throw new Error('the interceptor does not count');
    const next = (): Promise<unknown> => (error === null ? Promise.resolve('done') : Promise.reject(error));
    if (error === null) await expect(execute(INPUT, next)).resolves.toBe('done');
    else await expect(execute(INPUT, next)).rejects.toBe(error);
  };
  const counted = async (activity: string): Promise<Record<string, number>> => {
    const { values } = await metrics.activities.failures.get();
    const its = values.filter(({ labels }) => labels.activity === activity);
    return Object.fromEntries(its.map(({ labels, value }) => [String(labels.repeated), value]));
  };
  return { clock, tryOnce, counted };
}

const AWAY = new Error('away');

test('each activity is there at 0 before it has failed', async () => {
  const { counted } = counting();
  expect(await counted('createTransfer')).toEqual({ no: 0, yes: 0 });
});

test('a step that keeps failing is noticed among others that succeed', async () => {
  const { tryOnce, counted } = counting();
  for (let attempt = 1; attempt <= 10; attempt++) {
    await tryOnce('recordResult', attempt, AWAY);
    await tryOnce('recordResult', 1, null);
  }
  expect(await counted('recordResult')).toEqual({ no: 7, yes: 3 });
});

test('first failures of many steps are no repeated one while others succeed', async () => {
  const { clock, tryOnce, counted } = counting();
  for (let step = 0; step < 10; step++) {
    await tryOnce('recordResult', 1, AWAY);
    await tryOnce('recordResult', 2, null);
    clock.nowMs += 60_000;
  }
  expect(await counted('recordResult')).toEqual({ no: 10, yes: 0 });
});

test('an activity that has only failed for two minutes keeps failing, whatever the attempt', async () => {
  const { clock, tryOnce, counted } = counting();
  await tryOnce('recordResult', 1, AWAY);
  clock.nowMs += 119_000;
  await tryOnce('recordResult', 1, AWAY);
  expect(await counted('recordResult')).toEqual({ no: 2, yes: 0 });
  clock.nowMs += 1_000;
  await tryOnce('recordResult', 1, AWAY);
  expect(await counted('recordResult')).toEqual({ no: 2, yes: 1 });
  expect(await counted('createTransfer')).toEqual({ no: 0, yes: 0 });
  await tryOnce('recordResult', 1, null);
  await tryOnce('recordResult', 1, AWAY);
  expect(await counted('recordResult')).toEqual({ no: 3, yes: 1 });
});

test('a refusal for good is an answer, a cancel the engine’s doing', async () => {
  const { tryOnce, counted } = counting();
  await tryOnce('recordResult', 9, ApplicationFailure.nonRetryable('no', 'Refused'));
  await tryOnce('recordResult', 9, new CancelledFailure('drained'));
  expect(await counted('recordResult')).toEqual({ no: 0, yes: 0 });
});
