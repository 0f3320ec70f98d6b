import { newKeyRing, withReceiverKey } from '../../src/codec/key-ring';
import { newReceiverKey } from '../../src/codec/receiver-key';
import { createJournal } from '../../src/journal/create-journal';
import type { OpenJournal } from '../../src/journal/create-journal';
import { createInbox } from '../../src/journal/inbox';
import type { OpenInbox } from '../../src/journal/inbox';
import { JournalUnavailable } from '../../src/journal/errors';
import type { Journal } from '../../src/journal/journal';
import { until } from '../../dev/giro-environment';
import { startDispatcher } from '../../src/webhooks/dispatcher';
import type { DispatcherOptions } from '../../src/webhooks/dispatcher';
import { SUSPECTED_DEBITS_MAX } from '../../src/journal/statements/suspected-debits';
import {
  BATCH_MAX,
  UNFINISHED_MAX,
  UNKNOWN_KEY_MAX_MS,
  dispatchBatch,
} from '../../src/webhooks/dispatch-batch';
import type { HintEnd } from '../../src/webhooks/hint-sender';
import { openTestJournal, PATIENT } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { REFUSED, aResult, answered, ask, claim, newOriginId, openNew } from '../journal/support/transfers';

const ALL = { since: null, before: null, limit: 1_000 } as const;

let db: TestJournal;
let second: OpenJournal;
let inbox: OpenInbox;
beforeAll(async () => {
  db = await openTestJournal();
  second = createJournal(db.url, { timeouts: PATIENT });
  inbox = createInbox(db.url, { timeouts: PATIENT });
});
afterAll(async () => {
  await inbox.close();
  await second.close();
  await db.close();
});
beforeEach(async () => {
  await db.sql('delete from giro.notification');
  await db.sql('delete from giro.hint');
  await db.sql('delete from giro.suspected_debit');
});

/** An engine with given answers that notes what it was asked. */
function dispatch(journal: Journal = db.journal) {
  const sent: string[] = [];
  const setAside: string[] = [];
  const unopened: number[] = [];
  const engine: { answer: HintEnd; refuses?: string } = { answer: 'taken' };
  const options: Omit<DispatcherOptions, 'keepMs' | 'onFailed'> = {
    inbox: journal,
    reading: { idPointers: [], debitPointer: null, debitTypes: ['DEBIT_*'] },
    sendHint: (target) => {
      sent.push(target.workflowId);
      return Promise.resolve(target.workflowId === engine.refuses ? 'refused' : engine.answer);
    },
    observer: {
      notification: () => undefined,
      hintFailed: () => undefined,
      backlog: () => undefined,
    },
    onStaged: () => undefined,
    onSealed: (count) => unopened.push(count),
    onCut: () => undefined,
    onUnworkable: () => undefined,
    onSetAside: (key) => setAside.push(key),
  };
  return {
    sent,
    setAside,
    unopened,
    engine,
    options,
    run: (maySend?: boolean) => dispatchBatch(options, maySend),
  };
}

let keys = 0;
async function notify(content: unknown): Promise<string> {
  const deliveryKey = `key-${++keys}`;
  await inbox.inbox.storeNotification({
    deliveryKey,
    body: Buffer.from(JSON.stringify(content)),
  });
  return deliveryKey;
}

async function outcomeOf(deliveryKey: string): Promise<unknown> {
  const { rows } = await db.sql('select outcome from giro.notification where delivery_key = $1', [
    deliveryKey,
  ]);
  return rows[0]?.['outcome'];
}

const makeDue = () =>
  db.sql('update giro.notification set due_at = clock_timestamp() where due_at is not null');
const hintGapOver = () => db.sql(`update giro.hint set granted_at = granted_at - interval '5 seconds'`);
/** The journal's clock. */
const journalMs = async () =>
  Number((await db.sql('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')).rows[0]?.['ms']);
/** Recorded times have microseconds, and the journal is told whole milliseconds. */
const ROUNDED_MS = 2;
function expectBetween(ms: unknown, leastMs: number, mostMs: number): void {
  expect(ms).toBeGreaterThanOrEqual(leastMs - ROUNDED_MS);
  expect(ms).toBeLessThanOrEqual(mostMs + ROUNDED_MS);
}
/** The gap is not over, however long the next steps take. */
const hintGapLasts = () =>
  db.sql(`update giro.hint set granted_at = clock_timestamp() + interval '10 minutes'`);

