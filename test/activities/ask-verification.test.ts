import { askVerification } from '../../src/activities/ask-verification';
import type { VerificationActivityContext } from '../../src/activities/verification-context';
import type { Permit } from '../../src/bank/limiter/limiter';
import type { VerificationReply } from '../../src/bank/verifications/verification-port';
import { ourBank } from '../../src/bank/our-bank';
import { DEFAULT_VERIFICATION_SETTINGS } from '../../src/domain/verification/state';
import type { ReportedStatus } from '../../src/journal/statements/record-status';

const { readVerification } = ourBank.verifications;

/** What one look-up records, and what of it enters the workflow's history. */

const replyOf = (json: Record<string, unknown>): VerificationReply => {
  const verification = readVerification({ name: 'CANARY', ...json });
  if (verification === null) throw new Error('not a verification');
  const text = JSON.stringify({ name: 'CANARY', ...json });
  return { kind: 'verification', verification, text, evidenceSha256: 'a'.repeat(64), retryAfterMs: null };
};
const unused = () => Promise.reject(new Error('not part of a question'));

function setUp(reply: VerificationReply, rest: Partial<VerificationActivityContext> = {}) {
  const told: ReportedStatus[] = [];
  let asked = 0;
  let released = 0;
  const permit: Permit = {
    ...{ waitedMs: 0, left: () => undefined, repeat: () => Promise.resolve(), made: () => undefined },
    release: () => void (released += 1),
  };
  const context: VerificationActivityContext = {
    bank: {
      getVerification: () => {
        asked += 1;
        return Promise.resolve(reply);
      },
    },
    limiter: { admit: () => Promise.resolve({ kind: 'admitted', permit }) },
    journal: {
      ...{ openVerification: unused, recordVerificationFlags: unused, stopVerification: unused },
      recordStatus: (word) => {
        told.push(word);
        const { requestId, status, meaning, statusDate } = word;
        if (!word.ends || meaning === null || meaning === 'pending') return Promise.resolve(null);
        return Promise.resolve({ requestId, outcome: meaning, status, statusDate });
      },
    },
    settings: DEFAULT_VERIFICATION_SETTINGS,
    statusMap: new Map([
      ['pendiente', 'pending'],
      ['aprobado', 'approved'],
      ['rechazado', 'rejected'],
    ]),
    keepsAnswers: true,
    ...rest,
  };
  const ask = (
    known: { status: string; meaning: 'pending' | 'rejected' | null } | null = null,
    isUnsure = false,
  ) => askVerification(context)({ requestId: 'r-1', known, isUnsure, workflowTime: '', returning: false });
  return { ask, told, asked: () => asked, released: () => released };
}

const PENDING = { status: 'Pendiente', meaning: 'pending' } as const;

it('a known status costs no statement; a new status, or a new meaning, is in the journal first', async () => {
  const { ask, told } = setUp(replyOf({ requestId: 'r-1', status: 'Pendiente' }));
  await ask(PENDING);
  expect(told).toEqual([]);
  await ask();
  await ask({ status: 'Pendiente', meaning: null });
  expect(told).toMatchObject([
    { status: 'Pendiente', meaning: 'pending', ends: false, answerText: expect.stringContaining('CANARY') },
    { status: 'Pendiente', meaning: 'pending' },
  ]);
});

it('after a lost step the journal is asked whatever the status: it may hold the outcome', async () => {
  const { ask, told } = setUp(replyOf({ requestId: 'r-1', status: 'Pendiente' }));
  await ask(PENDING, true);
  expect(told).toMatchObject([{ status: 'Pendiente', ends: false }]);
});

it('an approval after a rejection ends nothing until it is reported again', async () => {
  const { ask, told } = setUp(replyOf({ requestId: 'r-1', status: 'Aprobado' }));
  expect(await ask({ status: 'Rechazado', meaning: null })).toMatchObject({
    answer: { kind: 'status', status: 'Aprobado', meaning: 'approved', isEchoed: true, leftFinal: true },
  });
  expect(await ask({ status: 'Aprobado', meaning: null })).toMatchObject({ answer: { kind: 'outcome' } });
  expect(told).toMatchObject([{ ends: false }, { ends: true }]);
});

