import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { NOT_SENT, answered, ask, claim, openNew } from './support/transfers';

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

const stop = (reason = 'the bank asked us to') =>
  db.journal.setSending({ stopped: true, operator: 'ana', reason });
const go = () => db.journal.setSending({ stopped: false, operator: 'luis', reason: 'the bank is back' });

test('stopped: creates are held back with who, when and why; their numbers stay free; look-ups go on', async () => {
  const { journal } = db;
  expect(await journal.sendingState()).toEqual({ stopped: false, since: null, operator: null, reason: null });
  const asked = await openNew(journal);
  await ask(journal, asked, 1, answered('IN_PROGRESS'));
  const state = await stop();
  expect(state).toEqual({
    stopped: true,
    since: expect.any(String),
    operator: 'ana',
    reason: 'the bank asked us to',
  });
  const fresh = await openNew(journal);
  expect(await claim(journal, fresh, 1, 'create')).toEqual({
    kind: 'held-back',
    stop: { at: state.since, operator: 'ana', reason: 'the bank asked us to' },
  });
  expect((await claim(journal, asked, 2, 'lookup')).kind).toBe('claimed');
  // What was claimed before answers as it did then.
  expect((await claim(journal, asked, 1, 'create')).kind).toBe('repeated');
  await go();
  expect((await claim(journal, fresh, 1, 'create')).kind).toBe('claimed');
});

test('stopped: a waiting transfer can be withdrawn', async () => {
  const originId = await openNew(db.journal);
  await stop();
  expect((await claim(db.journal, originId, 1, 'withdrawal')).kind).toBe('claimed');
});

test('a second stop keeps the first one, each has its line in the audit trail', async () => {
  const first = await stop();
  expect(await stop('again')).toEqual(first);
  await go();
  const entries = await db.journal.auditEntries({ limit: 10 });
  expect(entries.map(({ action, operator, details }) => [action, operator, details])).toEqual([
    ['sending go', 'luis', { changed: true }],
    ['sending stop', 'ana', { changed: false }],
    ['sending stop', 'ana', { changed: true }],
  ]);
});

test('creates in flight, and transfers of which nothing was sent', async () => {
  const { journal } = db;
  const [inFlight, notSent, sent, fresh] = [
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
  ];
  await claim(journal, inFlight, 1, 'create');
  await ask(journal, notSent, 1, NOT_SENT);
  await ask(journal, sent, 1, answered('IN_PROGRESS'));
  expect(await journal.createsInFlight()).toBe(1);
  expect(await journal.unsentTransfers({ after: null, limit: 10 })).toEqual([notSent, fresh]);
  expect(await journal.unsentTransfers({ after: null, limit: 1 })).toEqual([notSent]);
  expect(await journal.unsentTransfers({ after: notSent, limit: 1 })).toEqual([fresh]);
  expect(await journal.unsentTransfers({ after: fresh, limit: 1 })).toEqual([]);
  expect(await journal.countUnsent()).toBe(2);
});

test('no create is claimed after a stop has returned, however many are claiming', async () => {
  const { journal } = db;
  for (let round = 0; round < 20; round += 1) {
    const originIds: number[] = [];
    for (let i = 0; i < 20; i += 1) originIds.push(await openNew(journal));
    const claims = originIds.map((originId) => claim(journal, originId, 1, 'create'));
    await stop();
    const { rows } = await db.sql(`select count(*)::integer as n from giro.request where kind = 'create'`);
    await Promise.all(claims);
    const after = await db.sql(`select count(*)::integer as n from giro.request where kind = 'create'`);
    expect(after.rows).toEqual(rows);
    await go();
  }
});

test('a claim whose snapshot is older than the stop is refused by the guard, and looks again', async () => {
  const originId = await openNew(db.journal);
  await db.sql('begin');
  await db.sql(
    `insert into giro.sending (stopped, operator, reason) values (true, 'ana', 'while a claim is in flight')`,
  );
  const claiming = claim(db.journal, originId, 1, 'create');
  // It waits for the brake's lock, so it began before the stop was there.
  await waitForALock();
  await db.sql('commit');
  expect((await claiming).kind).toBe('held-back');
});

