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
const DELAY_MS = 1_500;
/**
 * When the message comes, after the end of the first look-up: most of the gap is over. A run that does not know how much
 * of it is over would wait for all of it again.
 */
const MESSAGE_AFTER_MS = 3_000;
const TRANSFERS_MAX = 15;
/**
 * From the message to the second look-up, if another worker executed the step before. The true end is not known, so the
 * run waits for the gap again. Without the message it would wait for ten minutes.
 */
const UNKNOWN_MAX_MS = POLL_ACTIVE_MS + 30_000;

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
  const [, lookup] = await answered(originId, 2);
  await waits(originId);
  line.delay(0);
  // At least until the data have arrived that the line still delays.
  await sleep(Math.max(DELAY_MS, Date.parse(lookup!.finishedAt!) + MESSAGE_AFTER_MS - Date.now()));
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

interface Case {
  readonly description: string;
  /** Before the message. */
  readonly meanwhile?: () => Promise<void>;
  readonly message: (originId: number) => Promise<unknown>;
  /** From the message to the second look-up. */
  readonly withinMs: number;
}

/**
 * The second look-up is never early, and comes less than `withinMs` after the message. A busy machine may delay it
 * further, so only the least delay of several transfers is checked.
 */
async function expectGap({ description, meanwhile, message, withinMs }: Case): Promise<void> {
  let leastMs = Infinity;
  for (let tried = 0; tried < TRANSFERS_MAX && leastMs >= withinMs; tried += 1) {
    const originId = await afterSlowLookup(description);
    await meanwhile?.();
    const sentMs = Date.now();
    await message(originId);
    const [, first, second] = await answered(originId, 3);
    await environment().env.transfer(originId).terminate('end of the test');
    const beganMs = Date.parse(second!.at);
    expect(beganMs - Date.parse(first!.finishedAt!)).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    leastMs = Math.min(leastMs, beganMs - sentMs);
  }
  expect(leastMs).toBeLessThan(withinMs);
}

it('a hint after it brings the next look-up forward to the gap, not further', () =>
  expectGap({ description: 'held', message: hint, withinMs: POLL_ACTIVE_MS }));

it('likewise when a worker that started meanwhile gets the hint', () =>
  expectGap({
    description: 'held',
    meanwhile: async () => {
      await worker.stop();
      await startWorker();
    },
    message: hint,
    withinMs: UNKNOWN_MAX_MS,
  }));

it('a cancel after it makes the next look-up neither early nor late', () =>
  expectGap({
    description: 'open',
    message: (originId) => environment().env.giro.cancelTransfer(originId),
    withinMs: POLL_ACTIVE_MS,
  }));

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
