import { temporal } from '@temporalio/proto';
import { TransferNotFoundError } from '../../src/client';
import { until } from '../../dev/giro-environment';
import { nextOriginId, orderOf } from '../e2e/environment';
import { arrivals, createsOf, expectSoundBooks } from './books';
import { useChaos } from './chaos-environment';

const { WorkflowTaskFailedCause } = temporal.api.enums.v1;

/** Shorter than a look-up's time-out, and long enough for several hints. */
const LOOKUP_MS = 4_000;
const HINTS_EACH = 5;
const slow = [{ fault: 'slow', delayMs: LOOKUP_MS, times: 'always' }] as const;

const chaos = useChaos([
  { match: { description: 'completed' }, states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'], query: slow },
  { match: { description: 'failed' }, states: ['CREATED', 'IN_PROGRESS', 'FAILED'], query: slow },
]);

async function refusedTasks(originId: number): Promise<number> {
  const { events } = await chaos().env.transfer(originId).fetchHistory();
  return (events ?? []).filter(
    ({ workflowTaskFailedEventAttributes: failed }) =>
      failed?.cause === WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  ).length;
}

describe('hints that come during a look-up', () => {
  it.each([
    ['completed', 'COMPLETED'],
    ['failed', 'FAILED'],
  ] as const)('%s: no number is used twice and no gap is broken', async (scenario, status) => {
    const { env } = chaos();
    const originId = nextOriginId();
    await env.giro.startTransfer(orderOf(originId, scenario));
    // Request 1 is the create. Request 2 is a look-up in between; request 3 is the last one, whose answer ends the run.
    for (const arrived of [2, 3]) {
      await until(
        () => Promise.resolve(arrivals(chaos(), originId).length),
        (count) => count >= arrived,
      );
      let inFlight = 0;
      for (let i = 0; i < HINTS_EACH; i += 1) {
        await env.giro
          .hintTransfer(originId, { source: 'test', eventId: `${arrived}-${i}` })
          .catch((error: unknown) => expect(error).toBeInstanceOf(TransferNotFoundError));
        if (arrivals(chaos(), originId)[arrived - 1]!.finishedAt === null) inFlight += 1;
      }
      expect(inFlight).toBeGreaterThan(0);
    }
    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status });
    // The server refused a completion that had not seen the signals, and the run repeated its last steps.
    if (status === 'COMPLETED') expect(await refusedTasks(originId)).toBeGreaterThan(0);
    expect(createsOf(arrivals(chaos(), originId))).toHaveLength(1);
    await expectSoundBooks(chaos(), originId, status);
  });
});
