import { inquire } from '../../src/activities/inquire';
import type { LookupReply } from '../../src/bank/movements/port';
import type { Movement } from '../../src/domain/movement';
import type { InquiryClaim } from '../../src/journal/statements/inquiries';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  accept,
  anOpening,
  anOrder,
  answered,
  aResult,
  ask,
  claim,
  NOT_SENT,
  openNew,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const GAPS = { gapMs: 0, delayedGapMs: 600_000, createMaxMs: 0, lookupMaxMs: 0 };
const claimOf = (originId: number, claim: Partial<InquiryClaim> = {}) =>
  db.journal.claimInquiry({ originId, askedBy: 'test', asOf: null, lostAfter: null, ...GAPS, ...claim });

const RETRY_IN_5_MIN = { code: 'RATE_LIMITED', httpStatus: 429, retryAfterMs: 300_000 } as const;

async function completed(): Promise<number> {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('COMPLETED'));
  await db.journal.recordResult(aResult(originId, 'COMPLETED'));
  return originId;
}

const movementOf = (originId: number, status: string): Movement => {
  const { from, to, body } = anOrder(originId);
  return {
    id: '880011',
    status,
    hasDetails: true,
    type: null,
    originId: String(originId),
    amount: body.amount,
    currency: body.currencyId,
    network: null,
    networkId: null,
    postingAt: null,
    completedAt: null,
    destination: { address: to.address, personIds: [to.owner.personId] },
    source: { address: from.address, personIds: [from.owner.personId] },
  };
};

/** A check with a bank that gives this answer; without gaps unless given. */
async function check(originId: number, says: string | LookupReply, settings = {}) {
  let asked = 0;
  const bank = {
    getMovement: (): Promise<LookupReply> => {
      asked += 1;
      return Promise.resolve(
        typeof says === 'string'
          ? { kind: 'movement', movement: movementOf(originId, says), evidenceSha256: 'cd'.repeat(32) }
          : says,
      );
    },
  };
  const gaps = { pollActiveMs: 0, pollDelayedMs: 0, createTimeoutMs: 0, lookupTimeoutMs: 0 };
  const outcome = await inquire(
    { bank, journal: db.journal, settings: { ...gaps, ...settings } },
    { originId, askedBy: 'test', asOf: null, lostAfter: null },
  );
  return { outcome, asked };
}

const factsOf = async (originId: number) =>
  (await db.journal.transfer(originId))?.incidents.map(({ fact }) => fact);

test('a contradiction is one incident, whoever asks and how often, and the result stays untouched', async () => {
  const originId = await completed();
  const before = await db.journal.transfer(originId);
  const first = await check(originId, 'FAILED');
  expect(first.outcome).toMatchObject({
    kind: 'asked',
    judgement: { kind: 'contradicts', fact: 'COMPLETED_THEN_FAILED' },
    incident: {
      originId,
      finalStatus: 'COMPLETED',
      bankStatus: 'FAILED',
      movementId: '880011',
      acknowledged: null,
    },
  });
  for (let turn = 1; turn <= 3; turn += 1) {
    expect((await check(originId, 'FAILED')).outcome).toMatchObject({ kind: 'asked', incident: null });
  }
  const after = await db.journal.transfer(originId);
  expect(after?.incidents).toHaveLength(1);
  expect({ ...after, incidents: [] }).toEqual(before);
  expect(
    (await db.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
      (one) => one.originId === originId,
    ),
  ).toEqual([]);
  expect(JSON.stringify(after)).not.toContain('9990001800000000000017');
});

test('another fact is another incident; the same one again only after the bank agreed in between', async () => {
  const originId = await completed();
  await check(originId, { kind: 'not-found' });
  await check(originId, 'FAILED');
  await check(originId, { kind: 'not-found' });
  expect(await factsOf(originId)).toEqual(['FINAL_NOT_FOUND', 'COMPLETED_THEN_FAILED']);
  await check(originId, 'COMPLETED');
  await check(originId, { kind: 'not-found' });
  await check(originId, { kind: 'not-found' });
  expect(await factsOf(originId)).toEqual(['FINAL_NOT_FOUND', 'COMPLETED_THEN_FAILED', 'FINAL_NOT_FOUND']);
});

