import { until } from '../../dev/giro-environment';
import { startDispatcher } from '../../src/webhooks/dispatcher';
import type { Dispatcher } from '../../src/webhooks/dispatcher';
import { listenForNotifications } from '../../src/journal/listen';
import type { Listener } from '../../src/journal/listen';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { startTestReceiver } from './support/test-receiver';
import type { TestReceiver } from './support/test-receiver';

/** Polling finds nothing within a test. */
const SWEEP_EVERY_MS = 600_000;
/** Well before the next poll, and long enough for a very busy machine. */
const WOKEN_WITHIN_MS = SWEEP_EVERY_MS / 2;

let db: TestJournal;
let receiver: TestReceiver;
let dispatcher: Dispatcher;
let listener: Listener;
let rounds = 0;

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
  listener = listenForNotifications(db.url, () => dispatcher.wake());
  await listens();
});
afterAll(async () => {
  await Promise.all([listener.close(), dispatcher.stop()]);
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
/** Connected, and the rounds of the start and of the connecting are over. */
async function listens(): Promise<void> {
  await until(listeners, ({ length }) => length === 1);
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
const isWorkedOff = () => until(waiting, (left) => left === 0, WOKEN_WITHIN_MS);

test('a delivery wakes the worker: it does not wait for the next poll', async () => {
  expect(await post({ about: 'nothing of ours' })).toBe(200);
  await isWorkedOff();
});

test('so does one after the listening connection was cut, and one that came meanwhile is found', async () => {
  const [cut] = await listeners();
  await db.sql('select pg_terminate_backend($1)', [cut]);
  expect(await post({ came: 'meanwhile' })).toBe(200);
  await until(listeners, (pids) => pids.length === 1 && pids[0] !== cut);
  await isWorkedOff();
  await listens();
  expect(await post({ came: 'afterwards' })).toBe(200);
  await isWorkedOff();
});
