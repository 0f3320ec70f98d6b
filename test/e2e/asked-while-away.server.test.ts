import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf, until } from '../../dev/giro-environment';
import { quietRuntime } from '../support/quiet-runtime';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/**
 * A query that was put while no worker was there meets the next one before the workflow task does, and has the run
 * built from a history that ends with news: a timer that fired, a hint. What a run decides must be what it decides in
 * a replay all the same.
 */
quietRuntime({ core: 'ERROR' });

const STATES = Array<string>(90).fill('IN_PROGRESS');

const environment = useEnvironment({
  settings: { pollActiveMs: 1_000, pollDelayedMs: 3_000 },
  rules: [
    { match: { description: 'open' }, states: STATES },
    { match: { description: 'held' }, states: STATES, echo: [{ set: { 'details.amount': 1 } }] },
  ],
});

const RUNS_OF_EACH = 5;
const POLLS = 6;
/** Of each onlooker: what is looked at without a pause has no time for anything else on a busy machine. */
const PAUSE_MS = 400;

/** Again and again, whatever comes of it: without a worker nothing does. */
async function repeat(isOver: () => boolean, act: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await act().catch(() => null);
    await sleep(PAUSE_MS);
  }
}

it('runs that are queried and hinted while workers come and go decide the same in a replay', async () => {
  const { env, taskQueue } = environment();
  const [open, held] = ['open', 'held'].map(() => Array.from({ length: RUNS_OF_EACH }, nextOriginId));
  const originIds = [...open!, ...held!];
  for (const originId of open!) await env.giro.startTransfer(orderOf(originId, 'open'));
  for (const originId of held!) await env.giro.startTransfer(orderOf(originId, 'held'));
  const polled = (count: number) =>
    Promise.all(
      originIds.map((originId) =>
        until(
          () => stateOf(env, originId).catch(() => null),
          (view) => view !== null && view.polls >= count,
          // A busy machine answers few of so many queries.
          400_000,
        ),
      ),
    );
  await polled(1);

  const around = { isOver: false };
  const isOver = () => around.isOver;
  const others = [
    ...originIds.map((originId) => repeat(isOver, () => stateOf(env, originId))),
    ...held!.map((originId, i) =>
      repeat(isOver, async () => {
        await env.giro.hintTransfer(originId, { source: 'test', eventId: String(i) });
        await sleep(300 + 50 * i);
      }),
    ),
  ];
  for (const polls of [POLLS / 2, POLLS]) {
    await environment().worker.stop();
    // Timers of a second fire meanwhile.
    await sleep(2_000);
    environment().worker = await env.startWorker();
    await polled(polls);
  }
  around.isOver = true;
  await Promise.all(others);

  for (const originId of originIds) await env.transfer(originId).terminate('end of the test');
  for (const originId of held!) await keepHistory('hinted-while-away', env.transfer(originId), taskQueue);
  for (const originId of open!) await keepHistory('asked-while-away', env.transfer(originId), taskQueue);
}, 600_000);