test('no answer is recorded as such and contradicts nothing', async () => {
  const originId = await completed();
  const error = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } as const;
  expect((await check(originId, { kind: 'no-answer', error })).outcome).toMatchObject({
    judgement: { kind: 'says-nothing' },
    incident: null,
  });
  expect(await factsOf(originId)).toEqual([]);
});

test('a withdrawn transfer that the bank knows', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, NOT_SENT);
  await claim(db.journal, originId, 2, 'withdrawal');
  await db.journal.recordResult(aResult(originId, 'WITHDRAWN'));
  await check(originId, { kind: 'not-found' });
  expect(await factsOf(originId)).toEqual([]);
  await check(originId, 'CREATED');
  expect(await factsOf(originId)).toEqual(['WITHDRAWN_BUT_KNOWN']);
});

describe('the bank is not asked', () => {
  test('about an open transfer: its run asks', async () => {
    const originId = await openNew(db.journal);
    expect(await check(originId, 'FAILED')).toEqual({ outcome: { kind: 'open' }, asked: 0 });
    const insert = db.sql(`insert into giro.inquiry (origin_id, number, asked_by) values ($1, 1, 'test')`, [
      originId,
    ]);
    await expect(insert).rejects.toMatchObject({ code: 'GR001' });
  });

  test('twice within POLL_ACTIVE, counted from the last request of the run', async () => {
    const originId = await completed();
    const settings = { pollActiveMs: 600_000 };
    const { outcome, asked } = await check(originId, 'FAILED', settings);
    expect({ outcome, asked }).toEqual({
      outcome: { kind: 'too-soon', waitMs: expect.any(Number) },
      asked: 0,
    });
    const { waitMs } = outcome as { waitMs: number };
    expect(waitMs).toBeGreaterThan(500_000);
    expect(waitMs).toBeLessThanOrEqual(600_000);
    expect(await check(originId, 'COMPLETED')).toMatchObject({ asked: 1 });
    expect(await check(originId, 'COMPLETED', settings)).toMatchObject({
      outcome: { kind: 'too-soon' },
      asked: 0,
    });
  });

  test('by an operator after the shorter gap, after an error or an inquiry that is not recorded', async () => {
    const originId = await completed();
    await check(originId, 'DELAYED');
    await check(originId, {
      kind: 'no-answer',
      error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
    });
    expect(await claimOf(originId)).toMatchObject({
      kind: 'too-soon',
    });
  });

  test("by an operator when the run's last status was DELAYED", async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('DELAYED', { echo: 'mismatch' }));
    await accept(db.journal, originId, 'accept-completed');
    await db.journal.recordResult(
      aResult(originId, 'COMPLETED', { decidedBy: 'operators', reason: 'letter 17' }),
    );
    expect(await claimOf(originId)).toMatchObject({
      kind: 'too-soon',
    });
  });

  test('before Retry-After of the last answer is over', async () => {
    const originId = await completed();
    await check(originId, {
      kind: 'no-answer',
      error: RETRY_IN_5_MIN,
    });
    expect(await claimOf(originId)).toMatchObject({
      kind: 'too-soon',
    });
  });

  test('nor by an operator after the shorter gap, once the bank has reported DELAYED', async () => {
    const originId = await completed();
    await check(originId, 'DELAYED');
    expect(await claimOf(originId)).toMatchObject({
      kind: 'too-soon',
    });
  });

  test('by more than one of 20 at once; a claim that was not answered counts with its time-out', async () => {
    const originId = await completed();
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimOf(originId, { lookupMaxMs: 60_000, gapMs: 1 })),
    );
    const granted = claims.filter(({ kind }) => kind === 'claimed');
    expect(granted.length).toBeLessThanOrEqual(1);
    for (const { kind } of claims) expect(['claimed', 'too-soon']).toContain(kind);
  });
});