test('an open transfer is hinted by originId, movement id and network id, in both payload shapes', async () => {
  for (const shape of [
    (id: number) => ({
      id: 'evt',
      type: 'NEW_MONEY_MOVEMENT',
      created: 1,
      redeliveries: 0,
      data: { details: { originId: id } },
    }),
    (id: number) => ({ originId: String(id), status: 'COMPLETED', networkId: null }),
    (id: number) => ({ eventType: 'X', movementId: `M${id}` }),
    (id: number) => ({ event: { network_id: `N${id}`, id: null } }),
  ]) {
    const originId = await openNew(db.journal);
    await ask(
      db.journal,
      originId,
      1,
      answered('IN_PROGRESS', { movementId: `M${originId}`, networkId: `N${originId}` }),
    );
    const { sent, run } = dispatch();
    const key = await notify(shape(originId));
    await run();
    expect(sent).toEqual([`transfer-${originId}`]);
    expect(await outcomeOf(key)).toBe('hinted');
  }
});

test('a hundred notifications of one transfer are one hint, and one that comes later waits for the 5 s', async () => {
  const originId = await openNew(db.journal);
  const first = await Promise.all(Array.from({ length: 60 }, (_, i) => notify({ originId, i })));
  const { sent, run } = dispatch();
  await run();
  expect(sent).toHaveLength(1);
  for (const key of first) expect(await outcomeOf(key)).toBe('hinted');

  await hintGapLasts();
  const later = await notify({ originId, i: 'later' });
  const fromMs = await journalMs();
  await run();
  const tookMs = (await journalMs()) - fromMs;
  expect(sent).toHaveLength(1);
  expect(await outcomeOf(later)).toBeNull();
  const { rows } = await db.sql(
    `select extract(epoch from n.due_at - h.granted_at)::float8 * 1000 as ms
     from giro.notification n cross join giro.hint h where n.due_at is not null`,
  );
  expect(rows).toEqual([{ ms: expect.any(Number) as number }]);
  // The run reads the journal's clock twice: for the time left, and for the due time.
  expectBetween(rows[0]?.['ms'], 5_000, 5_000 + tookMs);
  await db.sql(`update giro.hint set granted_at = granted_at - interval '1 hour'`);
  await makeDue();
  await run();
  expect(sent).toHaveLength(2);
  expect(await outcomeOf(later)).toBe('hinted');
});

test('a notification that a later hint serves needs no further hint', async () => {
  const originId = await openNew(db.journal);
  const early = await notify({ originId, i: 1 });
  await db.sql(`update giro.notification set due_at = clock_timestamp() + interval '1 hour'`);
  const { sent, run } = dispatch();
  await notify({ originId, i: 2 });
  await run();
  await hintGapLasts();
  await makeDue();
  await run();
  expect(sent).toHaveLength(1);
  expect(await outcomeOf(early)).toBe('merged');
});

test('while the engine is away nothing is done; afterwards each transfer is hinted', async () => {
  const originIds = await Promise.all(Array.from({ length: 5 }, () => openNew(db.journal)));
  const waiting = await Promise.all(originIds.map((originId) => notify({ originId })));
  const { sent, engine, run } = dispatch();
  engine.answer = 'unreachable';
  for (let i = 0; i < 3; i++) {
    expect(await run()).toMatchObject({ leased: 5, engine: 'away' });
    await hintGapOver();
    await makeDue();
  }
  for (const key of waiting) expect(await outcomeOf(key)).toBeNull();
  engine.answer = 'taken';
  sent.length = 0;
  await run();
  expect(sent.sort()).toEqual(originIds.map((id) => `transfer-${id}`).sort());
  for (const key of waiting) expect(await outcomeOf(key)).toBe('hinted');
});

