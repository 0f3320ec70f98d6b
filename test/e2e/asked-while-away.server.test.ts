import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf, until } from '../../dev/giro-environment';
import { quietRuntime } from '../support/quiet-runtime';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/**
 * A query sent while no worker runs reaches the next worker before the workflow task. The worker then builds the run
 * for the query, from a history that ends with news: a fired timer, a hint. The run must decide as in a replay.
 */
quietRuntime({ core: 'ERROR' });

const STATES = Array<string>(90).fill('IN_PROGRESS');

const POLL_MS = 1_000;
/** How long the bank takes for a slow create. */
const SLOW_MS = 3_000;

const environment = useEnvironment({
  settings: { pollActiveMs: POLL_MS, pollDelayedMs: 3_000 },
  rules: [
    { match: { description: 'open' }, states: STATES },
    { match: { description: 'slow create' }, states: STATES, create: [{ fault: 'slow', delayMs: SLOW_MS }] },
    { match: { description: 'held' }, states: STATES, echo: [{ set: { 'details.amount': 1 } }] },
  ],
});

const RUNS_OF_EACH = 5;
const POLLS = 6;
/** Pause of each query loop. Without a pause, a busy machine would do nothing but answer queries. */
const PAUSE_MS = 400;
/** Longer than a query takes to reach the server. */
const SENT_MS = 500;

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

describe('a create that ends while no worker takes workflow tasks', () => {
  const hint = (originId: number) =>
    environment().env.giro.hintTransfer(originId, { source: 'test', eventId: 'while away' });
  const cancel = (originId: number) => environment().env.giro.cancelTransfer(originId);

  it.each([
    ['alone', 'create-ended-while-away', []],
    ['with a hint', 'create-ended-with-hint', [hint]],
    ['with a cancel', 'create-ended-with-cancel', [cancel]],
    ['with a hint and a cancel', 'create-ended-with-both', [hint, cancel]],
  ])(
    '%s: the same steps follow in a replay, and a whole gap after the true end',
    async (_, path, messages) => {
      const { env, taskQueue } = environment();
      const originIds = Array.from({ length: 3 }, nextOriginId);
      const requests = (originId: number) => env.bank.book.requests(String(originId));
      const requested = (count: number) =>
        until(
          () => Promise.resolve(originIds.map((originId) => requests(originId).length)),
          (counts) => counts.every((it) => it >= count),
          400_000,
        );
      for (const originId of originIds) await env.giro.startTransfer(orderOf(originId, 'slow create'));
      await requested(1);
      // Waits for the creates, and takes no workflow task.
      await environment().worker.stop();
      const around = { isOver: false };
      const asked = originIds.map((originId) =>
        repeat(
          () => around.isOver,
          () => stateOf(env, originId),
        ),
      );
      for (const originId of originIds) for (const send of messages) await send(originId);
      await sleep(SENT_MS);
      environment().worker = await env.startWorker();
      await requested(4);
      around.isOver = true;
      await Promise.all(asked);
      for (const originId of originIds) {
        expect(creates(auditRequests(env, originId))).toHaveLength(1);
        const records = requests(originId);
        for (const [i, { at }] of records.slice(1).entries()) {
          expect(Date.parse(at) - Date.parse(records[i]!.finishedAt!)).toBeGreaterThanOrEqual(POLL_MS);
        }
        await env.transfer(originId).terminate('end of the test');
        await keepHistory(path, env.transfer(originId), taskQueue);
      }
    },
    600_000,
  );
});
