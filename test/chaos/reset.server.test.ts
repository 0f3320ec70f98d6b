import { randomUUID } from 'node:crypto';
import { nextOriginId, orderOf } from '../e2e/environment';
import { claimedNumbers } from '../e2e/claimed-requests';
import { arrivals, expectSoundBooks } from './books';
import { useChaos } from './chaos-environment';
import { sideBySide } from './side-by-side';

const chaos = useChaos([
  { match: { description: 'completed' }, states: ['CREATED', 'COMPLETED'] },
  { match: { description: 'unchanged' }, states: ['CREATED', 'CREATED', 'COMPLETED'] },
  { match: { description: 'failed' }, states: ['CREATED', 'FAILED'] },
]);

/** The workflow tasks of a run that an operator can reset it to. */
async function completedTasks(workflowId: string, runId: string) {
  const { events } = await chaos().env.engine.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: task }) =>
    task === null || task === undefined ? [] : [eventId!],
  );
}

type EventId = Awaited<ReturnType<typeof completedTasks>>[number];

async function reset(workflowId: string, runId: string, eventId: EventId): Promise<string> {
  const { workflowService, options } = chaos().env.engine;
  const answer = await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'an operator tries again',
    requestId: randomUUID(),
    workflowTaskFinishEventId: eventId,
  });
  return answer.runId;
}

const CASES = [
  { scenario: 'completed', status: 'COMPLETED' },
  { scenario: 'unchanged', status: 'COMPLETED' },
  { scenario: 'failed', status: 'FAILED' },
] as const;

const played = sideBySide(CASES, async ({ scenario, status }) => {
  const { env, databaseUrl } = chaos();
  const originId = nextOriginId();
  const { workflowId, runId } = await env.giro.startTransfer(orderOf(originId, scenario));
  const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  expect(result.status).toBe(status);
  await expectSoundBooks(chaos(), originId, status);
  const arrived = JSON.stringify(arrivals(chaos(), originId));
  const claimed = await claimedNumbers(databaseUrl, originId);

  const tasks = await completedTasks(workflowId, runId);
  expect(tasks.length).toBeGreaterThanOrEqual(3);
  for (const eventId of tasks) {
    const again = await reset(workflowId, runId, eventId);
    expect(again).not.toBe(runId);
    expect(await env.giro.waitForTransfer(originId, { runId: again, timeoutMs: 300_000 })).toEqual(result);
  }
  expect(JSON.stringify(arrivals(chaos(), originId))).toBe(arrived);
  expect(await claimedNumbers(databaseUrl, originId)).toEqual(claimed);
  await expectSoundBooks(chaos(), originId, status);
});

describe('an ended transfer that an operator resets to each of its workflow tasks', () => {
  it.each(CASES)('$scenario: ends as before and asks the bank for nothing', async (it) => {
    await expect(played(it)).resolves.toBeUndefined();
  });
});
