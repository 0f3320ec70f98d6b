import { freshKeyRing } from '../codec/key-rings';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { insertAnswer } from './support/insert-answer';
import {
  accept,
  aDecision,
  anOpening,
  answered,
  aResult,
  ask,
  askInVain,
  claim,
  factsOn,
  movement,
  newOriginId,
  NOT_SENT,
  openNew,
  REFUSED,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

/** System identifier and timeline. */
const JOURNAL_ID = expect.stringMatching(/^[0-9]+\/0{7}1$/) as string;

test('of a new transfer nothing else is known; opened again it has been opened', async () => {
  const opening = anOpening(newOriginId());
  const opened = { kind: 'open', facts: null, journalId: JOURNAL_ID };
  expect(await db.journal.openTransfer(opening)).toEqual(opened);
  const again = await db.journal.openTransfer(opening);
  expect(again).toEqual({ ...opened, facts: expect.any(Object) as object });
  expect(await factsOn(db.journal, opening.order.originId)).toMatchObject({
    ...{ lastNumber: 0, lastRequest: null, polls: 0, lastPolledAtMs: null, lastReadable: null },
    sends: { count: 0, firstAtMs: null, lastAtMs: null, refusal: null, mayRepeat: true, isCountKnown: true },
    bank: { status: null, movementId: null, lastStatus: null, foundByLookup: false },
    ...{ history: [], openFlags: [], conflict: null, proposals: [], acceptance: null },
  });
});

test('the same order opened 20 times at once is one transfer', async () => {
  const originId = newOriginId();
  const opened = await Promise.all(
    Array.from({ length: 20 }, () => db.journal.openTransfer(anOpening(originId))),
  );
  for (const one of opened) expect(one).toMatchObject({ kind: 'open', journalId: JOURNAL_ID });
  const { rows } = await db.sql(
    'select order_json, create_body_sha256 from giro.transfer where origin_id = $1',
    [originId],
  );
  expect(rows).toEqual([
    { order_json: anOpening(originId).order, create_body_sha256: anOpening(originId).bodySha256 },
  ]);
});

test('of two orders with one originId that race, one is refused', async () => {
  for (let round = 0; round < 50; round += 1) {
    const originId = newOriginId();
    const kinds = await Promise.all([
      db.journal.openTransfer(anOpening(originId, '1.00')),
      db.journal.openTransfer(anOpening(originId, '2.00')),
    ]).then((both) => both.map(({ kind }) => kind).sort());
    expect(kinds).toEqual(['conflict', 'open']);
  }
});

test('an originId belongs to its order for ever, also after the end', async () => {
  const originId = await openNew(db.journal);
  expect(await db.journal.openTransfer(anOpening(originId, '9.99'))).toEqual({ kind: 'conflict' });
  await claim(db.journal, originId, 1, 'withdrawal');
  const result = aResult(originId, 'WITHDRAWN');
  await db.journal.recordResult(result);
  expect(await db.journal.openTransfer(anOpening(originId, '9.99'))).toEqual({ kind: 'conflict' });
  expect(await db.journal.openTransfer(anOpening(originId))).toEqual({ kind: 'ended', result });
});

const HOUR_MS = 3_600_000;

test('sends are the creates that may have reached the bank', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, NOT_SENT);
  expect(await factsOn(db.journal, originId)).toMatchObject({
    lastNumber: 1,
    lastRequest: { kind: 'create' },
    sends: { count: 0 },
  });
  await claim(db.journal, originId, 2, 'create');
  const claimed = await factsOn(db.journal, originId);
  expect(claimed).toMatchObject({ lastNumber: 2, lastRequest: { answeredAtMs: null }, sends: { count: 1 } });
  expect(claimed.sends.lastAtMs).toBe(claimed.lastRequest?.claimedAtMs);
  await db.journal.recordAnswer({ originId, number: 2, answer: UNKNOWN, digest: 'u' });
  await ask(db.journal, originId, 3, { kind: 'not-found' });
  expect(await factsOn(db.journal, originId)).toMatchObject({
    lastNumber: 3,
    lastRequest: { kind: 'lookup' },
    sends: { count: 1 },
    polls: 1,
    bank: { lastStatus: null },
    lastReadable: { kind: 'not-found', number: 3 },
  });
});

