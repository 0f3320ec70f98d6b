import { until } from '../../dev/giro-environment';
import { nextOriginId, orderOf } from '../e2e/environment';
import { claimedNumbers } from '../e2e/claimed-requests';
import { quietRuntime } from '../support/quiet-runtime';
import { arrivals, expectSoundBooks } from './books';
import { bundleWith } from './broken-bundle';
import { useChaos } from './chaos-environment';
import { sideBySide } from './side-by-side';

// These tests make workflow tasks fail, so the core's warnings are not logged. Only the first call has an effect, so
// this comes before the environment's own call.
beforeAll(() => quietRuntime({ core: 'ERROR' }));

const chaos = useChaos([
  // The second CREATED is not recorded, because nothing has changed: its repeated step finds no recorded answer.
  { match: { description: 'completed' }, states: ['CREATED', 'CREATED', 'COMPLETED'] },
  { match: { description: 'failed' }, states: ['CREATED', 'FAILED'] },
]);

/** Number of failed workflow tasks to wait for: the second failure shows that the step was repeated. */
const FAILED_TASKS = 2;

/** The workflow bundle with a bug: the workflows throw when an event of this kind arrives. */
const brokenAfter = (kind: string) =>
  bundleWith(`if (event?.kind === '${kind}') throw new TypeError('a bug');`);

/** Attempt of the workflow task that is running or due. */
async function taskAttempt(originId: number): Promise<number> {
  const { raw } = await chaos().env.transfer(originId).describe();
  return raw.pendingWorkflowTask?.attempt ?? 0;
}

const CASES = [
  { scenario: 'completed', status: 'COMPLETED', thrownAt: 'lookup-ended', requests: 3 },
  { scenario: 'failed', status: 'FAILED', thrownAt: 'lookup-ended', requests: 2 },
  { scenario: 'completed', status: 'COMPLETED', thrownAt: 'create-ended', requests: 3 },
] as const;

const played = sideBySide(CASES, async ({ scenario, status, thrownAt, requests }) => {
  const { env, databaseUrl } = chaos();
  const { taskQueue, giro } = chaos().ownQueue();
  const originId = nextOriginId();
  const broken = await chaos().startWorker(taskQueue, { workflowBundle: brokenAfter(thrownAt) });
  await giro.startTransfer(orderOf(originId, scenario));
  await until(
    () => taskAttempt(originId),
    (attempt) => attempt > FAILED_TASKS,
  );
  await broken.stop();
  const arrived = thrownAt === 'create-ended' ? 1 : 2;
  expect(arrivals(chaos(), originId)).toHaveLength(arrived);
  expect(await claimedNumbers(databaseUrl, originId)).toHaveLength(arrived);
  expect(await env.journal.transfer(originId)).toMatchObject({ result: null });

  const healthy = await chaos().startWorker(taskQueue);
  expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status });
  await healthy.stop();
  expect(arrivals(chaos(), originId)).toHaveLength(requests);
  expect(await claimedNumbers(databaseUrl, originId)).toHaveLength(requests);
  await expectSoundBooks(chaos(), originId, status);
});

describe('a workflow that throws after an answer, and a worker without the bug', () => {
  it.each(CASES)('$scenario, thrown at $thrownAt: it waits, and asks for nothing twice', async (it) => {
    await expect(played(it)).resolves.toBeUndefined();
  });
});