test('a hint that the engine refuses is tried again and holds up no other', async () => {
  const [bad, ...good] = await Promise.all(Array.from({ length: 30 }, () => openNew(db.journal)));
  const refused = await notify({ originId: bad });
  const others = await Promise.all(good.map((originId) => notify({ originId })));
  const { engine, run } = dispatch();
  engine.refuses = `transfer-${bad}`;
  expect(await run()).toMatchObject({ leased: 30, engine: 'answered' });
  for (const key of others) expect(await outcomeOf(key)).toBe('hinted');
  expect(await outcomeOf(refused)).toBeNull();
  delete engine.refuses;
  await hintGapOver();
  await makeDue();
  await run();
  expect(await outcomeOf(refused)).toBe('hinted');
});

test('two workers at once: each notification is worked on by one, each transfer hinted once', async () => {
  const originIds = await Promise.all(Array.from({ length: 20 }, () => openNew(db.journal)));
  for (const originId of originIds) for (let i = 0; i < 10; i++) await notify({ originId, i });
  const workers = [dispatch(), dispatch(second.journal)];
  // The leases are real. What one may not hint is served by the other's hint, or waits.
  for (let leased = 1; leased > 0;) {
    const ends = await Promise.all(workers.map(({ run }) => run()));
    leased = ends.reduce((sum, end) => sum + end.leased, 0);
    await hintGapLasts();
    await makeDue();
    const { rows } = await db.sql('select 1 from giro.notification where due_at is not null');
    if (rows.length > 0) leased = 1;
  }
  const sent = workers.flatMap((worker) => worker.sent);
  expect(sent.sort()).toEqual(originIds.map((id) => `transfer-${id}`).sort());
});

test('an ended transfer is not hinted; a lost run is tried until it is there again', async () => {
  const ended = await openNew(db.journal);
  await ask(db.journal, ended, 1, answered('COMPLETED', { movementId: `M${ended}` }));
  await db.journal.recordResult(aResult(ended, 'COMPLETED', { movementId: `M${ended}` }));
  const late = await notify({ originId: ended });
  const lost = await notify({ originId: await openNew(db.journal) });
  const { sent, engine, run } = dispatch();
  engine.answer = 'not-open';
  await run();
  expect([await outcomeOf(late), await outcomeOf(lost), sent.length]).toEqual(['ended', null, 1]);
  engine.answer = 'taken';
  await hintGapOver();
  await makeDue();
  await run();
  expect(await outcomeOf(lost)).toBe('hinted');
});

const suspected = async () => db.journal.suspectedDebits(ALL);
const recorded = async () => (await db.sql('select count(*)::integer as n from giro.orphan_debit')).rows[0];

test('a debit that nobody ordered is held until the bank was asked, or a transfer is known for it; incoming money is none', async () => {
  const { run, sent } = dispatch();
  const unknown = newOriginId();
  const orphan = await notify({ details: { type: 'DEBIT_TRANSFER_SENT_CVU', originId: unknown }, id: 'M-x' });
  const incoming = await notify({ details: { type: 'CREDIT_TRANSFER_RECEIVED' }, amount: 10 });
  await run();
  expect([await outcomeOf(orphan), await outcomeOf(incoming)]).toEqual(['orphan', 'not-ours']);
  expect(await suspected()).toEqual([
    expect.objectContaining({
      ...{ deliveryKey: orphan, originIds: [unknown], movementIds: ['M-x'] },
      movementType: 'DEBIT_TRANSFER_SENT_CVU',
    }),
  ]);
  expect(sent).toEqual([]);
  const listed = async () => (await suspected()).map(({ deliveryKey }) => deliveryKey);

  // Notified before its create was answered: no orphan while an answer may still bring the network's id.
  const early = await notify({ type: 'DEBIT_TRANSFER_SENT_CVU', networkId: 'EARLY22' });
  await run();
  expect([await outcomeOf(early), await listed()]).toEqual([null, [orphan]]);
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED', { networkId: 'EARLY22' }));
  await makeDue();
  await run();
  expect(await outcomeOf(early)).toBe('hinted');
  expect(sent).toEqual([`transfer-${originId}`]);

  // Known only after the quarter of an hour: off the list then.
  const slow = await notify({ type: 'DEBIT_TRANSFER_SENT_CVU', networkId: 'SLOW22' });
  await db.sql(
    `update giro.notification set received_at = received_at - interval '15 minutes' where done_at is null`,
  );
  await run();
  expect([await outcomeOf(slow), new Set(await listed())]).toEqual(['orphan', new Set([orphan, slow])]);
  await ask(db.journal, await openNew(db.journal), 1, answered('CREATED', { networkId: 'SLOW22' }));
  expect(await listed()).toEqual([orphan]);
});

