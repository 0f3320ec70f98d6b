import type { Movement } from '../../src/domain/movement';
import type { NotifiedDebit } from '../../src/journal/statements/orphan-debits';
import { NOT_FOUND_MAX, confirmDebits, startConfirming } from '../../src/webhooks/confirm-debits';
import type { DebitKey, DebitReply } from '../../src/webhooks/confirm-debits';
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
  movement: {
    ...{ id: '1', status: 'COMPLETED', hasDetails: true, type: 'DEBIT_X', originId: null, networkId: null },
    ...{ amount: '1.00', currency: '032', network: null, postingAt: null, completedAt: null },
    destination: { address: null, personIds: [] },
    source: { address: null, personIds: [] },
    ...fields,
  },
});

/** A bank that answers as told, and notes what it was asked. */
function confirming(answer: (key: DebitKey) => DebitReply) {
  const asked: DebitKey[] = [];
  const ended: string[] = [];
  const options = {
    journal: db.journal,
    ask: (key: DebitKey) => {
      asked.push(key);
      return Promise.resolve(answer(key));
    },
    ...{ debitTypes: ['DEBIT_*'], pollActiveMs: 5_000 },
    onEnd: (outcome: string, { deliveryKey }: NotifiedDebit) => ended.push(`${deliveryKey} ${outcome}`),
  };
  return { asked, ended, options, run: () => confirmDebits(options) };
}

let deliveries = 0;
async function stage(ids: Partial<NotifiedDebit>): Promise<string> {
  const deliveryKey = `staged-${(deliveries += 1)}`;
  await db.journal.stageDebits([
    {
      ...{ deliveryKey, movementType: 'DEBIT_X', originIds: [], movementIds: [], networkIds: [] },
      ...{ receivedAt: new Date().toISOString(), ...ids },
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
  // The notification is worked on again after a crash.
  await db.journal.stageDebits([
    {
      ...{ deliveryKey: key, movementType: 'DEBIT_X', originIds: [], movementIds: [], networkIds: ['N-1'] },
      receivedAt: new Date().toISOString(),
    },
  ]);
  await run();
  expect([asked.length, await recorded()]).toEqual([1, [key]]);
});

test('what the bank does not know, after twelve answers with growing pauses, is forgotten', async () => {
  const before = await recorded();
  const originId = newOriginId();
  const key = await stage({ originIds: [originId], networkIds: ['N-2'] });
  const { asked, ended, run } = confirming(() => NOT_FOUND);
  const pauses: number[] = [];
  for (let i = 1; i <= NOT_FOUND_MAX; i += 1) {
    expect(await held()).toEqual([key]);
    await makeDue();
    await run();
    const { rows } = await db.sql(
      'select extract(epoch from ask_at - clock_timestamp())::float8 as pause from giro.suspected_debit',
    );
    for (const { pause } of rows) pauses.push(Math.round(Number(pause) / 5));
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120, 120, 120]);
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

test('several notifications of one movement are one question, however they came', async () => {
  const originId = newOriginId();
  const [first, second] = [await stage({ originIds: [originId] }), await stage({ originIds: [originId] })];
  let answer: DebitReply = NOT_FOUND;
  const { asked, ended, run } = confirming(() => answer);
  await run();
  await run();
  expect(asked).toHaveLength(1);
  const third = await stage({ originIds: [originId], movementIds: ['M-9'] });
  await run();
  expect(asked).toHaveLength(1);
  answer = movement({ originId: String(originId) });
  await makeDue();
  await run();
  // What the bank has confirmed is not asked again.
  await run();
  await run();
  expect([asked.length, ended]).toEqual([2, [first, second, third].map((key) => `${key} confirmed`)]);

  const [forged] = [await stage({ networkIds: ['N-F'] }), await stage({ networkIds: ['N-F'] })];
  answer = NOT_FOUND;
  for (let i = 1; i <= NOT_FOUND_MAX; i += 1) {
    await makeDue();
    await run();
  }
  // The others go with it.
  expect([asked.length, ended.at(-1), await held()]).toEqual([2 + NOT_FOUND_MAX, `${forged} unknown`, []]);
});

test('two workers do not ask about one; the loop asks when it is woken', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, i) => stage({ networkIds: [`N-7${i}`] })));
  const { asked, options } = confirming(({ ...key }) => movement(key as Partial<Movement>));
  await Promise.all([confirmDebits(options), confirmDebits(options)]);
  expect(asked).toHaveLength(8);
  const loop = startConfirming({ ...options, onFailed: () => undefined });
  await stage({ networkIds: ['N-8'] });
  loop.wake();
  await until(
    () => Promise.resolve(asked.length),
    (count) => count === 9,
  );
  await loop.stop();
});