test('20 at once that meet the same fact write one incident', async () => {
  const originId = await completed();
  for (let turn = 1; turn <= 20; turn += 1) {
    await claimOf(originId);
  }
  const record = (number: number) =>
    db.journal.recordInquiry({
      originId,
      number,
      answer: { kind: 'not-found' },
      judgement: { kind: 'contradicts', fact: 'FINAL_NOT_FOUND' },
    });
  const raised = await Promise.all(Array.from({ length: 20 }, (_, index) => record(index + 1)));
  expect(raised.filter((incident) => incident !== null)).toHaveLength(1);
  expect(await factsOf(originId)).toEqual(['FINAL_NOT_FOUND']);
});

describe('the database', () => {
  const insert = (originId: number, columns: Record<string, unknown>) =>
    db.sql(
      `insert into giro.inquiry_answer (origin_id, number, answer, ${Object.keys(columns).join(', ')})
       values ($1, 1, '{"kind": "not-found"}', ${Object.keys(columns)
         .map((_, i) => `$${i + 2}`)
         .join(', ')})
       returning incident_id, record_id`,
      [originId, ...Object.values(columns)],
    );

  test('says itself what is an incident: no fact, none', async () => {
    const originId = await completed();
    await claimOf(originId);
    const made = { incident_id: '00000000-0000-4000-8000-000000000000', record_id: 1, agrees: true };
    expect((await insert(originId, made)).rows).toEqual([{ incident_id: null, record_id: null }]);
  });

  test('refuses a number that does not follow: it would use all the numbers up', async () => {
    const originId = await completed();
    const claimed = (number: number) =>
      db.sql(`insert into giro.inquiry (origin_id, number, asked_by) values ($1, $2, 'test')`, [
        originId,
        number,
      ]);
    await expect(claimed(2_147_483_647)).rejects.toMatchObject({ code: 'GR001' });
    await claimed(1);
    await expect(claimed(1)).rejects.toMatchObject({ code: '23505' });
    await expect(claimed(3)).rejects.toMatchObject({ code: 'GR001' });
    expect(await claimOf(originId)).toMatchObject({ kind: 'claimed', number: 2 });
  });

  test.each([
    ['a fact of an answer that agrees', { agrees: true, fact: 'FINAL_NOT_FOUND' }],
    ['a contradiction without its fact', { agrees: false }],
  ])('refuses %s', async (_, columns) => {
    const originId = await completed();
    await claimOf(originId);
    await expect(insert(originId, columns)).rejects.toMatchObject({ code: '23514' });
  });

  // A row that the programs cannot read would stop every later reconciliation of the transfer.
  test.each([
    '{"kind": "movement"}',
    '{"kind": "movement", "movement": {"status": "COMPLETED"}}',
    `{"kind": "movement", "movement": {"status": "COMPLETED", "echo": "match", "echoFields": [], "movementId": 7,
      "evidenceSha256": "${'a'.repeat(64)}"}}`,
    '{"kind": "no-answer"}',
    '{"kind": "not-found", "retryAfterMs": "soon"}',
    '{"kind": "not-found", "retryAfterMs": 1e300}',
    '{"kind": "no-answer", "error": {"code": "TIMEOUT", "retryAfterMs": -1}}',
  ])('refuses an answer that no look-up gives: %s', async (answer) => {
    const originId = await completed();
    await claimOf(originId);
    await expect(
      db.sql('insert into giro.inquiry_answer (origin_id, number, answer) values ($1, 1, $2::jsonb)', [
        originId,
        answer,
      ]),
    ).rejects.toMatchObject({ code: '23514' });
  });

  test('refuses the judgement of a transfer that has no end', async () => {
    const { originId } = await db.journal.bindReference('never started');
    await claimOf(originId);
    await expect(insert(originId, { agrees: true })).rejects.toMatchObject({ code: 'GR002' });
  });
});

