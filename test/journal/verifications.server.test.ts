import { randomBytes, randomUUID } from 'node:crypto';
import type { ReportedStatus } from '../../src/journal/statements/record-status';
import type { VerificationFilter } from '../../src/journal/statements/verification-records';
import { ringOf } from '../codec/key-rings';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';

const keyRing = ringOf('k1', { k1: randomBytes(32).toString('base64') });

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal({ keyRing })));
afterAll(() => db.close());

const word = (requestId: string, status: string, rest: Partial<ReportedStatus> = {}): ReportedStatus => ({
  ...{ requestId, status, meaning: null, statusDate: null, evidenceSha256: 'a'.repeat(64) },
  ...{ ends: false, answerText: null },
  ...rest,
});
const approval = (requestId: string, rest: Partial<ReportedStatus> = {}): ReportedStatus =>
  word(requestId, 'Aprobado', { meaning: 'approved', ends: true, ...rest });
const flagged = async (filter: Partial<VerificationFilter> = {}) =>
  (
    await db.journal.verifications({
      ...{ status: null, needsAttention: true, isOpen: false, limit: 100 },
      ...filter,
    })
  ).map(({ requestId }) => requestId);

async function tracked(): Promise<string> {
  const requestId = randomUUID();
  await db.journal.openVerification(requestId);
  return requestId;
}

test('statuses in order, each once; the outcome once and for all', async () => {
  const { journal } = db;
  const requestId = await tracked();
  expect(await journal.openVerification(requestId)).toMatchObject({
    recorded: { wasTracked: true, statuses: [] },
  });
  for (const status of ['Pendiente', 'Pendiente', 'En duda', 'Pendiente']) {
    expect(await journal.recordStatus(word(requestId, status))).toBeNull();
  }
  await journal.recordStatus(word(requestId, 'Pendiente', { meaning: 'pending' }));
  const statusDate = '2026-03-02T03:15:30.123Z';
  const result = { requestId, outcome: 'approved', status: 'Aprobado', statusDate };
  expect(await journal.recordStatus(approval(requestId, { statusDate }))).toEqual(result);
  // Whatever comes later is answered with it, and not written down.
  expect(
    await journal.recordStatus(word(requestId, 'Rechazado', { meaning: 'rejected', ends: true })),
  ).toEqual(result);
  expect(await journal.openVerification(requestId)).toEqual({ kind: 'ended', result });
  expect(await journal.verification(requestId)).toMatchObject({
    ...{ status: 'Aprobado', statusDate, result },
    history: [
      { status: 'Pendiente' },
      { status: 'En duda' },
      { status: 'Pendiente' },
      { status: 'Aprobado' },
    ],
  });
});

test('the answer that ends it is recorded, even after an incomplete one with the same status', async () => {
  const { journal } = db;
  const requestId = await tracked();
  await journal.recordStatus(approval(requestId, { ends: false, evidenceSha256: 'a1'.repeat(32) }));
  const statusDate = '2026-03-02T03:15:30.123Z';
  const whole = approval(requestId, { statusDate, evidenceSha256: 'b2'.repeat(32) });
  const result = { requestId, outcome: 'approved', status: 'Aprobado', statusDate };
  expect(await journal.recordStatus(whole)).toEqual(result);
  expect(await journal.recordStatus(whole)).toEqual(result);
  const { rows } = await db.sql(
    'select seq, status_at is null as undated, evidence_sha256 from giro.verification_status where request_id = $1 order by seq',
    [requestId],
  );
  expect(rows).toEqual([
    { seq: 1, undated: true, evidence_sha256: 'a1'.repeat(32) },
    { seq: 2, undated: false, evidence_sha256: 'b2'.repeat(32) },
  ]);
});

test('reported by many at once: one outcome, one row for each status', async () => {
  const { journal } = db;
  const requestId = await tracked();
  const rejection = word(requestId, 'Rechazado', { meaning: 'rejected', ends: true });
  const told = await Promise.all(
    Array.from({ length: 12 }, (_, i) => journal.recordStatus(i % 2 === 0 ? approval(requestId) : rejection)),
  );
  expect(new Set(told.map((result) => result?.outcome)).size).toBe(1);
  const { rows } = await db.sql('select status from giro.verification_status where request_id = $1', [
    requestId,
  ]);
  expect(rows).toHaveLength(1);
  expect(await journal.isOpenVerification(requestId)).toBe(false);
});

test('opened by many at once: one is first, and it is open', async () => {
  const requestId = randomUUID();
  const opened = await Promise.all(Array.from({ length: 8 }, () => db.journal.openVerification(requestId)));
  const firsts = opened.filter((it) => it.kind === 'open' && !it.recorded.wasTracked);
  expect(firsts).toHaveLength(1);
  expect(await db.journal.isOpenVerification(requestId)).toBe(true);
});

