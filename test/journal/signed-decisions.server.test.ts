import type { DecisionRecord } from '../../src/domain/transfer/decisions/decision';
import { decisionLine } from '../../src/domain/transfer/decisions/decision-line';
import type { SignedStatement } from '../../src/domain/transfer/decisions/decision-line';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { aDecision, anOpening, ask, movement, openNew } from './support/transfers';

/**
 * What the database enforces about signatures, whatever a worker says. It cannot verify them: only workers and audits
 * have the keys.
 */
let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const KEYS = { ana: `SHA256:${'a'.repeat(43)}`, luis: `SHA256:${'b'.repeat(43)}` };
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

function lineOf(originId: number, record: DecisionRecord, changes: Partial<SignedStatement> = {}): string {
  return decisionLine({
    ...{
      action: record.action ?? 'resume',
      operator: record.operator ?? '',
      reason: record.reason,
      originId,
    },
    ...{ evidenceNumber: 0, expiresAt: inMinutes(30), namespace: 'default' },
    orderSha256: anOpening(originId).orderSha256,
    ...changes,
  });
}

const write = (originId: number, record: DecisionRecord, line: string, keyFingerprint = KEYS.ana) =>
  db.journal.recordDecision(originId, record, { line, signature: 'armoured', keyFingerprint });

const proposal = () => aDecision('proposed', 'accept-failed', ['ana']);
const acceptance = () => aDecision('accepted', 'accept-failed', ['ana', 'luis']);

test('a signed decision is kept with its line, signature and key', async () => {
  const originId = await openNew(db.journal);
  const record = proposal();
  const line = lineOf(originId, record);
  expect(await write(originId, record, line)).toEqual({ recorded: true });
  // A repeated step.
  expect(await write(originId, record, line)).toEqual({ recorded: true });
  expect(await db.journal.keptDecisions(originId)).toMatchObject({
    orderSha256: anOpening(originId).orderSha256,
    decisions: [{ operator: 'ana', line, signature: 'armoured', keyFingerprint: KEYS.ana }],
  });
  expect(await db.journal.decisionBasis(originId)).toMatchObject({ usedLines: [line], evidenceNumber: 0 });
});

test('a create rests on an accepted `resend` until one has left by it', async () => {
  const originId = await openNew(db.journal);
  const isDue = async () => (await db.journal.keptDecisions(originId))?.isResendDue;
  const claim = (number: number) =>
    db.journal.claimRequest({
      ...{ originId, number, kind: 'create', runId: 'r' },
      resendWindowMs: 3_600_000,
    });
  await claim(1);
  for (const record of [
    aDecision('proposed', 'resend', ['ana']),
    { ...aDecision('accepted', 'resend', ['ana', 'luis']), afterNumber: 1 },
  ]) {
    expect(await isDue()).not.toBe(true);
    await db.journal.recordDecision(originId, record, null);
  }
  expect(await isDue()).toBe(true);
  expect(await claim(2)).toMatchObject({ kind: 'claimed' });
  expect(await isDue()).toBe(false);
});

const ANOTHER = 'what was signed is another decision';
const TOO_LATE = 'the signature has expired, or expires too late';

test.each<[string, string, () => Partial<SignedStatement>]>([
  ['another transfer', ANOTHER, () => ({ originId: 1 })],
  ['another action', ANOTHER, () => ({ action: 'resume' })],
  ['another operator', ANOTHER, () => ({ operator: 'luis' })],
  ['another reason', ANOTHER, () => ({ reason: 'else' })],
  ['another order', ANOTHER, () => ({ orderSha256: 'f'.repeat(64) })],
  ['an hour that is over', TOO_LATE, () => ({ expiresAt: inMinutes(-1) })],
  // Still more than an hour when a busy machine writes it.
  ['more than an hour', TOO_LATE, () => ({ expiresAt: inMinutes(65) })],
])('a line about %s is none of this decision', async (_, rule, changes) => {
  const originId = await openNew(db.journal);
  const record = proposal();
  const written = await write(originId, record, lineOf(originId, record, changes()));
  expect(written).toEqual({ recorded: false, rule });
  expect(await db.journal.keptDecisions(originId)).toBeNull();
});

test('a line counts once, whatever its signature', async () => {
  const originId = await openNew(db.journal);
  const record = proposal();
  const line = lineOf(originId, record);
  await write(originId, record, line);
  await db.journal.recordDecision(originId, aDecision('withdrawn', 'withdraw', ['luis']));
  const again = { ...record, id: 'again' };
  await expect(
    db.journal.recordDecision(originId, again, { line, signature: 'other', keyFingerprint: KEYS.luis }),
  ).rejects.toMatchObject({ sqlState: '23505' });
});

test('two decisions take two keys, and a signed one is no pair with another', async () => {
  const accept = async (first: string | null, second: string | null) => {
    const originId = await openNew(db.journal);
    for (const [record, key] of [
      [proposal(), first],
      [acceptance(), second],
    ] as const) {
      const { recorded } =
        key === null
          ? await db.journal.recordDecision(originId, record)
          : await write(originId, record, lineOf(originId, record), key);
      if (!recorded) return false;
    }
    return true;
  };
  expect(await accept(KEYS.ana, KEYS.luis)).toBe(true);
  expect(await accept(null, null)).toBe(true);
  expect(await accept(KEYS.ana, KEYS.ana)).toBe(false);
  expect(await accept(KEYS.ana, null)).toBe(false);
  expect(await accept(null, KEYS.luis)).toBe(false);
});

test('a signature is whole or not there', async () => {
  const originId = await openNew(db.journal);
  await expect(
    db.sql(
      `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason, signature)
       values ($1, 1, 'x', 'resumed', 'resume', 'ana', '{ana}', 'r', 's')`,
      [originId],
    ),
  ).rejects.toMatchObject({ code: '23514' });
});

test('the basis has the evidence of the journal’s lines', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, { kind: 'not-found' });
  await ask(db.journal, originId, 2, movement('CREATED'));
  await ask(db.journal, originId, 3, {
    kind: 'no-answer',
    error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
  });
  await ask(db.journal, originId, 4, movement('CREATED'));
  expect(await db.journal.decisionBasis(originId)).toMatchObject({ evidenceNumber: 2 });
  expect(await db.journal.decisionBasis(originId + 999_999)).toBeNull();
});
