import type { Movement } from '../../src/domain/movement';
import type { NotifiedDebit } from '../../src/journal/statements/orphan-debits';
import { NOT_FOUND_MAX, confirmDebits, startConfirming } from '../../src/webhooks/confirm-debits';
import type { DebitKey, DebitReply } from '../../src/webhooks/confirm-debits';
import { BARE_DEBITS_MAX } from '../../src/journal/statements/suspected-debits';
import { until } from '../../dev/giro-environment';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { answered, ask, newOriginId, openNew } from '../journal/support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql('delete from giro.suspected_debit');
});

const NOT_FOUND: DebitReply = { kind: 'not-found' };
const movement = (fields: Partial<Movement>): DebitReply => ({
  kind: 'movement',
  isOurs: false,
  movement: {
    ...{ id: '1', status: 'COMPLETED', hasDetails: true, type: 'DEBIT_X', originId: null, networkId: null },
    ...{ amount: '1.00', currency: '032', network: null, postingAt: null, completedAt: null },
    destination: { address: null, personIds: [] },
    source: { address: null, personIds: [] },
    ...fields,
  },
});

/** A bank with given answers that notes what it was asked. */
function confirming(answer: (key: DebitKey) => DebitReply, { pollActiveMs = 5_000 } = {}) {
  const asked: DebitKey[] = [];
  const ended: string[] = [];
  const failed: unknown[] = [];
  const options = {
    journal: db.journal,
    ask: (key: DebitKey) => {
      asked.push(key);
      return Promise.resolve(answer(key));
    },
    ...{ debitTypes: ['DEBIT_*'], pollActiveMs },
    onEnd: (outcome: string, { deliveryKey }: NotifiedDebit) => ended.push(`${deliveryKey} ${outcome}`),
    onFailed: (error: unknown) => {
      failed.push(error);
    },
  };
  return { asked, ended, failed, options, run: () => confirmDebits(options) };
}

let deliveries = 0;
async function stage(ids: Partial<NotifiedDebit>): Promise<string> {
  const deliveryKey = `staged-${(deliveries += 1)}`;
  await db.journal.stageDebits([
    {
      ...{ deliveryKey, movementType: 'DEBIT_X', originIds: [], movementIds: [], networkIds: [] },
      ...ids,
    },
  ]);
  return deliveryKey;
}
const recorded = async (): Promise<unknown[]> =>
  (await db.sql('select delivery_key from giro.orphan_debit order by record_id')).rows.map(
    (row) => row['delivery_key'],
  );
const held = async (): Promise<string[]> =>
  (await db.journal.suspectedDebits({ since: null, before: null, limit: 100 })).map((one) => one.deliveryKey);
const makeDue = () =>
  db.sql('update giro.suspected_debit set ask_at = clock_timestamp() where ask_at is not null');
/** By the journal's clock, Unix time (s). */
const nowS = async (): Promise<number> =>
  Number((await db.sql('select extract(epoch from clock_timestamp())::float8 as now')).rows[0]?.['now']);

test('what the bank confirms goes into the books, once, and says so once', async () => {
  const key = await stage({ networkIds: ['N-1'] });
  const { asked, ended, run } = confirming(() => movement({ networkId: 'N-1' }));
  await run();
  expect([asked, ended, await recorded(), await held()]).toEqual([
    [{ networkId: 'N-1' }],
    [`${key} confirmed`],
    [key],
    [],
  ]);
  // The notification is processed again after a crash.
  await db.journal.stageDebits([
    {
      ...{ deliveryKey: key, movementType: 'DEBIT_X', originIds: [], movementIds: [], networkIds: ['N-1'] },
    },
  ]);
  await run();
  expect([asked.length, await recorded()]).toEqual([1, [key]]);
});