test('a refusal is returned if it is the answer to the only send', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, NOT_SENT);
  await ask(db.journal, originId, 2, REFUSED);
  expect((await factsOn(db.journal, originId)).sends.refusal).toEqual({ httpStatus: 422, code: 'E17' });
  const repeated = await openNew(db.journal);
  await ask(db.journal, repeated, 1, UNKNOWN);
  await ask(db.journal, repeated, await askInVain(db.journal, repeated, 2), REFUSED);
  expect((await factsOn(db.journal, repeated)).sends).toMatchObject({ count: 2, refusal: null });
});

test('times are of one clock, that of the journal', async () => {
  const originId = await openNew(db.journal);
  const insert = (number: number, kind: string, age: string) =>
    db.sql(
      `insert into giro.request (origin_id, number, kind, run_id, claimed_at, resend_until)
       values ($1, $2, $3, 'run', clock_timestamp() - $4::interval, 'infinity')`,
      [originId, number, kind, age],
    );
  await insert(1, 'create', '3 hours');
  const next = await askInVain(db.journal, originId, 2);
  await insert(next, 'create', '2 hours');
  await insert(next + 1, 'lookup', '1 hour');
  const { readAtMs, sends, lastRequest } = await factsOn(db.journal, originId);
  const hours = [sends.firstAtMs, sends.lastAtMs, lastRequest?.claimedAtMs ?? null].map((ms) =>
    ms === null ? null : Math.floor((readAtMs - ms + 1_000) / HOUR_MS),
  );
  expect(hours).toEqual([3, 2, 1]);
});

test('look-ups without news are counted, and only the last of them is returned', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('IN_PROGRESS'));
  for (const number of [2, 3, 4]) await claim(db.journal, originId, number, 'lookup');
  const facts = await factsOn(db.journal, originId);
  expect(facts).toMatchObject({ lastNumber: 4, polls: 3, lastRequest: { kind: 'lookup' } });
  expect(facts.lastPolledAtMs).toBe(facts.lastRequest?.claimedAtMs);
});

test('the status is that of the latest answer about our movement, with ids from earlier answers', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED', { networkId: null }));
  await ask(db.journal, originId, 2, movement('IN_PROGRESS'));
  const incomplete = { echo: 'incomplete', networkId: null, network: null, movementId: null } as const;
  await ask(db.journal, originId, 3, movement('DELAYED', incomplete));
  await ask(db.journal, originId, 4, movement('FAILED', { echo: 'mismatch', movementId: '666' }));
  await ask(db.journal, originId, 5, { kind: 'not-found' });
  expect((await factsOn(db.journal, originId)).bank).toMatchObject({
    status: 'DELAYED',
    movementId: '880011',
    network: 'COELSA',
    networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
    lastStatus: 'FAILED',
    echo: { movementIds: ['880011', '666'], isMismatched: true },
  });
});