test.each([
  ['the tracking', 'the outcome', 0],
  ['the outcome', 'the tracking', 1],
])('opened again while it ends, %s written before %s: it is not open', async (_first, _second, first) => {
  const requestId = await tracked();
  await db.journal.stopVerification(requestId);
  await db.journal.recordStatus(approval(requestId, { ends: false }));
  const writes = [
    `insert into giro.verification_tracking (request_id, seq, is_tracked) values ('${requestId}', 3, true)`,
    `insert into giro.verification_outcome (request_id, seq, outcome) values ('${requestId}', 1, 'approved')`,
  ];
  const other = await db.connect();
  await other.query('begin');
  await other.query(writes[first] ?? '');
  const second = db.sql(writes[1 - first] ?? '');
  // Without the lock the second is done before the first is committed.
  await Promise.race([second, untilWaiting()]);
  await other.query('commit');
  await second;
  expect(await db.journal.isOpenVerification(requestId)).toBe(false);
});

/** Until a session of this database waits for an advisory lock. */
async function untilWaiting(): Promise<void> {
  const watch = await db.connect();
  const text = `select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  while ((await watch.query(text)).rowCount === 0);
}

test('stopped and opened again; an unknown one can be stopped without a trace', async () => {
  const { journal } = db;
  const requestId = await tracked();
  await Promise.all([journal.stopVerification(requestId), journal.stopVerification(requestId)]);
  expect(await journal.isOpenVerification(requestId)).toBe(false);
  expect(await journal.verification(requestId)).toMatchObject({ isTracked: false });
  await journal.openVerification(requestId);
  expect(await journal.isOpenVerification(requestId)).toBe(true);
  await journal.stopVerification('unknown');
  expect(await journal.verification('unknown')).toBeNull();
});

test('needs attention: what is open and flagged, and nothing that was stopped or has ended', async () => {
  const { journal } = db;
  const [open, stopped, ended] = [await tracked(), await tracked(), await tracked()];
  for (const requestId of [open, stopped, ended]) {
    await journal.recordVerificationFlags(requestId, ['STATUS_UNKNOWN']);
  }
  expect((await flagged()).toSorted()).toEqual([open, stopped, ended].toSorted());
  await journal.stopVerification(stopped);
  await journal.recordStatus(approval(ended));
  expect(await flagged()).toEqual([open]);
  for (const requestId of [stopped, ended]) {
    expect(await journal.verification(requestId)).toMatchObject({ attentionReasons: [] });
  }
  await journal.recordVerificationFlags(open, []);
  expect(await flagged()).toEqual([]);
});

describe('a journal that was restored from before a verification, whose run goes on', () => {
  it('records its status, and has it open', async () => {
    const requestId = randomUUID();
    expect(await db.journal.recordStatus(word(requestId, 'En duda'))).toBeNull();
    expect(await db.journal.verification(requestId)).toMatchObject({ isTracked: true, status: 'En duda' });
    expect(await db.journal.isOpenVerification(requestId)).toBe(true);
  });
  it('takes its outcome, and has it ended', async () => {
    const requestId = randomUUID();
    const answers = await Promise.all([
      db.journal.recordStatus(approval(requestId)),
      db.journal.recordStatus(approval(requestId)),
    ]);
    expect(answers).toMatchObject([{ outcome: 'approved' }, { outcome: 'approved' }]);
    expect(await db.journal.isOpenVerification(requestId)).toBe(false);
    expect(await db.journal.openVerification(requestId)).toMatchObject({ kind: 'ended' });
  });
  it('takes its flags', async () => {
    const requestId = randomUUID();
    await db.journal.recordVerificationFlags(requestId, []);
    expect(await db.journal.verification(requestId)).toBeNull();
    await db.journal.recordVerificationFlags(requestId, ['OPEN_TOO_LONG']);
    expect(await flagged()).toEqual([requestId]);
    await db.journal.stopVerification(requestId);
  });
});

test('what has an outcome never comes to be listed as open, in whichever order it is written', async () => {
  const requestId = await tracked();
  await db.journal.stopVerification(requestId);
  await db.journal.recordStatus(approval(requestId));
  await db.sql('insert into giro.verification_tracking (request_id, seq, is_tracked) values ($1, 3, true)', [
    requestId,
  ]);
  expect(await db.journal.isOpenVerification(requestId)).toBe(false);
});

test('a kept answer lies sealed, bound to its verification; none is kept without its text', async () => {
  const [requestId, other] = [await tracked(), await tracked()];
  const text = JSON.stringify({ requestedPerson: { legalReason: 'Juana Ñandubay', taxNumber: 27361705039 } });
  await db.journal.recordStatus(approval(requestId, { answerText: text }));
  await db.journal.recordStatus(approval(other));
  expect(await db.journal.verificationAnswer(requestId)).toMatchObject({ text });
  expect(await db.journal.verificationAnswer(other)).toBeNull();
  const { rows } = await db.sql('select * from giro.verification_answer');
  expect(rows).toMatchObject([{ request_id: requestId }]);
  expect(JSON.stringify(rows)).not.toMatch(/Juana|27361705039|requestedPerson/);
  // Under another requestId it does not open.
  await db.sql(
    `insert into giro.verification_answer (request_id, seq, sealed)
     select $1, 1, sealed from giro.verification_answer`,
    [other],
  );
  await expect(db.journal.verificationAnswer(other)).rejects.toThrow();
});
