import { toSecond } from '../../src/reconciliation/run-window';
import { nextOriginId, orderOf } from '../e2e/environment';
import { arrivals } from './books';
import { useChaos } from './chaos-environment';
import { startDoomedWorker } from './doomed-worker';

const TRANSFERS = 30;
const ANSWERED_BEFORE = 8;
/** Concurrent inquiries of a step: at most this many are in flight when its worker dies. */
const QUESTIONS_AT_ONCE = 10;

const chaos = useChaos([{ states: ['CREATED', 'COMPLETED'] }]);

test('a worker process killed by SIGKILL in the middle of a run: another one finishes the same report', async () => {
  const { env } = chaos();
  const originIds = Array.from({ length: TRANSFERS }, nextOriginId);
  await Promise.all(originIds.map((originId) => env.giro.startTransfer(orderOf(originId, 'any'))));
  await Promise.all(originIds.map((originId) => env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })));
  const before = new Map(originIds.map((originId) => [originId, arrivals(chaos(), originId).length]));
  const questions = () =>
    originIds.map((originId) => arrivals(chaos(), originId).length - (before.get(originId) ?? 0));

  const { taskQueue } = chaos().ownQueue();
  const point = { call: 'recordInquiry', number: null, nth: ANSWERED_BEFORE, when: 'after' } as const;
  const doomed = startDoomedWorker(chaos(), taskQueue, point);
  const asOf = toSecond(Date.now());
  const handle = await env.engine.workflow.start('reconciliation', {
    ...{ taskQueue, workflowId: `reconciliation-${asOf}-${taskQueue}`, args: [{ asOf }] },
  });
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL', reached: true });
  expect(await env.journal.runStep(asOf, 1)).toBeNull();
  const askedBefore = questions();
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  expect(total(askedBefore)).toBeGreaterThanOrEqual(ANSWERED_BEFORE);
  expect(total(askedBefore)).toBeLessThan(TRANSFERS);

  const healthy = await env.startWorker({ taskQueue });
  expect(await handle.result()).toMatchObject({ asOf, outcome: 'CLEAN', notAskedCount: 0 });
  await healthy.stop();
  expect(await env.journal.report(asOf)).toMatchObject({
    totals: { transfers: { count: TRANSFERS }, bank: { COMPLETED: { count: TRANSFERS } } },
    breaks: [],
  });
  // Only inquiries whose answer the dead process had not recorded were repeated.
  const asked = questions();
  expect(Math.min(...asked)).toBe(1);
  expect(Math.max(...asked)).toBeLessThanOrEqual(2);
  expect(total(asked) - TRANSFERS).toBeLessThanOrEqual(QUESTIONS_AT_ONCE);
});