test('what the bank does not know, after twelve answers by each id with growing pauses, is forgotten', async () => {
  const before = await recorded();
  const originId = newOriginId();
  const key = await stage({ originIds: [originId], networkIds: ['N-2'] });
  const { asked, ended, run } = confirming(() => NOT_FOUND);
  const pausesS = [5, 10, 20, 40, 80, 160, 320, ...Array<number>(16).fill(600)];
  expect(pausesS).toHaveLength(2 * NOT_FOUND_MAX - 1);
  for (const pauseS of pausesS) {
    await makeDue();
    const beforeS = await nowS();
    await run();
    const afterS = await nowS();
    const { rows } = await db.sql(
      'select extract(epoch from ask_at)::float8 as at from giro.suspected_debit',
    );
    // The pause began while it ran.
    const askAtS = Number(rows[0]?.['at']);
    expect(askAtS - pauseS).toBeGreaterThan(beforeS - 0.001);
    expect(askAtS - pauseS).toBeLessThan(afterS + 0.001);
    expect(await held()).toEqual([key]);
  }
  await makeDue();
  await run();
  // By each of its ids in turn.
  expect(asked.slice(0, 3)).toEqual([{ networkId: 'N-2' }, { originId }, { networkId: 'N-2' }]);
  expect([ended, await held(), await recorded()]).toEqual([[`${key} unknown`], [], before]);
});

test('incoming money under a debit, an answer about another movement and a bank that is away confirm nothing', async () => {
  const before = await recorded();
  const incoming = await stage({ networkIds: ['N-3'] });
  const other = await stage({ networkIds: ['N-4'] });
  const away = await stage({ networkIds: ['N-5'] });
  const { ended, run } = confirming((key) => {
    if (!('networkId' in key)) throw new Error('not asked');
    if (key.networkId === 'N-3') return movement({ networkId: 'N-3', type: 'CREDIT_RECEIVED' });
    if (key.networkId === 'N-4') return movement({ networkId: 'N-9' });
    return { kind: 'no-answer', afterMs: null };
  });
  for (let i = 1; i < NOT_FOUND_MAX; i += 1) {
    await makeDue();
    await run();
  }
  expect([ended, await held()]).toEqual([[`${incoming} other`], [other, away]]);
  await makeDue();
  await run();
  expect([ended.slice(1), await held(), await recorded()]).toEqual([[`${other} unknown`], [away], before]);
});

test('with a movement id alone the bank cannot be asked: it stays a suspicion; a transfer that becomes known ends another', async () => {
  const bare = await stage({ movementIds: ['M-6'] });
  const known = await stage({ networkIds: ['N-6'] });
  await ask(db.journal, await openNew(db.journal), 1, answered('CREATED', { networkId: 'N-6' }));
  const { asked, ended, run } = confirming(() => NOT_FOUND);
  await run();
  expect([asked, ended, await held()]).toEqual([[], [`${known} explained`], [bare]]);
  await db.journal.forgetNotifications({ olderThanMs: 60_000, limit: 10 });
  expect(await held()).toEqual([bare]);
  await db.sql(`update giro.suspected_debit set received_at = received_at - interval '2 minutes'`);
  await db.journal.forgetNotifications({ olderThanMs: 60_000, limit: 10 });
  expect(await held()).toEqual([]);
});

test('several notifications of one movement are one inquiry at a time; the books have the ids that the bank reports', async () => {
  const originId = newOriginId();
  const [first, second] = [await stage({ originIds: [originId] }), await stage({ originIds: [originId] })];
  let answer: DebitReply = NOT_FOUND;
  const { asked, ended, run } = confirming(() => answer, { pollActiveMs: 600_000 });
  await run();
  const third = await stage({ originIds: [originId], movementIds: ['made-up'] });
  await run();
  expect(asked).toHaveLength(1);
  answer = movement({ id: 'M-9', originId: String(originId), networkId: 'N-9' });
  await makeDue();
  await run();
  // No sooner than the bank may be asked about it again.
  await run();
  expect([asked.length, ended]).toEqual([2, [`${first} confirmed`]]);
  const { rows } = await db.sql('select * from giro.orphan_debit where delivery_key = $1', [first]);
  expect(rows).toMatchObject([
    { origin_ids: [String(originId)], movement_ids: ['M-9'], network_ids: ['N-9'] },
  ]);
  // One without further ids is not asked about again; one with another id is, and that id is not trusted.
  await makeDue();
  await run();
  await makeDue();
  await run();
  expect(ended.slice(1)).toEqual([`${second} explained`, `${third} confirmed`]);
  const listed = await db.sql('select 1 from giro.orphan_debit where movement_ids @> $1', [['made-up']]);
  expect(listed.rows).toEqual([]);
});

