import { until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { openLine } from '../../dev/simulate/line';
import type { Line } from '../../dev/simulate/line';
import { startDispatcher } from '../../src/webhooks/dispatcher';
import type { Dispatcher } from '../../src/webhooks/dispatcher';
import { listenForNotifications } from '../../src/journal/listen';
import type { Listener } from '../../src/journal/listen';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { startTestReceiver } from './support/test-receiver';
import type { TestReceiver } from './support/test-receiver';

/** The longest time that a timer of Node takes, 24 days: nothing in these tests is found by polling. */
const SWEEP_EVERY_MS = 2 ** 31 - 1;

const scope = new Scope();
let db: TestJournal;
/** Between the listener and the journal. */
let line: Line;
let receiver: TestReceiver;
let dispatcher: Dispatcher;
let listener: Listener;
let rounds = 0;
/** How often the listener has woken the dispatcher: at each connect, and for each delivery. */
let wakes = 0;

beforeAll(async () => {
  db = await openTestJournal();
  receiver = await startTestReceiver(db.url);
  dispatcher = startDispatcher({
    inbox: {
      ...db.journal,
      leaseNotifications: (lease) => {
        rounds += 1;
        return db.journal.leaseNotifications(lease);
      },
    },
    reading: { idPointers: [], debitPointer: null, debitTypes: [] },
    sendHint: () => Promise.reject(new Error('nothing to hint here')),
    observer: { notification: () => undefined, hintFailed: () => undefined, backlog: () => undefined },
    keepMs: 86_400_000,
    sweepEveryMs: SWEEP_EVERY_MS,
    onStaged: () => undefined,
    onSealed: () => undefined,
    onCut: () => undefined,
    onUnworkable: () => undefined,
    onSetAside: () => undefined,
    onFailed: (error) => console.error(error),
  });
  const url = new URL(db.url);
  line = await openLine(scope, { port: Number(url.port) });
  url.port = String(line.port);
  listener = listenForNotifications(url.href, () => {
    wakes += 1;
    dispatcher.wake();
  });
  await isAwake(1);
});
afterAll(async () => {
  await Promise.all([listener.close(), dispatcher.stop()]);
  await scope.release();
  await receiver.stop();
  await db.close();
});

/** The server's process of the listening connection. */
const listeners = async () =>
  (
    await db.sql(
      `select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`,
    )
  ).rows.map(({ pid }) => pid as number);
/** Waits until the listener has woken the dispatcher `count` times, and the dispatcher has finished its rounds. */
async function isAwake(count: number): Promise<void> {
  await until(
    () => Promise.resolve(wakes),
    (so) => so >= count,
  );
  let before = -1;
  while (before !== rounds) {
    before = rounds;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const post = async (body: unknown): Promise<number> =>
  (await fetch(receiver.url, { method: 'POST', body: JSON.stringify(body) })).status;
const waiting = async () =>
  (await db.sql('select 1 from giro.notification where due_at is not null')).rows.length;
const isWorkedOff = () => until(waiting, (left) => left === 0);

test('a delivery wakes the worker: it does not wait for the next poll', async () => {
  const before = wakes;
  expect(await post({ about: 'nothing of ours' })).toBe(200);
  await isWorkedOff();
  await isAwake(before + 1);
});

test('so does one after the listening connection was cut, and one that came meanwhile is found', async () => {
  const before = wakes;
  line.become('cut');
  await until(listeners, ({ length }) => length === 0);
  expect(await post({ came: 'meanwhile' })).toBe(200);
  expect([await listeners(), await waiting(), wakes]).toEqual([[], 1, before]);
  line.become('through');
  await isWorkedOff();
  await isAwake(before + 1);
  expect(await post({ came: 'afterwards' })).toBe(200);
  await isWorkedOff();
  await isAwake(before + 2);
});
