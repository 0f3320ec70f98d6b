import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { freshKeyRing } from '../codec/key-rings';
import { createJournal } from '../../src/journal/create-journal';
import { JournalUnavailable } from '../../src/journal/errors';
import { openTestJournal, PATIENT } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  anOpening,
  answered,
  aResult,
  ask,
  claim,
  movement,
  newOriginId,
  NOT_SENT,
  openNew,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal({ poolMax: 20 })));
afterAll(() => db.close());

test('exactly one of 200 concurrent claims of the same number is granted', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  const claims = await Promise.all(
    Array.from({ length: 200 }, (_, index) => claim(journal, originId, 1, 'create', `run-${index}`)),
  );
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  expect(claims.filter(({ kind }) => kind === 'repeated')).toHaveLength(199);
  const winner = claims.findIndex(({ kind }) => kind === 'claimed');
  const { rows } = await db.sql('select run_id from giro.request where origin_id = $1', [originId]);
  expect(rows).toEqual([{ run_id: `run-${winner}` }]);
});

/** An advisory lock that only this test takes. */
const GATE = 17;

test('a claim sees one snapshot: what another session commits meanwhile does not make it denied', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, UNKNOWN);
  const other = await db.connect();
  await other.query('select pg_advisory_lock($1)', [GATE]);
  const looking = db.sql(
    `with waited as materialized (select pg_advisory_xact_lock_shared($2))
    select (select count(*)::integer from giro.request where origin_id = $1) as requests,
      giro.not_found_after($1, 1)::integer as not_founds, giro.sending_over($1) as over,
      giro.create_refusal($1) as refusal
    from waited`,
    [originId, GATE],
  );
  await waitForLockWaiter({ sql: (text) => other.query(text) });
  await ask(journal, originId, 2, { kind: 'not-found' });
  await ask(journal, originId, 3, movement('IN_PROGRESS'));
  await other.query('select pg_advisory_unlock($1)', [GATE]);
  expect((await looking).rows).toEqual([
    {
      requests: 1,
      not_founds: 0,
      over: null,
      refusal: 'fewer than 12 look-ups have found nothing since the last create',
    },
  ]);
});

test('a create and a withdrawal that race are never both granted, whatever their numbers', async () => {
  const { journal } = db;
  const outcomes = { create: 0, withdrawal: 0 };
  for (let round = 0; round < 200; round += 1) {
    const originId = await openNew(journal);
    // In half of the rounds after a create that was not sent, so that both are honest claims of number 2.
    const number = round % 2 === 0 ? 1 : 2;
    if (number === 2) await ask(journal, originId, 1, NOT_SENT);
    const pair = [claim(journal, originId, number, 'create'), claim(journal, originId, number, 'withdrawal')];
    const [create, withdrawal] = await Promise.all(round % 4 < 2 ? pair : pair.reverse()).then((both) =>
      round % 4 < 2 ? both : both.reverse(),
    );
    const granted = [create, withdrawal].filter((outcome) => outcome?.kind === 'claimed');
    expect(granted).toHaveLength(1);
    if (create?.kind === 'claimed') {
      outcomes.create += 1;
      // The caller's next number finds the create in the way.
      expect(await claim(journal, originId, number + 1, 'withdrawal')).toEqual({ kind: 'too-late' });
    } else {
      outcomes.withdrawal += 1;
      expect(await claim(journal, originId, number + 1, 'create')).toEqual({ kind: 'ended', result: null });
    }
  }
  expect(outcomes.create + outcomes.withdrawal).toBe(200);
});

test('with a key ring an order in clear is trusted if its row is from before CODEC_CLEAR_BEFORE', async () => {
  const before = await openNew(db.journal);
  await sleep(5);
  const after = await openNew(db.journal);
  const { rows } = await db.sql('select opened_at from giro.transfer where origin_id = $1', [after]);
  const clearBefore = rows[0]?.['opened_at'] as Date;
  await sleep(5);
  const later = await openNew(db.journal);
  const { journal, close } = createJournal(db.url, {
    keyRing: freshKeyRing('k1'),
    ...{ clearBefore, timeouts: PATIENT },
  });
  const sealed = await openNew(journal);
  const believed = [];
  for (const originId of [before, after, later, sealed])
    believed.push(await claim(journal, originId, 1, 'create'));
  await close();
  expect(believed.map((one) => one.kind === 'claimed' && one.isBelieved)).toEqual([true, false, false, true]);
});