it('its permit is released however the look-up ends', async () => {
  const good = setUp(replyOf({ requestId: 'r-1', status: 'Pendiente' }));
  await good.ask();
  const bad = setUp(replyOf({ requestId: 'r-1', status: 'Pendiente' }), {
    bank: { getVerification: unused },
  });
  await expect(bad.ask()).rejects.toThrow();
  expect([good.released(), bad.released()]).toEqual([1, 1]);
});

it('nothing but status and date goes back', async () => {
  const { ask } = setUp(
    replyOf({ requestId: 'r-1', status: 'Juan 27361705039', statusDate: '2026-03-01T12:00:00' }),
  );
  const answer = await ask();
  expect(answer).toMatchObject({
    kind: 'asked',
    answer: {
      status: expect.stringMatching(/^UNREADABLE_/),
      meaning: null,
      statusDate: '2026-03-01T15:00:00.000Z',
    },
  });
  expect(JSON.stringify(answer)).not.toMatch(/CANARY|Juan|27361705039/);
});

it('an outcome is returned as the journal holds it', async () => {
  const { ask } = setUp(replyOf({ requestId: 'r-1', status: 'APROBADO' }));
  expect(await ask(PENDING)).toMatchObject({
    answer: { kind: 'outcome', result: { requestId: 'r-1', outcome: 'approved', status: 'APROBADO' } },
  });
});

it('an approval about another request is neither recorded nor returned', async () => {
  const { ask, told } = setUp(replyOf({ requestId: 'r-2', status: 'Aprobado' }));
  expect(await ask()).toMatchObject({ answer: { kind: 'mismatch' } });
  expect(told).toEqual([]);
});

it('an approval about nobody ends nothing, and its answer is not kept', async () => {
  const { ask, told } = setUp(replyOf({ status: 'Aprobado' }));
  expect(await ask()).toMatchObject({ answer: { kind: 'status', meaning: 'approved', isEchoed: false } });
  expect(told).toMatchObject([{ ends: false, answerText: null }]);
});

it('answers are kept only with KYC_STORE=encrypted', async () => {
  const { ask, told } = setUp(replyOf({ requestId: 'r-1', status: 'Aprobado' }), { keepsAnswers: false });
  await ask();
  expect(told).toMatchObject([{ ends: true, answerText: null }]);
});

it('a look-up whose turn is far away is not made', async () => {
  const deferral = { kind: 'deferred', reason: 'rate', afterMs: 1_500 } as const;
  const limiter = { admit: () => Promise.resolve(deferral) };
  const { ask, asked } = setUp(replyOf({ requestId: 'r-1', status: 'Aprobado' }), { limiter });
  expect(await ask()).toEqual({ kind: 'deferred', afterMs: 1_500 });
  expect(asked()).toBe(0);
});

it('the observer gets only codes, the id and recordable statuses', async () => {
  const reports: unknown[] = [];
  const observer = {
    asked: (report: unknown) => reports.push(report),
    ended: (result: unknown) => reports.push(result),
    flagsRecorded: unused,
  };
  const error = { code: 'HTTP_STATUS', httpStatus: 405, retryAfterMs: null } as const;
  await setUp({ kind: 'no-answer', error }, { observer }).ask();
  await setUp(replyOf({ requestId: 'r-1', status: 'Juan 27361705039' }), { observer }).ask();
  await setUp(replyOf({ requestId: 'r-1', status: 'Pendiente' }), { observer }).ask(PENDING);
  await setUp(replyOf({ requestId: 'r-1', status: 'Aprobado' }), { observer }).ask(PENDING);
  const none = { requestId: 'r-1', status: null, code: null, httpStatus: null };
  expect(reports).toEqual([
    { ...none, outcome: 'no-answer', isNews: false, code: 'HTTP_STATUS', httpStatus: 405 },
    { ...none, outcome: 'status', isNews: true, status: expect.stringMatching(/^UNREADABLE_[0-9A-F]{8}$/) },
    { ...none, outcome: 'status', isNews: false, status: 'Pendiente' },
    { ...none, outcome: 'outcome', isNews: true, status: 'Aprobado' },
    { requestId: 'r-1', outcome: 'approved', status: 'Aprobado', statusDate: null },
  ]);
});