describe('a failover loses the stop', () => {
  /** What a standby has that never got the stop. */
  const lose = () =>
    db.sql(`alter table giro.sending disable trigger append_only;
      delete from giro.sending where stopped;
      alter table giro.sending enable always trigger append_only`);
  const openedHere = async () => {
    const originId = await openNew(db.journal);
    return () => claim(db.journal, originId, 1, 'create');
  };

  test('a worker that has seen it claims no create, and records it again, once', async () => {
    const claimOf = [await openedHere(), await openedHere(), await openedHere()];
    await stop();
    const held = await claimOf[0]!();
    await lose();
    const again = await Promise.all(claimOf.map((claimed) => claimed()));
    for (const outcome of again)
      expect(outcome).toMatchObject({
        kind: 'held-back',
        stop: { operator: 'ana', reason: 'the bank asked us to' },
      });
    expect(held.kind).toBe('held-back');
    expect(await db.journal.sendingState()).toMatchObject({ stopped: true, operator: 'ana' });
    const entries = await db.journal.auditEntries({ limit: 10 });
    expect(entries.map(({ action, operator, reason }) => [action, operator, reason])).toEqual([
      ['recover stop', 'ana', 'the bank asked us to'],
      ['sending stop', 'ana', 'the bank asked us to'],
    ]);
    await go();
    expect((await claimOf[0]!()).kind).toBe('claimed');
    expect((await claimOf[1]!()).kind).toBe('claimed');
  });

  test('before the lost stop, sending had been stopped and released', async () => {
    const claimed = await openedHere();
    await stop('the first');
    await go();
    await stop('the second');
    await claimed();
    await db.sql(`alter table giro.sending disable trigger append_only;
      delete from giro.sending where reason = 'the second';
      alter table giro.sending enable always trigger append_only`);
    expect(await claimed()).toMatchObject({ kind: 'held-back', stop: { reason: 'the second' } });
  });

  test('`keepStop` has seen it without a claim, and says that it was lost', async () => {
    const { journal } = db;
    const state = await stop();
    expect(await journal.keepStop()).toBeNull();
    await lose();
    const stopped = { at: state.since, operator: 'ana', reason: 'the bank asked us to' };
    expect(await journal.keepStop()).toEqual(stopped);
    expect(await journal.keepStop()).toBeNull();
    expect(await journal.sendingState()).toMatchObject({ stopped: true });
  });

  test('a later change of the brake counts: nothing is recovered', async () => {
    const { journal } = db;
    const claimed = await openedHere();
    await stop();
    await claimed();
    await lose();
    await stop('again');
    await go();
    expect((await claimed()).kind).toBe('claimed');
    expect(await journal.keepStop()).toBeNull();
    expect(await journal.sendingState()).toMatchObject({ stopped: false });
  });

  test('`go` counts, even if it found the brake released because the stop was lost', async () => {
    const { journal } = db;
    const claimed = await openedHere();
    await stop();
    await claimed();
    await lose();
    await go();
    expect((await claimed()).kind).toBe('claimed');
    expect(await journal.keepStop()).toBeNull();
    const [last] = await journal.auditEntries({ limit: 1 });
    expect(last).toMatchObject({ action: 'sending go', details: { changed: false } });
  });

  test('the clock of the new server is behind: what comes later has a later time', async () => {
    const claimed = await openedHere();
    await stop();
    await db.sql(`alter table giro.sending disable trigger append_only;
      update giro.sending set recorded_at = recorded_at + interval '1 hour';
      alter table giro.sending enable always trigger append_only`);
    await claimed();
    await go();
    expect((await claimed()).kind).toBe('claimed');
    await stop('again');
    const { rows } =
      await db.sql(`select count(distinct date_trunc('milliseconds', recorded_at))::integer as times
      from giro.sending`);
    expect(rows).toEqual([{ times: 3 }]);
  });

  test('a stolen login of a worker can only stop, and sets the time at most a minute ahead', async () => {
    await db.sql(`select giro.recover_stop('infinity', 'mallory', 'a forged stop')`);
    const state = await db.journal.sendingState();
    expect(state).toMatchObject({ stopped: true, operator: 'mallory' });
    expect(Date.parse(state.since ?? '')).toBeLessThan(Date.now() + 70_000);
    await go();
    expect(await db.journal.sendingState()).toMatchObject({ stopped: false });
  });
});

async function waitForALock(): Promise<void> {
  for (;;) {
    const { rows } = await db.sql(`select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