describe('an order that does not open', () => {
  const numbersOf = async (originId: number): Promise<readonly unknown[]> =>
    (await db.sql('select number, kind from giro.request where origin_id = $1 order by number', [originId]))
      .rows;

  test('for want of its key claims nothing and says so; the key is awaited. A withdrawal needs no order', async () => {
    const sealing = createJournal(db.url, { keyRing: freshKeyRing('k1'), timeouts: PATIENT });
    const others = createJournal(db.url, { keyRing: freshKeyRing('k2'), timeouts: PATIENT });
    const [first, second] = [await openNew(sealing.journal), await openNew(sealing.journal)];
    for (const { journal } of [others, db]) {
      for (const kind of ['create', 'lookup'] as const)
        await expect(claim(journal, first, 1, kind)).rejects.toMatchObject({ name: 'SealError' });
    }
    expect(await numbersOf(first)).toEqual([]);
    expect((await claim(sealing.journal, first, 1, 'create')).kind).toBe('claimed');
    // Earlier claims and ended transfers are answered without the order.
    expect((await claim(others.journal, first, 1, 'create')).kind).toBe('repeated');
    expect((await claim(others.journal, second, 1, 'withdrawal')).kind).toBe('claimed');
    expect((await claim(others.journal, second, 2, 'create')).kind).toBe('ended');
    await sealing.close();
    await others.close();
  });

  test.each([
    ['altered', 'k1:QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB'],
    ['too short for what is sealed', 'k1:QUFB'],
    ['nothing that was sealed', 'a word'],
  ])('because its row was %s is claimed, and comes as none', async (_, stored) => {
    const { journal, close } = createJournal(db.url, { keyRing: freshKeyRing('k1'), timeouts: PATIENT });
    const originId = newOriginId();
    const { orderSha256, bodySha256 } = anOpening(originId);
    await db.sql(
      'insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256) values ($1, $2, to_jsonb($3::text), $4)',
      [originId, orderSha256, stored, bodySha256],
    );
    expect(await claim(journal, originId, 1, 'create')).toMatchObject({ kind: 'claimed', order: null });
    expect(await claim(journal, originId, 2, 'lookup')).toMatchObject({ kind: 'claimed', order: null });
    await close();
  });
});

test('a claim brings the order and the fingerprint of its create body', async () => {
  const { journal } = db;
  const originId = newOriginId();
  const opening = anOpening(originId, '100.10');
  await journal.openTransfer(opening);
  expect(await claim(journal, originId, 1, 'create')).toEqual({
    kind: 'claimed',
    order: opening.order,
    proof: null,
    openedAt: expect.any(Date),
    isBelieved: true,
    orderSha256: opening.orderSha256,
    bodySha256: opening.bodySha256,
    lastDigest: null,
    claimAgeMs: expect.any(Number),
  });
});

test('a repeated claim answers with what was recorded, or with nothing, and never grants', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await claim(journal, originId, 1, 'create');
  const before = await claim(journal, originId, 1, 'create', 'run-2');
  expect(before).toEqual({
    kind: 'repeated',
    requestKind: 'create',
    answer: null,
    claimAgeMs: expect.any(Number) as number,
    isOwn: false,
  });
  expect(await claim(journal, originId, 1, 'create')).toMatchObject({ kind: 'repeated', isOwn: true });

  await journal.recordAnswer({ originId, number: 1, answer: answered('CREATED'), digest: 'a' });
  await journal.recordAnswer({ originId, number: 1, answer: UNKNOWN, digest: 'b' });
  const after = await claim(journal, originId, 1, 'create', 'run-2');
  expect(after).toMatchObject({ kind: 'repeated', answer: answered('CREATED') });
});

