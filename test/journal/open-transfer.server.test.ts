import { NO_PAST } from '../../src/domain/transfer/past';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  accept,
  aDecision,
  anOpening,
  answered,
  aResult,
  ask,
  claim,
  movement,
  newOriginId,
  NOT_SENT,
  openNew,
  pastOf,
  REFUSED,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

test('a new transfer has no past', async () => {
  const past = await pastOf(db.journal, newOriginId());
  expect(past).toEqual({ ...NO_PAST, sinceOpenedMs: 0 });
});

test('the same order opened 20 times at once is one transfer', async () => {
  const originId = newOriginId();
  const opened = await Promise.all(
    Array.from({ length: 20 }, () => db.journal.openTransfer(anOpening(originId))),
  );
  for (const one of opened) {
    expect(one).toEqual({ kind: 'open', past: { ...NO_PAST, sinceOpenedMs: expect.any(Number) as number } });
  }
  const { rows } = await db.sql('select order_json, create_body from giro.transfer where origin_id = $1', [
    originId,
  ]);
  expect(rows).toEqual([
    { order_json: anOpening(originId).order, create_body: anOpening(originId).createBody },
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

test('sends are the creates that may have reached the bank', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, NOT_SENT);
  expect(await pastOf(db.journal, originId)).toMatchObject({
    lastNumber: 1,
    lastClaim: { kind: 'create' },
    sends: 0,
  });
  await claim(db.journal, originId, 2, 'create');
  expect(await pastOf(db.journal, originId)).toMatchObject({
    lastNumber: 2,
    sends: 1,
    sinceFirstSendMs: expect.any(Number) as number,
    sinceLastSendMs: expect.any(Number) as number,
  });
  await db.journal.recordAnswer({ originId, number: 2, answer: UNKNOWN, digest: 'u' });
  await ask(db.journal, originId, 3, { kind: 'not-found' });
  expect(await pastOf(db.journal, originId)).toMatchObject({
    lastNumber: 3,
    lastClaim: { kind: 'lookup' },
    sends: 1,
    polls: 1,
    lastMovement: null,
  });
});

test('a refusal is told when it is the answer of the only send', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, NOT_SENT);
  await ask(db.journal, originId, 2, REFUSED);
  expect(await pastOf(db.journal, originId)).toMatchObject({ refusal: { httpStatus: 422, code: 'E17' } });
  await ask(db.journal, originId, 3, UNKNOWN);
  expect(await pastOf(db.journal, originId)).toMatchObject({ sends: 2, refusal: null });
});

test('times are ages by the clock of the journal', async () => {
  const originId = await openNew(db.journal);
  for (const [number, kind, age] of [
    [1, 'create', '3 hours'],
    [2, 'create', '2 hours'],
    [3, 'lookup', '1 hour'],
  ]) {
    await db.sql(
      `insert into giro.request (origin_id, number, kind, run_id, claimed_at)
       values ($1, $2, $3, 'run', clock_timestamp() - $4::interval)`,
      [originId, number, kind, age],
    );
  }
  const past = await pastOf(db.journal, originId);
  const hour = 3_600_000;
  const hours = [past.sinceFirstSendMs, past.sinceLastSendMs, past.lastClaim?.agoMs ?? null].map((ms) =>
    ms === null ? null : Math.floor(ms / hour),
  );
  expect(hours).toEqual([3, 2, 1]);
});

test('the last movement is the latest whose echo is not a mismatch, with ids that were told before', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED', { networkId: null }));
  await ask(db.journal, originId, 2, movement('IN_PROGRESS'));
  await ask(
    db.journal,
    originId,
    3,
    movement('DELAYED', { echo: 'incomplete', networkId: null, network: null }),
  );
  await ask(db.journal, originId, 4, movement('FAILED', { echo: 'mismatch', movementId: '666' }));
  await ask(db.journal, originId, 5, { kind: 'not-found' });
  expect((await pastOf(db.journal, originId)).lastMovement).toEqual({
    status: 'DELAYED',
    movementId: '880011',
    network: 'COELSA',
    networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
    sinceMs: expect.any(Number) as number,
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
    await db.sql(
      `insert into giro.answer (origin_id, number, digest, answer, recorded_at)
       values ($1, $2, 'd', $3, clock_timestamp() - $4::interval)`,
      [
        originId,
        number,
        JSON.stringify(number === 1 ? answered(status) : movement(status)),
        `${5 - number} hours`,
      ],
    );
  }
  const { lastMovement } = await pastOf(db.journal, originId);
  expect(lastMovement?.status).toBe('CREATED');
  // Numbers 3 (2 h ago) and 4 (1 h ago) are one run; number 1 is another.
  expect(Math.floor((lastMovement?.sinceMs ?? 0) / 3_600_000)).toBe(2);
});

test('orders are stored as the cipher seals them', async () => {
  const sealed = await openTestJournal({
    cipher: {
      sealOrder: (order) => ({ sealed: Buffer.from(JSON.stringify(order)).toString('base64') }),
      openOrder: (stored) =>
        JSON.parse(Buffer.from((stored as { sealed: string }).sealed, 'base64').toString()) as never,
      sealBody: (body) => Buffer.from(body).toString('base64'),
      openBody: (stored) => Buffer.from(stored, 'base64').toString(),
    },
  });
  try {
    const originId = await openNew(sealed.journal);
    const { rows } = await sealed.sql('select order_json::text || create_body as stored from giro.transfer');
    expect(rows[0]?.['stored']).not.toMatch(/30714979732|Factura/);
    expect(await claim(sealed.journal, originId, 1, 'create')).toMatchObject({
      order: anOpening(originId).order,
      createBody: anOpening(originId).createBody,
    });
  } finally {
    await sealed.close();
  }
});

