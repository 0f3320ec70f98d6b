import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { TransferActivities } from '../../src/activities';
import { nextOriginId, orderOf } from '../e2e/environment';
import { claimedNumbers } from '../e2e/claimed-requests';
import { arrivals, expectSoundBooks } from './books';
import { useChaos } from './chaos-environment';
import { sideBySide } from './side-by-side';

const chaos = useChaos([
  { match: { description: 'completed' }, states: ['CREATED', 'CREATED', 'IN_PROGRESS', 'COMPLETED'] },
  { match: { description: 'failed' }, states: ['CREATED', 'IN_PROGRESS', 'FAILED'] },
]);

/** The category only keeps the failure out of the log. */
const BUG = ApplicationFailure.create({ message: 'a bug', category: ApplicationFailureCategory.BENIGN });

/** Makes each step throw once after its work is done, so that Temporal repeats the step. `thrown`: these steps. */
function throwingOnce(activities: TransferActivities, thrown: string[]): TransferActivities {
  const seen = new Set<string>();
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      async (argument: { readonly number?: number } | null, ...rest: unknown[]) => {
        const value: unknown = await (activity as (...all: unknown[]) => Promise<unknown>)(argument, ...rest);
        if (argument === null) return value;
        const step = argument.number === undefined ? name : `${name} ${argument.number}`;
        if (seen.has(step)) return value;
        seen.add(step);
        thrown.push(step);
        throw BUG;
      },
    ]),
  ) as unknown as TransferActivities;
}

const [CREATE, SECOND, THIRD, FOURTH] = [
  'createTransfer 1',
  'lookUpMovement 2',
  'lookUpMovement 3',
  'lookUpMovement 4',
] as const;
const CASES = [
  {
    scenario: 'completed',
    status: 'COMPLETED',
    requests: [CREATE, SECOND, THIRD, FOURTH],
    // The last look-up has recorded the result; its repetition learns of the end.
    end: [],
  },
  { scenario: 'failed', status: 'FAILED', requests: [CREATE, SECOND, THIRD], end: ['recordAnnulment'] },
] as const;

/** Steps that are ordinary activities. */
const ORDINARY = /^(createTransfer|recordAnnulment)/;

const played = sideBySide(CASES, async ({ scenario, status, requests, end }) => {
  const { databaseUrl } = chaos();
  const { taskQueue, giro } = chaos().ownQueue();
  const thrown: string[] = [];
  const activities = throwingOnce(chaos().activities(), thrown);
  const worker = await chaos().startWorker(taskQueue, { activities });
  const originId = nextOriginId();
  await giro.startTransfer(orderOf(originId, scenario));
  expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status });
  await worker.stop();

  // Each retry of a local activity waits for a durable timer, so the failed attempt is in the history.
  const { events } = await chaos().env.transfer(originId).fetchHistory();
  const failedSteps = (events ?? []).filter((it) => it.markerRecordedEventAttributes?.failure != null);
  expect(failedSteps).toHaveLength(thrown.filter((it) => !ORDINARY.test(it)).length);
  expect(thrown).toEqual(['receiveTransfer', ...requests, ...end]);
  expect(arrivals(chaos(), originId)).toHaveLength(requests.length);
  expect(await claimedNumbers(databaseUrl, originId)).toHaveLength(requests.length);
  await expectSoundBooks(chaos(), originId, status);
});

describe('a bug thrown when the work of a step is done', () => {
  it.each(CASES)('$scenario: the step is repeated, the request is not', async (it) => {
    await expect(played(it)).resolves.toBeUndefined();
  });
});