test('the age of a status runs from the first answer of its unbroken run', async () => {
  const originId = await openNew(db.journal);
  const statuses = ['CREATED', 'DELAYED', 'CREATED', 'CREATED'];
  for (const [index, status] of statuses.entries()) {
    const number = index + 1;
    await db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, $2, $3, 'run')`, [
      originId,
      number,
      number === 1 ? 'create' : 'lookup',
    ]);
    await insertAnswer(db.sql, {
      ...{ originId, number },
      answer: number === 1 ? answered(status) : movement(status),
      recordedAt: new Date(Date.now() - (5 - number) * 3_600_000).toISOString(),
    });
  }
  const { bank, readAtMs } = await factsOn(db.journal, originId);
  expect(bank.status).toBe('CREATED');
  // Numbers 3 (2 h ago) and 4 (1 h ago) are one run; number 1 is another.
  expect(Math.floor((readAtMs - (bank.statusSinceMs ?? 0) + 1_000) / HOUR_MS)).toBe(2);
});

test('orders are stored sealed under the key ring', async () => {
  const sealed = await openTestJournal({ keyRing: freshKeyRing('k1') });
  try {
    const originId = await openNew(sealed.journal);
    const { rows } = await sealed.sql('select order_json::text as stored from giro.transfer');
    expect(rows[0]?.['stored']).toMatch(/^"k1:/);
    expect(await claim(sealed.journal, originId, 1, 'create')).toMatchObject({
      order: anOpening(originId).order,
      bodySha256: anOpening(originId).bodySha256,
    });
  } finally {
    await sealed.close();
  }
});

describe('what a run after a lost one must not forget', () => {
  test('a mismatch that a look-up found: the order is neither sent again nor refused', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, UNKNOWN);
    expect(await factsOn(db.journal, originId)).toMatchObject({
      sends: { mayRepeat: true },
      bank: { foundByLookup: false, lastStatus: null },
    });
    const mismatch = { echo: 'mismatch', echoFields: ['amount'] } as const;
    await ask(db.journal, originId, 2, movement('DELAYED', mismatch));
    expect(await factsOn(db.journal, originId)).toMatchObject({
      sends: { mayRepeat: false },
      bank: {
        foundByLookup: true,
        lastStatus: 'DELAYED',
        status: null,
        echo: { isMismatched: true, isOtherOrigin: false, movementIds: ['880011'] },
      },
    });
  });

  test('a second movement id, or another originId: the identity stays in doubt', async () => {
    const twoIds = await openNew(db.journal);
    await ask(db.journal, twoIds, 1, answered('CREATED', { movementId: '1' }));
    await ask(db.journal, twoIds, 2, movement('FAILED', { movementId: '2' }));
    await ask(db.journal, twoIds, 3, movement('FAILED', { movementId: '1' }));
    expect((await factsOn(db.journal, twoIds)).bank).toMatchObject({
      movementId: '1',
      echo: { movementIds: ['1', '2'], isMismatched: true },
    });
    const otherOrigin = await openNew(db.journal);
    await ask(db.journal, otherOrigin, 1, answered('CREATED'));
    const mismatch = { echo: 'mismatch', echoFields: ['originId'] } as const;
    await ask(db.journal, otherOrigin, 2, movement('FAILED', mismatch));
    await ask(db.journal, otherOrigin, 3, movement('FAILED'));
    expect((await factsOn(db.journal, otherOrigin)).bank.echo).toMatchObject({
      isOtherOrigin: true,
      isMismatched: true,
    });
  });

  test('open flags, why the journal was in conflict, and the Retry-After of the last answer', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, UNKNOWN);
    await ask(db.journal, originId, 2, { kind: 'not-found', retryAfterMs: 90_000 });
    await db.journal.recordFlags(originId, ['OUTCOME_UNKNOWN']);
    expect(await factsOn(db.journal, originId)).toMatchObject({
      openFlags: [{ reason: 'OUTCOME_UNKNOWN' }],
      conflict: null,
      lastRequest: { kind: 'lookup', retryAfterMs: 90_000 },
    });
    await db.journal.recordFlags(originId, ['JOURNAL_CONFLICT', 'OUTCOME_UNKNOWN'], 'another end');
    expect(await factsOn(db.journal, originId)).toMatchObject({ conflict: 'another end' });
    expect(await db.journal.transfer(originId)).toMatchObject({ journalConflict: 'another end' });
    await db.journal.recordFlags(originId, []);
    // Operators alone lift this hold, whatever a row of flags says.
    expect(await factsOn(db.journal, originId)).toMatchObject({
      openFlags: [{ reason: 'JOURNAL_CONFLICT', isUnwritten: true }],
      conflict: null,
    });
  });
});

describe('a run that knows of more requests than the journal', () => {
  const known = { lastNumber: 2, sends: 1, tried: null };
  const inDoubt = { sends: { count: 1, mayRepeat: false, isCountKnown: false } };

  test('marks the transfer, new to the journal or not: later runs count it as perhaps sent', async () => {
    for (const originId of [newOriginId(), await openNew(db.journal)]) {
      const opened = await db.journal.openTransfer({ ...anOpening(originId), known });
      expect(opened).toMatchObject({ kind: 'open', facts: inDoubt });
      expect(await factsOn(db.journal, originId)).toMatchObject(inDoubt);
      expect(await db.journal.unfinishedTransfer(originId)).toMatchObject({ isDoubted: true });
      await db.journal.openTransfer({ ...anOpening(originId), known });
      const { rows } = await db.sql('select reason from giro.doubt where origin_id = $1', [originId]);
      expect(rows).toEqual([{ reason: 'requests-lost' }]);
    }
    expect((await factsOn(db.journal, await openNew(db.journal))).sends.isCountKnown).toBe(true);
  });

  test('marks nothing when the journal has them, nor another order’s transfer', async () => {
    const originId = await openNew(db.journal);
    await db.journal.openTransfer({ ...anOpening(originId, '9.99'), known });
    await ask(db.journal, originId, 1, UNKNOWN);
    await ask(db.journal, originId, 2, { kind: 'not-found' });
    const opened = await db.journal.openTransfer({ ...anOpening(originId), known });
    expect(opened).toMatchObject({ kind: 'open', facts: { sends: { count: 1, isCountKnown: true } } });
  });
});

test('an end that operators accepted and nobody wrote down: its line, and the flags that it rested on', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('FAILED', { echo: 'incomplete' }));
  await db.journal.recordFlags(originId, ['ECHO_INCOMPLETE']);
  await accept(db.journal, originId, 'accept-failed', ['ECHO_INCOMPLETE']);
  await db.journal.recordFlags(originId, []);
  expect(await factsOn(db.journal, originId)).toMatchObject({
    openFlags: [],
    proposals: [],
    acceptance: { id: expect.stringMatching(/^run-1\//) as string, flags: ['ECHO_INCOMPLETE'] },
  });
  await db.journal.recordDecision(originId, aDecision('voided', null, []));
  expect((await factsOn(db.journal, originId)).acceptance).toBeNull();
});

test('an order that may not be new is not written', async () => {
  const opening = { ...anOpening(newOriginId()), mayBeNew: false };
  expect(await db.journal.openTransfer(opening)).toEqual({ kind: 'unknown' });
  expect(await db.journal.openTransfer(opening)).toEqual({ kind: 'unknown' });
  expect(await db.journal.openTransfer({ ...opening, mayBeNew: true })).toMatchObject({ kind: 'open' });
  expect(await db.journal.openTransfer(opening)).toMatchObject({ kind: 'open' });
});

describe('the proof of an order', () => {
  const header = Buffer.from('{"alg":"EdDSA","kid":"billing"}').toString('base64url');
  const proof = `${header}..${'A'.repeat(86)}`;
  const openWith = async (proven: string | null) => {
    const opening = anOpening(newOriginId());
    await db.journal.openTransfer({ ...opening, proof: proven });
    return opening;
  };

  test('is stored with it, and returned with a claim and to recovery', async () => {
    const before = Date.now();
    const { order } = await openWith(proof);
    expect((await db.journal.unfinishedTransfer(order.originId))?.order).toEqual({ ...order, proof });
    const claimed = await claim(db.journal, order.originId, 1, 'create');
    expect(claimed).toMatchObject({ kind: 'claimed', order, proof });
    const openedAt = claimed.kind === 'claimed' ? claimed.openedAt.getTime() : NaN;
    expect(Math.abs(openedAt - before)).toBeLessThan(60_000);
  });

  test('of the first receipt stays: none is added, none is changed', async () => {
    const unsigned = await openWith(null);
    await db.journal.openTransfer({ ...unsigned, proof });
    expect(await claim(db.journal, unsigned.order.originId, 1, 'create')).toMatchObject({ proof: null });
    expect((await db.journal.unfinishedTransfer(unsigned.order.originId))?.order).toEqual(unsigned.order);
    const signed = await openWith(proof);
    await db.journal.openTransfer({ ...signed, proof: `${header}..${'B'.repeat(86)}` });
    await db.journal.openTransfer(signed);
    expect(await claim(db.journal, signed.order.originId, 1, 'create')).toMatchObject({ proof });
  });

  test('has the longest header that its form allows, and no other form', async () => {
    await openWith(`${'e'.repeat(255)}..${'A'.repeat(86)}`);
    for (const bad of [
      '',
      'signed',
      `${'e'.repeat(256)}..${'A'.repeat(86)}`,
      `${header}.e30.${'A'.repeat(86)}`,
    ]) {
      await expect(openWith(bad)).rejects.toThrow('transfer_proof_check');
    }
  });
});
