import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../dev/giro-environment';
import { nextOriginId, orderOf } from '../e2e/environment';
import { arrivals } from './books';
import { CHAOS_SETTINGS, useChaos } from './chaos-environment';
import { startDoomedWorker } from './doomed-worker';

/**
 * Two workers whose clocks are twenty minutes apart take turns with every task of every transfer. The bank's log of
 * arrivals shows whether each gap was kept: none is shorter than its bound, none longer by the clocks' difference.
 */
const TEN_MINUTES_MS = 600_000;
const settings = { pollDelayedMs: 4_000 };
/**
 * Allows for tasks that change workers on a busy machine, and for the extra wait after an unknown duration. A wrong clock
 * would add far more.
 */
const LATE_MAX_MS = 120_000;

const WRONG = [{ set: { 'details.amount': 1 } }];
const chaos = useChaos([
  { match: { description: 'active' }, states: [...Array<string>(6).fill('IN_PROGRESS'), 'COMPLETED'] },
  {
    match: { description: 'delayed' },
    states: ['CREATED', ...Array<string>(3).fill('DELAYED'), 'COMPLETED'],
  },
  { match: { description: 'held, delayed' }, states: Array<string>(90).fill('DELAYED'), echo: WRONG },
  { match: { description: 'held' }, states: Array<string>(90).fill('IN_PROGRESS'), echo: WRONG },
]);

/** Each gap between two arrivals, from the end of the first, with the bound that its answer set. */
const gapsOf = (originId: number) => {
  const requests = arrivals(chaos(), originId);
  return requests.slice(1).map(({ at }, i) => {
    const { finishedAt, movementStatus, service } = requests[i]!;
    // A create whose answer has a wrong echo has reported no status yet.
    const isDelayed = movementStatus === 'DELAYED' && service !== 'transfer-request';
    const boundMs = isDelayed ? settings.pollDelayedMs : CHAOS_SETTINGS.pollActiveMs;
    return { gapMs: Date.parse(at) - Date.parse(finishedAt!), boundMs };
  });
};

it('workers ten minutes ahead and ten minutes behind keep every gap, and keep nobody waiting', async () => {
  const { env } = chaos();
  const { taskQueue, giro } = chaos().ownQueue();
  for (const clockAheadMs of [TEN_MINUTES_MS, -TEN_MINUTES_MS])
    startDoomedWorker(chaos(), taskQueue, null, { clockAheadMs, settings, cachedWorkflowsMax: 2 });

  const start = async (description: string) => {
    const originId = nextOriginId();
    await giro.startTransfer(orderOf(originId, description));
    return originId;
  };
  const ending = await Promise.all(['active', 'active', 'delayed', 'delayed'].map(start));
  const held = await Promise.all(['held', 'held', 'held, delayed', 'held, delayed'].map(start));

  const storm = { isOver: false };
  const messages = held.map(async (originId, i) => {
    for (let turn = 0; !storm.isOver; turn += 1) {
      await sleep(300 + 170 * i);
      const told = { action: 'resume', operator: 'ana', reason: 'clocks' } as const;
      await (
        turn % 2 === 0
          ? giro.hintTransfer(originId, { source: 'test', eventId: String(turn) })
          : giro.decide(originId, told)
      ).catch(() => null);
    }
  });
  for (const originId of ending) {
    expect(await giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
      status: 'COMPLETED',
    });
  }
  for (const originId of held) {
    await until(
      () => Promise.resolve(arrivals(chaos(), originId).length),
      (count) => count >= 5,
    );
  }
  storm.isOver = true;
  await Promise.all(messages);
  for (const originId of held) await env.transfer(originId).terminate('end of the test');

  const gaps = [...ending, ...held].flatMap(gapsOf).filter(({ gapMs }) => !Number.isNaN(gapMs));
  expect(gaps.length).toBeGreaterThan(8 * 3);
  expect(gaps.filter(({ gapMs, boundMs }) => gapMs < boundMs)).toEqual([]);
  expect(gaps.filter(({ gapMs, boundMs }) => gapMs > boundMs + LATE_MAX_MS)).toEqual([]);
});