describe('an originId without a transfer', () => {
  test('is asked about by the same cadence, and no incident comes of it', async () => {
    const { originId } = await db.journal.bindReference('lost');
    const asked = await check(originId, 'FAILED');
    expect(asked).toMatchObject({ asked: 1, outcome: { judgement: null, incident: null } });
    expect(await claimOf(originId, { gapMs: 600_000 })).toMatchObject({ kind: 'too-soon' });
  });

  test('that becomes one waits the gap all the same once it has ended', async () => {
    const { originId } = await db.journal.bindReference('started late');
    await check(originId, { kind: 'no-answer', error: RETRY_IN_5_MIN });
    await db.journal.openTransfer(anOpening(originId));
    await ask(db.journal, originId, 1, answered('COMPLETED'));
    await db.journal.recordResult(aResult(originId, 'COMPLETED'));
    expect(await claimOf(originId)).toMatchObject({ kind: 'too-soon' });
  });
});

describe('an open transfer whose run is lost', () => {
  test('is asked about as its next numbered request, which the run goes on behind', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('CREATED'));
    expect(await claimOf(originId, { lostAfter: 1 })).toMatchObject({
      kind: 'claimed',
      as: 'request',
      number: 2,
    });
    expect(await claimOf(originId, { lostAfter: 2, lookupMaxMs: 60_000 })).toMatchObject({
      kind: 'too-soon',
    });
  });

  test('is asked about at the cadence of the latest status, though an inquiry before the order had another', async () => {
    const { originId } = await db.journal.bindReference('inquired about before it was started');
    await check(originId, 'IN_PROGRESS');
    await db.journal.openTransfer(anOpening(originId));
    await ask(db.journal, originId, 1, answered('DELAYED'));
    expect(await claimOf(originId, { lostAfter: 1 })).toMatchObject({ kind: 'too-soon' });
  });

  test('is left to its run when that has asked meanwhile', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('CREATED'));
    expect(await claimOf(originId, { lostAfter: 0 })).toEqual({ kind: 'open' });
  });

  test('is not asked about once it is withdrawn', async () => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, NOT_SENT);
    await claim(db.journal, originId, 2, 'withdrawal');
    expect(await claimOf(originId, { lostAfter: 2 })).toEqual({ kind: 'open' });
  });
});

test('on the list of what needs attention until it is acknowledged, once; both are events', async () => {
  const originId = await completed();
  const needing = async () =>
    (await db.journal.transfers({ status: null, needsAttention: true, limit: 1_000 })).map(
      (one) => one.originId,
    );
  const eventsOf = async () =>
    (await db.journal.events({ after: null, limit: 10_000 })).filter((event) => event.originId === originId);
  expect(await needing()).not.toContain(originId);
  await check(originId, 'FAILED');
  expect(await needing()).toContain(originId);
  const open = (await db.journal.incidents({ open: true, limit: 100 })).find(
    (one) => one.originId === originId,
  );
  const incidentId = open?.id ?? '';

  const racing = await Promise.all(
    ['ana', 'beto'].map((operator) =>
      db.journal.acknowledgeIncident({ incidentId, operator, note: 'called the bank' }),
    ),
  );
  expect(racing.filter((one) => one?.now)).toHaveLength(1);
  const by = racing[0]?.incident.acknowledged?.operator;
  expect(racing.map((one) => one?.incident.acknowledged)).toEqual([
    { operator: by, note: 'called the bank', at: expect.any(String) },
    { operator: by, note: 'called the bank', at: expect.any(String) },
  ]);
  expect(await needing()).not.toContain(originId);
  expect(await db.journal.incidents({ open: true, limit: 100 })).not.toContainEqual(
    expect.objectContaining({ id: incidentId }),
  );
  expect(await eventsOf()).toMatchObject([
    { kind: 'final' },
    {
      kind: 'incident',
      incident: {
        id: incidentId,
        fact: 'COMPLETED_THEN_FAILED',
        finalStatus: 'COMPLETED',
        bankStatus: 'FAILED',
      },
    },
    { kind: 'incident-acknowledged', incidentId, operator: by },
  ]);
  const unknown = { incidentId: '00000000-0000-4000-8000-000000000000', operator: 'ana', note: 'n' };
  expect(await db.journal.acknowledgeIncident(unknown)).toBeNull();
});