describe('what a run after a lost one must not forget', () => {
  test('a mismatch that a look-up found: the order is neither sent again nor taken as refused', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, UNKNOWN);
    expect(await pastOf(db.journal, originId)).toMatchObject({ sawMovement: false, lastWord: null });
    await ask(
      db.journal,
      originId,
      2,
      movement('DELAYED', { echo: 'mismatch', echoFields: ['details.amount'] }),
    );
    expect(await pastOf(db.journal, originId)).toMatchObject({
      sawMovement: true,
      lastWord: 'DELAYED',
      lastMovement: null,
      identityDoubted: false,
    });
  });

  test('a second movement id, or another originId: the identity stays in doubt', async () => {
    const twoIds = await openNew(db.journal);
    await ask(db.journal, twoIds, 1, answered('CREATED', { movementId: '1' }));
    await ask(db.journal, twoIds, 2, movement('FAILED', { movementId: '2' }));
    expect(await pastOf(db.journal, twoIds)).toMatchObject({
      identityDoubted: true,
      lastMovement: { movementId: '1' },
    });
    const otherOrigin = await openNew(db.journal);
    await ask(db.journal, otherOrigin, 1, answered('CREATED'));
    const mismatch = { echo: 'mismatch', echoFields: ['details.originId'] } as const;
    await ask(db.journal, otherOrigin, 2, movement('FAILED', mismatch));
    expect(await pastOf(db.journal, otherOrigin)).toMatchObject({ identityDoubted: true });
  });

  test('open flags, and the Retry-After of the last answer', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, UNKNOWN);
    await ask(db.journal, originId, 2, { kind: 'not-found', retryAfterMs: 90_000 });
    await db.journal.recordFlags(originId, ['OUTCOME_UNKNOWN']);
    expect(await pastOf(db.journal, originId)).toMatchObject({
      openFlags: ['OUTCOME_UNKNOWN'],
      lastClaim: { kind: 'lookup', retryAfterMs: 90_000 },
    });
  });
});

describe('a run that knows of more requests than the journal', () => {
  const known = { lastNumber: 2, sends: 1 };

  test('marks the transfer, new to the journal or not: later runs count it as perhaps sent', async () => {
    for (const originId of [newOriginId(), await openNew(db.journal)]) {
      const opened = await db.journal.openTransfer({ ...anOpening(originId), known });
      expect(opened).toMatchObject({
        kind: 'open',
        past: { sends: 0, sinceRestoredMs: expect.any(Number) as number },
      });
      expect(await pastOf(db.journal, originId)).toMatchObject({
        sends: 0,
        sinceRestoredMs: expect.any(Number) as number,
      });
      expect(await db.journal.unfinishedTransfer(originId)).toMatchObject({ restored: true });
    }
    expect(await pastOf(db.journal, await openNew(db.journal))).toMatchObject({ sinceRestoredMs: null });
  });

  test('marks nothing when the journal has them, nor another order’s transfer', async () => {
    const originId = await openNew(db.journal);
    await db.journal.openTransfer({ ...anOpening(originId, '9.99'), known });
    await ask(db.journal, originId, 1, UNKNOWN);
    await ask(db.journal, originId, 2, { kind: 'not-found' });
    const opened = await db.journal.openTransfer({ ...anOpening(originId), known });
    expect(opened).toMatchObject({ kind: 'open', past: { sends: 1, sinceRestoredMs: null } });
  });

  test('a create that may be a repetition gets no number once the transfer is marked', async () => {
    const originId = await openNew(db.journal);
    const claimed = (number: number, of = originId) =>
      db.journal.claimInDoubt({ originId: of, number, runId: 'run-1' });
    expect(await claimed(1)).toEqual({ kind: 'known' });
    expect(await claimed(3)).toEqual({ kind: 'lost', lastNumber: 0 });
    expect(await claimed(1, newOriginId())).toEqual({ kind: 'lost', lastNumber: 0 });
    await db.journal.openTransfer({ ...anOpening(originId), known });
    expect(await claimed(1)).toEqual({ kind: 'lost', lastNumber: 1 });
    expect(await claimed(1)).toEqual({ kind: 'known' });
    expect(await claim(db.journal, originId, 1, 'create')).toMatchObject({
      kind: 'repeated',
      requestKind: 'lookup',
    });
    expect(await pastOf(db.journal, originId)).toMatchObject({ lastNumber: 1, sends: 0, polls: 1 });
  });
});

test('an end that operators accepted and nobody wrote down: its line, and the flags that it rested on', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('FAILED', { echo: 'incomplete' }));
  await db.journal.recordFlags(originId, ['ECHO_INCOMPLETE']);
  await accept(db.journal, originId, 'accept-failed');
  await db.journal.recordFlags(originId, []);
  const past = await pastOf(db.journal, originId);
  expect(past).toMatchObject({ openFlags: [], openProposal: null });
  expect(past.lostAcceptance).toEqual({
    id: expect.stringMatching(/^run-1\//) as string,
    openFlags: ['ECHO_INCOMPLETE'],
  });
  await db.journal.recordDecision(originId, aDecision('voided', null, []));
  expect((await pastOf(db.journal, originId)).lostAcceptance).toBeNull();
});

test('an order that may not be new is not written', async () => {
  const opening = { ...anOpening(newOriginId()), mayBeNew: false };
  expect(await db.journal.openTransfer(opening)).toEqual({ kind: 'unknown' });
  expect(await db.journal.openTransfer(opening)).toEqual({ kind: 'unknown' });
  expect(await db.journal.openTransfer({ ...opening, mayBeNew: true })).toMatchObject({ kind: 'open' });
  expect(await db.journal.openTransfer(opening)).toMatchObject({ kind: 'open' });
});