test('the age of a claim is measured by the journal', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await db.sql(
    `insert into giro.request (origin_id, number, kind, run_id, claimed_at)
     values ($1, 1, 'create', 'run', clock_timestamp() - interval '90 seconds')`,
    [originId],
  );
  const repeated = await claim(journal, originId, 1, 'create');
  if (repeated.kind !== 'repeated') throw new Error(repeated.kind);
  expect(repeated.claimAgeMs).toBeGreaterThanOrEqual(90_000);
  expect(repeated.claimAgeMs).toBeLessThan(150_000);
});

test('a number is claimable only when it follows the last one', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  expect(await claim(journal, originId, 2, 'create')).toEqual({ kind: 'out-of-order', lastNumber: 0 });
  await ask(journal, originId, 1, UNKNOWN);
  await ask(journal, originId, 2, { kind: 'not-found' });
  expect(await claim(journal, originId, 4, 'lookup')).toEqual({ kind: 'out-of-order', lastNumber: 2 });
  expect(await claim(journal, newOriginId(), 1, 'create')).toEqual({ kind: 'out-of-order', lastNumber: 0 });
});

test('a withdrawal is granted before anything was sent, and then nothing else is', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, NOT_SENT);
  await ask(journal, originId, 2, NOT_SENT);
  expect((await claim(journal, originId, 3, 'withdrawal')).kind).toBe('claimed');
  expect(await claim(journal, originId, 3, 'withdrawal')).toMatchObject({
    kind: 'repeated',
    requestKind: 'withdrawal',
    answer: null,
  });
  expect(await claim(journal, originId, 4, 'create')).toEqual({ kind: 'ended', result: null });
  const result = aResult(originId, 'WITHDRAWN');
  expect(await journal.recordResult(result)).toMatchObject({ result, conflict: false });
  expect(await claim(journal, originId, 4, 'create')).toEqual({ kind: 'ended', result });
});

test.each([
  ['has no answer yet', null],
  ['ended unknown', UNKNOWN],
  ['was answered', answered('CREATED')],
] as const)('a withdrawal comes too late after a create that %s', async (_, answer) => {
  const { journal } = db;
  const originId = await openNew(journal);
  await claim(journal, originId, 1, 'create');
  if (answer !== null) await journal.recordAnswer({ originId, number: 1, answer, digest: 'd' });
  expect(await claim(journal, originId, 2, 'withdrawal')).toEqual({ kind: 'too-late' });
});

test('after the end new numbers are refused, and claimed ones still answer as they did', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, answered('CREATED'));
  await ask(journal, originId, 2, movement('COMPLETED'));
  const result = aResult(originId, 'COMPLETED');
  await journal.recordResult(result);
  expect(await claim(journal, originId, 3, 'lookup')).toEqual({ kind: 'ended', result });
  expect(await claim(journal, originId, 3, 'create')).toEqual({ kind: 'ended', result });
  expect(await claim(journal, originId, 3, 'withdrawal')).toEqual({ kind: 'ended', result });
  expect(await claim(journal, originId, 1, 'create')).toMatchObject({
    kind: 'repeated',
    answer: answered('CREATED'),
  });
});

test('an unchanged poll is one statement: the claim', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, answered('IN_PROGRESS'), 'same');
  const statements = jest.spyOn(Client.prototype, 'query');
  const polled = await claim(journal, originId, 2, 'lookup');
  expect(statements).toHaveBeenCalledTimes(1);
  statements.mockRestore();
  expect(polled).toMatchObject({ kind: 'claimed', lastDigest: 'same' });
  // The digest is that of the latest record, also when later requests have none.
  expect(await claim(journal, originId, 3, 'lookup')).toMatchObject({ lastDigest: 'same' });
});

test('an answer fits its request, and is of a claimed one', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await claim(journal, originId, 1, 'create');
  const wrong = { originId, number: 1, answer: { kind: 'not-found' }, digest: 'd' } as const;
  await expect(journal.recordAnswer(wrong)).rejects.toThrow(
    /request 1 of transfer [0-9]+ \(create\) has no answer/,
  );
  await expect(journal.recordAnswer({ ...wrong, number: 2 })).rejects.toThrow(/not claimed/);
});