test('incoming money in the same notification does not hide a debit, nor does the end of another notification', async () => {
  const beside = await stage({ networkIds: ['IN-1', 'OUT-1'] });
  const real = await stage({ networkIds: ['OUT-1'] });
  const { ended, run } = confirming((key) => {
    const networkId = 'networkId' in key ? key.networkId : null;
    return movement({ networkId, type: networkId === 'IN-1' ? 'CREDIT_X' : 'DEBIT_X' });
  });
  for (let i = 0; i < 4; i += 1) {
    await makeDue();
    await run();
  }
  expect(ended).toEqual([`${beside} confirmed`, `${real} explained`]);
});

test('a transfer of ours that the bank names, and a movement that failed, are none', async () => {
  const ours = await stage({ networkIds: ['OURS-1'] });
  const failed = await stage({ networkIds: ['FAILED-1'] });
  const { ended, run } = confirming((key) => {
    const networkId = 'networkId' in key ? key.networkId : null;
    const said = movement({ networkId, ...(networkId === 'FAILED-1' ? { status: 'FAILED' } : {}) });
    return said.kind === 'movement' ? { ...said, isOurs: networkId === 'OURS-1' } : said;
  });
  await run();
  expect(ended).toEqual([`${ours} explained`, `${failed} other`]);
});

test('one that fails holds up no other; those that cannot be asked about are bounded, the newest stay', async () => {
  const poison = await stage({ networkIds: ['P-1'] });
  const good = await stage({ networkIds: ['P-2'] });
  const { ended, failed, run } = confirming((key) => {
    if ('networkId' in key && key.networkId === 'P-1') throw new Error('a bug');
    return movement({ networkId: 'P-2' });
  });
  await run();
  expect([ended, failed.length, await held()]).toEqual([[`${good} confirmed`], 1, [poison]]);
  await db.sql(
    `insert into giro.suspected_debit (delivery_key, origin_ids, movement_ids, network_ids, received_at)
     select 'bare ' || i, '{}', array['m' || i], '{}', now() from generate_series(1, $1::integer) i`,
    [BARE_DEBITS_MAX + 5],
  );
  await stage({ movementIds: ['the newest'] });
  const { rows } = await db.sql(
    `select count(*)::integer as n, bool_or(delivery_key = 'bare 1') as oldest from giro.suspected_debit where ask_at is null`,
  );
  // What a statement adds it does not see.
  expect(rows).toEqual([{ n: BARE_DEBITS_MAX + 1, oldest: false }]);
});

test('two workers do not ask about one; the loop asks when it is woken', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, i) => stage({ networkIds: [`N-7${i}`] })));
  const { asked, options } = confirming(({ ...key }) => movement(key as Partial<Movement>));
  await Promise.all([confirmDebits(options), confirmDebits(options)]);
  expect(asked).toHaveLength(8);
  const loop = startConfirming(options);
  await stage({ networkIds: ['N-8'] });
  loop.wake();
  await until(
    () => Promise.resolve(asked.length),
    (count) => count === 9,
  );
  await loop.stop();
});

test('a loop that is stopped ends after the current inquiry; the other debits are due again after their lease', async () => {
  await Promise.all(Array.from({ length: 4 }, (_, i) => stage({ networkIds: [`N-9${i}`] })));
  const { asked, options } = confirming(() => NOT_FOUND);
  let begin = (): void => undefined;
  let reply = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  const isAnswered = new Promise<void>((resolve) => (reply = resolve));
  const loop = startConfirming({
    ...options,
    ask: async (key) => {
      begin();
      await isAnswered;
      return options.ask(key);
    },
  });
  await hasBegun;
  const stopped = loop.stop();
  reply();
  await stopped;
  expect([asked.length, (await held()).length]).toEqual([1, 4]);
});
