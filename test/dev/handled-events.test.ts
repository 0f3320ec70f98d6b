import { handledEvents } from '../../dev/handled-events';
import { readHistoryFiles } from '../support/history-file';

test('a history ends with its last completed task and what that task caused', async () => {
  const { history } = (await readHistoryFiles()).find(({ name }) => name.endsWith('-delayed.json'))!;
  const whole = history.events!;
  const fired = whole.findIndex((event) => event.timerFiredEventAttributes != null);
  const timer = whole.slice(0, fired).findLastIndex((event) => event.timerStartedEventAttributes != null);
  const started = whole.findIndex(
    (event, i) => i > fired && event.workflowTaskStartedEventAttributes != null,
  );
  for (const end of [fired, fired + 1, started, started + 1])
    expect(handledEvents({ events: whole.slice(0, end) }).events).toEqual(whole.slice(0, timer + 1));
  expect(handledEvents({ events: whole.slice(0, started + 2) }).events).toHaveLength(started + 2);
  expect(handledEvents(history).events).toEqual(whole);
});

test('a run without a completed task keeps all its events', async () => {
  const [{ history }] = (await readHistoryFiles()) as [Awaited<ReturnType<typeof readHistoryFiles>>[number]];
  const events = history.events!.slice(0, 2);
  expect(handledEvents({ events }).events).toEqual(events);
  expect(handledEvents({}).events).toBeUndefined();
});