test.each(['REFUSED', 'WITHDRAWN'] as const)(
  'a debit of a transfer that ended as %s is an orphan; other news of it are none',
  async (status) => {
    const originId = await openNew(db.journal);
    if (status === 'REFUSED') await ask(db.journal, originId, 1, REFUSED);
    else await claim(db.journal, originId, 1, 'withdrawal');
    await db.journal.recordResult(aResult(originId, status));
    const debit = await notify({ type: 'DEBIT_TRANSFER_SENT_CVU', originId, networkId: `N${originId}` });
    const other = await notify({ originId, status });
    await dispatch().run();
    expect([await outcomeOf(debit), await outcomeOf(other)]).toEqual(['orphan', 'ended']);
    expect(await suspected()).toContainEqual(
      expect.objectContaining({ deliveryKey: debit, originIds: [originId] }),
    );
  },
);

test('in a notification of several movements a known one does not vouch for the others', async () => {
  const originId = await openNew(db.journal);
  const [stolen, stolenToo] = [newOriginId(), newOriginId()];
  const type = 'DEBIT_TRANSFER_SENT_CVU';
  const key = await notify({
    data: [
      { originId, type },
      { originId: stolen, type },
      { originId: stolenToo, type },
    ],
  });
  const { sent, run } = dispatch();
  // The orphans do not wait for the hint, nor are they held twice.
  await run(false);
  expect([sent, await outcomeOf(key), (await suspected()).length]).toEqual([[], null, 2]);
  await makeDue();
  await run();
  expect([sent, await outcomeOf(key)]).toEqual([[`transfer-${originId}`], 'orphan']);
  expect((await suspected()).map(({ originIds }) => originIds)).toEqual([[stolen], [stolenToo]]);
});

test('however many debits somebody makes up, nothing of them is recorded; one without room waits in the inbox', async () => {
  const before = await recorded();
  const debits = (from: number) =>
    Array.from({ length: 100 }, (_, i) => ({ type: 'DEBIT_X', networkId: `FORGED${from + i}` }));
  const old = async (key: string): Promise<string> => {
    await db.sql(
      `update giro.notification set received_at = received_at - interval '1 hour' where delivery_key = $1`,
      [key],
    );
    return key;
  };
  const first = await old(await notify({ data: debits(0) }));
  const { run } = dispatch();
  await run();
  expect([await outcomeOf(first), (await suspected()).length]).toEqual(['orphan', 100]);
  await db.sql(
    `insert into giro.suspected_debit (delivery_key, origin_ids, movement_ids, network_ids, received_at, ask_at)
     select 'flood ' || i, '{}', '{}', array['n' || i], now(), now() + interval '1 hour'
     from generate_series(1, $1::integer) i`,
    [SUSPECTED_DEBITS_MAX - 100],
  );
  const second = await old(await notify({ data: debits(100) }));
  await run();
  expect(await outcomeOf(second)).toBeNull();
  await db.sql(`delete from giro.suspected_debit where delivery_key like 'flood %'`);
  await makeDue();
  await run();
  expect([await outcomeOf(second), (await suspected()).length]).toEqual(['orphan', 200]);
  expect(await recorded()).toEqual(before);
});

test.each([
  ['by an error', new Error('not workable')],
  ['by a statement that takes too long', new JournalUnavailable('took too long', true)],
])('one that cannot be worked on, %s, holds up no other, and is set aside', async (_how, failure) => {
  const originId = await openNew(db.journal);
  const poison = await notify({ movementId: 'POISON' });
  const good = await notify({ originId });
  const failing: Journal = {
    ...db.journal,
    transfersOf: (ids) =>
      ids.movementIds.includes('POISON') ? Promise.reject(failure) : db.journal.transfersOf(ids),
  };
  const { sent, setAside, run } = dispatch(failing);
  await run();
  expect([sent, await outcomeOf(good), await outcomeOf(poison)]).toEqual([
    [`transfer-${originId}`],
    'hinted',
    null,
  ]);
  let tries = 1;
  for (; (await outcomeOf(poison)) === null && tries < 20; tries++) {
    await makeDue();
    await run();
  }
  expect([await outcomeOf(poison), setAside, tries]).toEqual(['set-aside', [poison], UNFINISHED_MAX + 1]);
  expect(await run()).toMatchObject({ leased: 0 });
});

