import { collectBooks } from '../../dev/simulate/collect';
import type { SandboxRule } from '../../src/sandbox-bank';
import { nextOriginId, orderOf } from '../e2e/environment';
import { testServers } from '../support/servers';
import { audit } from './auditor/audit';
import { BOUNDS } from './auditor/books';
import type { Span, Violation } from './auditor/books';
import { arrivals, createsOf, expectSoundBooks } from './books';
import { CHAOS_SETTINGS, useChaos } from './chaos-environment';
import { startDoomedWorker } from './doomed-worker';

/** Look-ups that must find nothing before a create may be repeated. */
const NOT_FOUND_CONFIRMATIONS = 12;
const FIRST_LOOKUP = 2;

/**
 * The bank takes the order, and the create's answer is lost. The first look-up shows the movement, every later one
 * finds nothing. A repeated create is answered with the movement that the bank has.
 */
const RULE: SandboxRule = {
  states: ['CREATED', 'COMPLETED'],
  create: ['lost-answer'],
  query: ['ok', { fault: 'not-found', times: 'always' }],
};
const chaos = useChaos([RULE]);

test('a movement that only a killed worker has seen, at a bank that then finds nothing', async () => {
  const { env, databaseUrl } = chaos();
  const { taskQueue, giro } = chaos().ownQueue();
  const order = orderOf(nextOriginId(), 'any');
  const { originId } = order;
  const point = { call: 'recordAnswer', number: FIRST_LOOKUP, when: 'before' } as const;
  const from = new Date().toISOString();
  const doomed = startDoomedWorker(chaos(), taskQueue, point);
  await giro.startTransfer(order);
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL', reached: true });
  const loss = { from, to: new Date().toISOString() };
  const healthy = await chaos().startWorker(taskQueue);
  const result = await giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  await healthy.stop();

  const requests = arrivals(chaos(), originId);
  const [create, lookup, ...later] = requests;
  expect(create).toMatchObject({ service: 'transfer-request', outcome: 'lost-answer', status: null });
  expect(lookup).toMatchObject({ service: 'get-movement', status: 200, movementStatus: 'COMPLETED' });
  // The create is repeated after twelve not-founds. Giro cannot know of the answer that no worker has recorded.
  const repeat = later.pop();
  expect(later.map(({ service, status }) => `${service} ${status}`)).toEqual(
    Array(NOT_FOUND_CONFIRMATIONS).fill('get-movement 404'),
  );
  expect(repeat).toMatchObject({ service: 'transfer-request', status: 200, outcome: 'duplicate-original' });
  expect(createsOf(requests).map(({ bodySha256 }) => bodySha256)).toEqual(
    Array(2).fill(create?.bodySha256 ?? 'a body'),
  );

  // The bank has one movement, by the originId, and its answer to the repeated create ends the transfer.
  expect(result.status).toBe('COMPLETED');
  await expectSoundBooks(chaos(), originId, 'COMPLETED');
  expect(lookup?.movementId).toBe(result.movementId);
  expect(repeat?.movementId).toBe(result.movementId);

  const violations = async (losses: readonly Span[]): Promise<readonly Violation[]> => {
    const { workflowBundlePath } = testServers();
    const books = await collectBooks(
      { env, databaseUrl, keys: null, workflowBundlePath },
      [{ order, rule: RULE }],
      {
        ...{ cancels: [], verifications: [], reconciliation: null },
        terms: {
          ...{ pollActiveMs: CHAOS_SETTINGS.pollActiveMs, pollDelayedMs: CHAOS_SETTINGS.pollDelayedMs },
          ...{ clock: 'bank', standstills: [], losses, takenAt: new Date().toISOString() },
          ...BOUNDS,
          isSigned: false,
        },
      },
    );
    return audit(books);
  };
  expect(await violations([loss])).toEqual([]);
  expect(await violations([])).toEqual([
    {
      rule: 'sent-again',
      originId: String(originId),
      sentence: `the create at ${repeat?.at} came after the movement was shown at ${lookup?.at}`,
    },
  ]);
});
