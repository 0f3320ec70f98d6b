import { outlookOf } from '../../src/engine/stranded';

type Event = Parameters<typeof outlookOf>[0][number];

const EVENTS = {
  begun: { workflowExecutionStartedEventAttributes: {} },
  scheduled: { workflowTaskScheduledEventAttributes: {} },
  started: { workflowTaskStartedEventAttributes: {} },
  completed: { workflowTaskCompletedEventAttributes: {} },
  timedOut: { workflowTaskTimedOutEventAttributes: {} },
  signal: { workflowExecutionSignaledEventAttributes: {} },
  cancel: { workflowExecutionCancelRequestedEventAttributes: {} },
  marker: { markerRecordedEventAttributes: {} },
  timer: { timerStartedEventAttributes: {} },
  activity: { activityTaskScheduledEventAttributes: {} },
} as const;

type Step =
  | keyof typeof EVENTS
  | { readonly fired: number }
  | { readonly cancelled: number }
  | { readonly done: number };

/** Numbers the events from 1. */
const historyOf = (...steps: readonly Step[]): readonly Event[] =>
  steps.map((step, i) => {
    const eventId = (i + 1) as never;
    if (typeof step === 'string') return { eventId, ...EVENTS[step] };
    if ('done' in step)
      return { eventId, activityTaskCompletedEventAttributes: { scheduledEventId: step.done as never } };
    return 'fired' in step
      ? { eventId, timerFiredEventAttributes: { startedEventId: step.fired as never } }
      : { eventId, timerCanceledEventAttributes: { startedEventId: step.cancelled as never } };
  });

const outlook = (...steps: readonly Step[]) => outlookOf(historyOf(...steps));

const TASK = ['scheduled', 'started', 'completed'] as const;
/** Events 1 to 5, with a timer as event 5. */
const WAITING = ['begun', ...TASK, 'timer'] as const;

test('stranded: the last task started no timer', () => {
  expect(outlook('begun', ...TASK)).toBe('stranded');
  expect(outlook('begun', ...TASK, 'marker')).toBe('stranded');
  expect(outlook(...WAITING, { fired: 5 }, ...TASK)).toBe('stranded');
  expect(outlook(...WAITING, 'cancel', ...TASK, { cancelled: 5 })).toBe('stranded');
});

test('signalled: the last task brought only signals', () => {
  expect(outlook(...WAITING, { fired: 5 }, ...TASK, 'signal', ...TASK)).toBe('signalled');
  expect(outlook(...WAITING, { fired: 5 }, ...TASK, 'signal', 'signal', ...TASK)).toBe('signalled');
  expect(outlook(...WAITING, { fired: 5 }, 'signal', ...TASK)).toBe('stranded');
  expect(outlook('begun', 'signal', ...TASK)).toBe('stranded');
});

test('a timer continues the run until it has fired or was cancelled, whatever tasks come between', () => {
  expect(outlook(...WAITING)).toBe('continues');
  expect(outlook(...WAITING, 'signal', ...TASK)).toBe('continues');
  expect(outlook(...WAITING, 'timer', { fired: 6 }, ...TASK)).toBe('continues');
});

test('an activity continues the run until it has ended', () => {
  expect(outlook(...WAITING, 'signal', ...TASK, { cancelled: 5 }, 'activity')).toBe('continues');
  expect(outlook('begun', ...TASK, 'activity', { done: 5 }, ...TASK)).toBe('stranded');
});

test('a task continues the run until it has completed', () => {
  expect(outlook('begun')).toBe('continues');
  expect(outlook('begun', 'scheduled')).toBe('continues');
  expect(outlook(...WAITING, { fired: 5 }, 'scheduled')).toBe('continues');
  expect(outlook('begun', ...TASK, 'signal', 'scheduled', 'started', 'timedOut')).toBe('continues');
});
