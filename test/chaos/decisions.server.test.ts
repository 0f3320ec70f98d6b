import { until } from '../../dev/giro-environment';
import type { GiroClient } from '../../src/client';
import type { DecisionAnswer } from '../../src/client';
import { nextOriginId, orderOf } from '../e2e/environment';
import { quietRuntime } from '../support/quiet-runtime';
import { bundleWith } from './broken-bundle';
import { useChaos } from './chaos-environment';
import { startDoomedWorker } from './doomed-worker';

// These tests make workflow tasks fail, so the core's warnings are not logged. Only the first call has an effect, so
// this comes before the environment's own call.
beforeAll(() => quietRuntime({ core: 'ERROR' }));

const chaos = useChaos([
  { match: { description: 'doubtful' }, states: ['FAILED'], echo: [{ set: { 'details.amount': 1 } }] },
]);

/** From this attempt of a workflow task on, the server rejects updates at once. */
const TURNED_AWAY_FROM = 3;

const decide = (giro: GiroClient, originId: number, operator: string): Promise<DecisionAnswer> =>
  giro.decide(
    originId,
    { action: 'accept-failed', operator, reason: 'call with the bank' },
    { timeoutMs: 300_000 },
  );

/** A transfer that is held, and that two operators may end. */
async function heldTransfer(giro: GiroClient): Promise<number> {
  const originId = nextOriginId();
  await giro.startTransfer(orderOf(originId, 'doubtful'));
  await until(
    () => giro.transferState(originId),
    ({ attentionReasons }) => attentionReasons.includes('ECHO_MISMATCH'),
  );
  return originId;
}

/** Checks that the journal has ana's decision once, and that it counts as one of two. */
async function expectOneOfTwo(giro: GiroClient, originId: number): Promise<void> {
  const { journal } = chaos().env;
  expect(await journal.transfer(originId)).toMatchObject({ result: null, proposals: [{ operator: 'ana' }] });
  expect(await decide(giro, originId, 'ana')).toMatchObject({ state: 'proposed' });
  expect(await decide(giro, originId, 'luis')).toEqual({ state: 'accepted', by: ['ana', 'luis'] });
  expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({ status: 'FAILED' });
  const annulments = (await journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
    (one) => one.originId === originId,
  );
  expect(annulments).toMatchObject([{ decidedBy: 'operators', operators: ['ana', 'luis'] }]);
}

describe('a decision that comes while no worker can take it up', () => {
  it('failing workflow tasks: answered by the next worker that carries the run on', async () => {
    const { taskQueue, giro } = chaos().ownQueue();
    const first = await chaos().startWorker(taskQueue);
    const originId = await heldTransfer(giro);
    await first.stop();
    const broken = await chaos().startWorker(taskQueue, {
      workflowBundle: bundleWith("if (event !== null) throw new TypeError('a bug');"),
    });
    await giro.hintTransfer(originId, { source: 'test', eventId: '1' });
    await until(
      () => chaos().env.transfer(originId).describe(),
      ({ raw }) => (raw.pendingWorkflowTask?.attempt ?? 0) >= TURNED_AWAY_FROM,
    );
    const decided = decide(giro, originId, 'ana');
    await broken.stop();
    const healthy = await chaos().startWorker(taskQueue);
    expect(await decided).toEqual({ state: 'proposed', by: ['ana'] });
    await expectOneOfTwo(giro, originId);
    await healthy.stop();
  });

  it.each(['before', 'after'] as const)(
    'its worker is killed %s the journal has it: answered by the next one, written down once',
    async (when) => {
      const { taskQueue, giro } = chaos().ownQueue();
      const doomed = startDoomedWorker(chaos(), taskQueue, { call: 'recordDecision', number: null, when });
      const originId = await heldTransfer(giro);
      const decided = decide(giro, originId, 'ana');
      expect(await doomed.ended).toMatchObject({ reached: true });
      const healthy = await chaos().startWorker(taskQueue);
      expect(await decided).toEqual({ state: 'proposed', by: ['ana'] });
      await expectOneOfTwo(giro, originId);
      await healthy.stop();
    },
  );
});