describe('the tables, for plain SQL', () => {
  const insert = (originId: number, number: number, kind: string) =>
    db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, $2, $3, 'hand')`, [
      originId,
      number,
      kind,
    ]);

  test('refuse a gap, a claim after a withdrawal or a result, and a late withdrawal', async () => {
    const { journal } = db;
    const [gap, withdrawn, ended, sent] = [
      await openNew(journal),
      await openNew(journal),
      await openNew(journal),
      await openNew(journal),
    ];
    await expect(insert(gap, 2, 'create')).rejects.toMatchObject({ code: 'GR001' });
    await claim(journal, withdrawn, 1, 'withdrawal');
    await expect(insert(withdrawn, 2, 'create')).rejects.toMatchObject({ code: 'GR001' });
    await ask(journal, ended, 1, answered('COMPLETED'));
    await journal.recordResult(aResult(ended, 'COMPLETED'));
    await expect(insert(ended, 2, 'lookup')).rejects.toMatchObject({ code: 'GR001' });
    await claim(journal, sent, 1, 'create');
    await expect(insert(sent, 2, 'withdrawal')).rejects.toMatchObject({ code: 'GR001' });
    await expect(insert(sent, 1, 'create')).rejects.toMatchObject({ code: '23505' });
  });

  test('keep a claim waiting for a result that is being written, and refuse it then', async () => {
    const { journal } = db;
    const originId = await openNew(journal);
    await ask(journal, originId, 1, answered('COMPLETED'));
    const result = aResult(originId, 'COMPLETED');
    await db.sql('begin');
    await db.sql('insert into giro.result (origin_id, result) values ($1, $2)', [
      originId,
      JSON.stringify(result),
    ]);
    const claiming = claim(journal, originId, 2, 'lookup');
    await waitForLockWaiter(db);
    await db.sql('commit');
    expect(await claiming).toEqual({ kind: 'ended', result });
  });
});

async function waitForLockWaiter({ sql }: Pick<TestJournal, 'sql'>): Promise<void> {
  for (;;) {
    const { rows } = await sql(
      `select 1 from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
    );
    if (rows.length > 0) return;
  }
}

describe('a claim that waits for a connection', () => {
  const HELD_MS = 1_500;
  /** Timers and clocks differ by less. */
  const MARGIN_MS = 100;
  let busy: TestJournal;
  beforeAll(async () => (busy = await openTestJournal({ poolMax: 1 })));
  afterAll(() => busy.close());

  /** The only connection is taken by another claim, for that long or until `act` has ended. */
  async function whileTaken<T>(
    journal: TestJournal['journal'],
    act: () => Promise<T>,
    { untilActed = false } = {},
  ): Promise<T> {
    const other = await openNew(busy.journal);
    const owner = await busy.connect();
    await owner.query('begin; lock table giro.request in exclusive mode');
    // The connection is there before it is taken: on a busy machine connecting may time out too.
    await until(
      () => journal.transfer(other),
      (found) => found !== null,
    );
    const first = claim(journal, other, 1, 'create');
    const acting = act();
    await (untilActed ? acting : sleep(HELD_MS));
    await owner.query('commit');
    await first;
    return acting;
  }

  test('is as old as its statement: waiting is no reason not to send', async () => {
    const originId = await openNew(busy.journal);
    const { granted, tookMs } = await whileTaken(busy.journal, async () => {
      const startedAt = performance.now();
      const outcome = await claim(busy.journal, originId, 1, 'create');
      return { granted: outcome, tookMs: performance.now() - startedAt };
    });
    expect(tookMs).toBeGreaterThan(HELD_MS - MARGIN_MS);
    if (granted.kind !== 'claimed') throw new Error(`it is ${granted.kind}`);
    expect(granted.claimAgeMs).toBeLessThan(tookMs - HELD_MS + MARGIN_MS);
  });

  test('gives up after the time-out for connecting: nothing is claimed', async () => {
    const originId = await openNew(busy.journal);
    const timeouts = { connectMs: 500, statementMs: 600_000 };
    const { journal, close } = createJournal(busy.url, { poolMax: 1, timeouts });
    const giveUp = () => claim(journal, originId, 1, 'create').catch((error: unknown) => error);
    const failure = await whileTaken(journal, giveUp, { untilActed: true });
    await close();
    expect(failure).toBeInstanceOf(JournalUnavailable);
    expect(await claim(busy.journal, originId, 1, 'create')).toMatchObject({ kind: 'claimed' });
  });
});