test('a journal that gives up every statement is slow: the batch is left to its leases', async () => {
  const waiting = [];
  for (let i = 0; i < 5; i++) waiting.push(await notify({ movementId: `M-${i}` }));
  let asked = 0;
  const { run } = dispatch({
    ...db.journal,
    transfersOf: () => {
      asked += 1;
      return Promise.reject(new JournalUnavailable('took too long', true));
    },
  });
  await expect(run()).rejects.toBeInstanceOf(JournalUnavailable);
  // Together, and the first two alone.
  expect(asked).toBe(3);
  for (const key of waiting) expect(await outcomeOf(key)).toBeNull();
});

test('what its holder did not survive is worked on alone, after the others, and is set aside at last', async () => {
  const originIds = [await openNew(db.journal), await openNew(db.journal)];
  const [poison, innocent] = [
    await notify({ originId: originIds[0] }),
    await notify({ originId: originIds[1] }),
  ];
  const dies = () => db.journal.leaseNotifications({ limit: 10, leaseMs: 1 });
  expect(await dies()).toHaveLength(2);
  await makeDue();
  const good = await notify({ networkId: 'N-good' });
  const [first, second, ...more] = await dies();
  // By age. Beside new notifications, only one that its holder did not survive is leased.
  expect([first?.deliveryKey, first?.unfinished, second?.deliveryKey, more]).toEqual([poison, 1, good, []]);
  for (let i = 0; i < UNFINISHED_MAX - 2; i++) {
    await db.sql(
      `update giro.notification set due_at = clock_timestamp() + make_interval(hours => (delivery_key <> $1)::integer)`,
      [poison],
    );
    expect(await dies()).toHaveLength(1);
  }
  const { sent, setAside, run } = dispatch();
  for (let i = 0; i < 3; i++) {
    await makeDue();
    await run();
  }
  expect([await outcomeOf(poison), await outcomeOf(innocent)]).toEqual(['set-aside', 'hinted']);
  expect([setAside, sent]).toEqual([[poison], [`transfer-${originIds[1]}`]]);
});

