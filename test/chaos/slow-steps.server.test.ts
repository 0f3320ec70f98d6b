import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { nextOriginId, orderOf, useEnvironment } from '../e2e/environment';
import { testServers } from '../support/servers';
import { openSlowLine } from '../support/slow-line';
import type { SlowLine } from '../support/slow-line';
import { arrivals } from './books';

/**
 * The line to the engine is slow: a worker gets its tasks late, and cannot know how late. The bank's log of arrivals
 * shows whether the gap after such a step is kept when a message ends the wait for the next step early.
 */
const POLL_ACTIVE_MS = 4_000;
/** Longest lateness of a look-up on a machine that is not busy. */
const LATE_MAX_MS = 1_000;
const DELAY_MS = 1_500;
const TRANSFERS_MAX = 6;
/**
 * The same if another worker executed the step before: the run then waits longer, because the true end is not known.
 */
const UNKNOWN_MAX_MS = 10_000;

const environment = useEnvironment({
  settings: { pollActiveMs: POLL_ACTIVE_MS },
  rules: [
    { match: { description: 'open' }, states: Array<string>(90).fill('IN_PROGRESS') },
    {
      match: { description: 'held' },
      states: Array<string>(90).fill('IN_PROGRESS'),
      echo: [{ set: { 'details.amount': 1 } }],
    },
  ],
});
const scope = new Scope();
let line: SlowLine;
/** Connected to the engine through `line`. */
let worker: { stop(): Promise<void> };
beforeAll(async () => {
  await environment().worker.stop();
  line = scope.own(await openSlowLine(testServers().temporalAddress), (it) => it.close());
});
afterAll(() => scope.release());

const startWorker = async () => {
  const connection = scope.own(await NativeConnection.connect({ address: line.address }), (it) => it.close());
  worker = scope.own(await environment().env.startWorker({ connection }), (it) => it.stop());
};
beforeEach(startWorker);
afterEach(() => worker.stop());

/** Waits until the bank has answered `count` requests of the transfer; returns all of its requests. */
const answered = (originId: number, count: number) =>
  until(
    () => Promise.resolve(arrivals(environment(), originId)),
    (requests) => requests.filter(({ finishedAt }) => finishedAt !== null).length >= count,
  );

const hint = (originId: number) =>
  environment().env.giro.hintTransfer(originId, { source: 'test', eventId: 'slow' });

/** A transfer after its first look-up, for which every task so far reached the worker late. */
async function afterSlowLookup(description: string): Promise<number> {
  const originId = nextOriginId();
  line.delay(DELAY_MS);
  await environment().env.giro.startTransfer(orderOf(originId, description));
  await answered(originId, 1);
  if (description === 'held') await hint(originId);
  await answered(originId, 2);
  await waits(originId);
  line.delay(0);
  // Wait for data that the line still delays.
  await sleep(DELAY_MS);
  return originId;
}

/** Waits until the run has set its timer, so that a message from now on ends a wait. */
async function waits(originId: number): Promise<void> {
  const handle = environment().env.transfer(originId);
  await until(
    async () => (await handle.fetchHistory()).events?.at(-1),
    (last) => last?.timerStartedEventAttributes != null,
  );
}

/** From the end of the first look-up to the start of the second. */
async function secondGapMs(originId: number): Promise<number> {
  const [, first, second] = await answered(originId, 3);
  await environment().env.transfer(originId).terminate('end of the test');
  return Date.parse(second!.at) - Date.parse(first!.finishedAt!);
}

/**
 * The second look-up is never early, and less than `lateMaxMs` late. A busy machine may delay it further, so only the
 * least lateness of several transfers is checked.
 */
async function expectGap(
  lateMaxMs: number,
  description: string,
  interrupt: (originId: number) => Promise<unknown>,
): Promise<void> {
  let leastMs = Infinity;
  for (let tried = 0; tried < TRANSFERS_MAX && leastMs >= POLL_ACTIVE_MS + lateMaxMs; tried += 1) {
    const originId = await afterSlowLookup(description);
    await interrupt(originId);
    const gapMs = await secondGapMs(originId);
    expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    leastMs = Math.min(leastMs, gapMs);
  }
  expect(leastMs).toBeLessThan(POLL_ACTIVE_MS + lateMaxMs);
}

it('a hint after it brings the next look-up forward to the gap, not further', () =>
  expectGap(LATE_MAX_MS, 'held', hint));

it('likewise when a worker that started meanwhile gets the hint', () =>
  expectGap(UNKNOWN_MAX_MS, 'held', async (originId) => {
    await worker.stop();
    await startWorker();
    await hint(originId);
  }));

it('a cancel after it makes the next look-up neither early nor late', () =>
  expectGap(LATE_MAX_MS, 'open', (originId) => environment().env.giro.cancelTransfer(originId)));

it('the times that two requests state are the gap apart, though the task between them reached its worker late', async () => {
  const originId = nextOriginId();
  await environment().env.giro.startTransfer(orderOf(originId, 'held'));
  await answered(originId, 1);
  await hint(originId);
  const first = (await answered(originId, 2)).at(-1)!;
  await waits(originId);
  // The server starts the task before the gap is over, and the worker gets it afterwards.
  await sleep(Date.parse(first.finishedAt!) + POLL_ACTIVE_MS - DELAY_MS / 2 - Date.now());
  line.delay(DELAY_MS);
  await hint(originId);
  const second = (await answered(originId, 3)).at(-1)!;
  line.delay(0);
  await environment().env.transfer(originId).terminate('end of the test');
  expect(Date.parse(second.giroTime!) - Date.parse(first.giroTime!)).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
});
