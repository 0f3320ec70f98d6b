import { lastTaskIfNothingIsPending } from '../../src/engine/pending-events';

type Event = Parameters<typeof lastTaskIfNothingIsPending>[0][number];

const EVENTS = {
  scheduled: { workflowTaskScheduledEventAttributes: {} },
  started: { workflowTaskStartedEventAttributes: {} },
  completed: { workflowTaskCompletedEventAttributes: {} },
  timedOut: { workflowTaskTimedOutEventAttributes: {} },
  signal: { workflowExecutionSignaledEventAttributes: {} },
  marker: { markerRecordedEventAttributes: {} },
  timer: { timerStartedEventAttributes: {} },
} as const;

type Step = keyof typeof EVENTS | { readonly fired: number } | { readonly cancelled: number };

/** Numbers the events from 1. */
const historyOf = (...steps: readonly Step[]): readonly Event[] =>
  steps.map((step, i) => {
    const eventId = (i + 1) as never;
    if (typeof step === 'string') return { eventId, ...EVENTS[step] };
    return 'fired' in step
      ? { eventId, timerFiredEventAttributes: { startedEventId: step.fired as never } }
      : { eventId, timerCanceledEventAttributes: { startedEventId: step.cancelled as never } };
  });

const found = (...steps: readonly Step[]): number | null => {
  const task = lastTaskIfNothingIsPending(historyOf(...steps));
  return task === null ? null : Number(task.eventId);
};

const TASK = ['scheduled', 'started', 'completed'] as const;

test('nothing is pending after a task that started no timer', () => {
  expect(found(...TASK)).toBe(3);
  expect(found(...TASK, 'marker')).toBe(3);
  expect(found(...TASK, 'timer', { fired: 4 }, ...TASK)).toBe(8);
  expect(found(...TASK, 'timer', 'signal', ...TASK, { cancelled: 4 })).toBe(8);
});

test('a timer is pending until it has fired or was cancelled, however many tasks come between', () => {
  expect(found(...TASK, 'timer')).toBeNull();
  expect(found(...TASK, 'timer', 'signal', ...TASK)).toBeNull();
  expect(found(...TASK, 'timer', 'timer', { fired: 5 }, ...TASK)).toBeNull();
});

test('a task is pending until it has completed', () => {
  expect(found('scheduled')).toBeNull();
  expect(found(...TASK, 'timer', { fired: 4 }, 'scheduled')).toBeNull();
  expect(found(...TASK, 'signal', 'scheduled', 'started', 'timedOut')).toBeNull();
});