describe('sealed', () => {
  let sealing: OpenInbox;
  let opening: OpenJournal;
  let strange: OpenInbox;
  beforeAll(async () => {
    const [{ privateKey, ...sealKey }, other] = [await newReceiverKey('r1'), await newReceiverKey('r2')];
    sealing = createInbox(db.url, { sealKey, timeouts: PATIENT });
    strange = createInbox(db.url, { sealKey: other, timeouts: PATIENT });
    const keyRing = withReceiverKey(newKeyRing(), 'r1', privateKey);
    opening = createJournal(db.url, { keyRing, timeouts: PATIENT });
  });
  afterAll(() => Promise.all([sealing, strange, opening].map(({ close }) => close())));

  const notifySealed = async ({ inbox: into }: OpenInbox, content: unknown): Promise<string> => {
    const deliveryKey = `sealed-${++keys}`;
    await into.storeNotification({ deliveryKey, body: Buffer.from(JSON.stringify(content)) });
    return deliveryKey;
  };
  const dueAtMs = async (key: string) =>
    Number(
      (
        await db.sql(
          `select extract(epoch from due_at)::float8 * 1000 as ms from giro.notification where delivery_key = $1`,
          [key],
        )
      ).rows[0]?.['ms'],
    );
  const age = (key: string, ms: number) =>
    db.sql(
      `update giro.notification set due_at = clock_timestamp(),
         received_at = clock_timestamp() - make_interval(secs => $2::float8 / 1000) where delivery_key = $1`,
      [key, ms],
    );

  test('one that was altered is set aside at once; the others are opened', async () => {
    const originId = await openNew(db.journal);
    const [altered, good] = [
      await notifySealed(sealing, { originId }),
      await notifySealed(sealing, { originId }),
    ];
    await db.sql(
      `update giro.notification set body = set_byte(body, 80, get_byte(body, 80) # 1) where delivery_key = $1`,
      [altered],
    );
    const { sent, setAside, unopened, run } = dispatch(opening.journal);
    await run();
    expect([await outcomeOf(altered), await outcomeOf(good)]).toEqual(['set-aside', 'hinted']);
    expect([setAside, unopened, sent]).toEqual([[altered], [], [`transfer-${originId}`]]);
    expect(await db.journal.setAsideNotifications({ limit: 10 })).toEqual([
      expect.objectContaining({ deliveryKey: altered, tries: 1 }),
    ]);
    expect(await run()).toMatchObject({ leased: 0 });
  });

  test('one with a key that is not in the ring is tried ever more seldom, and is set aside after a day', async () => {
    const originId = await openNew(db.journal);
    const [young, old] = [
      await notifySealed(strange, { originId }),
      await notifySealed(strange, { originId }),
    ];
    await age(old, UNKNOWN_KEY_MAX_MS + 1_000);
    const { setAside, unopened, run } = dispatch(opening.journal);
    await run();
    expect([await outcomeOf(young), await outcomeOf(old), setAside, unopened]).toEqual([
      ...[null, 'set-aside', [old], [1]],
    ]);
    for (const [ageMs, pauseMs] of [
      [0, 60_000],
      [300_000, 300_000],
      [7_200_000, 3_600_000],
    ] as const) {
      const fromMs = await journalMs();
      await age(young, ageMs);
      await run();
      const tookMs = (await journalMs()) - fromMs;
      // The run adds to the age, and sets the pause at its end.
      expectBetween((await dueAtMs(young)) - fromMs, pauseMs, pauseMs + 2 * tookMs);
    }
    expect(await outcomeOf(young)).toBeNull();
    await age(young, UNKNOWN_KEY_MAX_MS + 1_000);
    await run();
    expect(await outcomeOf(young)).toBe('set-aside');
  });

  test('a flood that does not open yet does not go before what is new', async () => {
    await db.sql(
      `insert into giro.notification (delivery_key, body, key_id)
       select 'flood-' || i, 'x', 'r9' from generate_series(1, $1::integer) i`,
      [BATCH_MAX + 20],
    );
    const { sent, run } = dispatch(opening.journal);
    await run();
    await run();
    const originId = await openNew(db.journal);
    const key = await notifySealed(sealing, { originId });
    expect(await run()).toMatchObject({ leased: 1 });
    expect([sent, await outcomeOf(key)]).toEqual([[`transfer-${originId}`], 'hinted']);
  });
});

test('while the engine is away what needs no hint is done: no batch of hints is in its way', async () => {
  const originId = await openNew(db.journal);
  const waiting = await Promise.all(Array.from({ length: 120 }, (_, i) => notify({ originId, i })));
  const orphan = await notify({ type: 'DEBIT_TRANSFER_SENT_CVU', originId: newOriginId() });
  const { sent, engine, options } = dispatch();
  engine.answer = 'unreachable';
  const dispatcher = startDispatcher({
    ...options,
    keepMs: 86_400_000,
    onFailed: (error) => console.error(error),
  });
  await until(
    () => outcomeOf(orphan),
    (outcome) => outcome === 'orphan',
  );
  // Far fewer than notifications that wait.
  expect(sent.length).toBeLessThanOrEqual(10);
  engine.answer = 'taken';
  await until(
    async () => {
      await hintGapOver();
      await makeDue();
      return Promise.all(waiting.map(outcomeOf));
    },
    (outcomes) => outcomes.every((outcome) => outcome === 'hinted' || outcome === 'merged'),
  );
  await dispatcher.stop();
});

test('a hint of another worker, granted meanwhile, is not taken for delivered', async () => {
  const workflowId = `transfer-${newOriginId()}`;
  const grant = async (journal: Journal) => (await journal.grantHints([workflowId], 5_000))[0];
  const slow = (await grant(db.journal))?.grantedAt ?? '';
  await hintGapOver();
  const other = await grant(second.journal);
  expect(other?.granted).toBe(true);
  await db.journal.confirmHints([{ workflowId, grantedAt: slow }]);
  const { rows } = await db.sql(
    'select delivered_at < granted_at as earlier from giro.hint where workflow_id = $1',
    [workflowId],
  );
  expect(rows).toEqual([{ earlier: true }]);
});

test('workers that confirm the same hints wait for one another, and cannot deadlock: one order of rows', async () => {
  const [first, last] = ['transfer-1', 'transfer-2'];
  const grants = await db.journal.grantHints([last, first], 5_000);
  const taken = [last, first].map((workflowId) => ({
    workflowId,
    grantedAt: grants.find((grant) => grant.workflowId === workflowId)?.grantedAt ?? '',
  }));
  const other = await db.connect();
  await other.query('begin');
  await other.query('select from giro.hint where workflow_id = $1 for update', [first]);
  const confirmed = db.journal.confirmHints(taken);
  await until(
    () =>
      db.sql(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    ({ rowCount }) => rowCount === 1,
  );
  await other.query('select from giro.hint where workflow_id = $1 for update nowait', [last]);
  await other.query('commit');
  await confirmed;
  const { rows } = await db.sql(
    'select workflow_id from giro.hint where delivered_at is not null order by 1',
  );
  expect(rows).toEqual([{ workflow_id: first }, { workflow_id: last }]);
});

test('a verification is hinted by its request id, if it is tracked; an unknown one costs the engine nothing', async () => {
  const { sent, engine, run } = dispatch();
  await db.journal.openVerification('a1/b2-c3');
  const key = await notify({ requestId: 'a1/b2-c3' });
  const untracked = await notify({ requestId: 'a-correlation-id' });
  engine.answer = 'not-open';
  await run();
  // Tracked and without a run: lost, until it is started again.
  expect([sent, await outcomeOf(key), await outcomeOf(untracked)]).toEqual([
    ['kyc-a1/b2-c3'],
    null,
    'not-ours',
  ]);
  expect((await db.sql('select workflow_id from giro.hint')).rows).toEqual([{ workflow_id: 'kyc-a1/b2-c3' }]);
  engine.answer = 'taken';
  await hintGapOver();
  await makeDue();
  await run();
  expect(await outcomeOf(key)).toBe('hinted');
  await db.journal.stopVerification('a1/b2-c3');
  const late = await notify({ requestId: 'a1/b2-c3', i: 2 });
  await run();
  expect(await outcomeOf(late)).toBe('ended');
});

test('what a crashed worker had taken is due again after its lease', async () => {
  const originId = await openNew(db.journal);
  const key = await notify({ originId });
  const lease = () => db.journal.leaseNotifications({ limit: 10, leaseMs: 3_600_000 });
  expect(await lease()).toHaveLength(1);
  expect(await lease()).toHaveLength(0);
  await db.sql(`update giro.notification set due_at = due_at - interval '1 hour'`);
  expect(await dispatch().run()).toMatchObject({ leased: 1 });
  expect(await outcomeOf(key)).toBe('hinted');
});

test('old notifications are deleted, those that wait are not', async () => {
  const done = await notify({});
  const waiting = await notify({ networkId: 'LATER' });
  await dispatch().run();
  await db.sql(
    `update giro.notification set done_at = done_at - interval '31 days', received_at = received_at - interval '31 days' where done_at is not null`,
  );
  expect(await db.journal.forgetNotifications({ olderThanMs: 30 * 86_400_000, limit: 10 })).toBe(1);
  expect([await outcomeOf(done), await outcomeOf(waiting)]).toEqual([undefined, null]);
  expect((await db.journal.inboxBacklog()).waiting).toBe(1);
});

test('marks of old hints are deleted in as many goes as they need, however few notifications there are', async () => {
  await db.journal.grantHints(['transfer-1', 'transfer-2', 'transfer-3'], 5_000);
  await db.sql(`update giro.hint set granted_at = granted_at - interval '25 hours'`);
  const goes = [0, 0].map(() => () => db.journal.forgetNotifications({ olderThanMs: 3_600_000, limit: 2 }));
  const counts: number[] = [];
  for (const go of goes) counts.push(await go());
  expect([counts, (await db.sql('select 1 from giro.hint')).rows]).toEqual([[2, 1], []]);
});
