import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';

let db: TestJournal;
beforeAll(async () => {
  db = await openTestJournal();
});
afterAll(() => db.close());

test('what people did is written down and found again, newest first', async () => {
  await db.journal.recordAudit({
    ...{ action: 'sending stop', subject: null, operator: 'ana', reason: 'bank asked' },
    details: { host: 'a' },
  });
  await db.journal.recordAudit({ action: 'kyc show', subject: 'r-1', operator: 'eva', reason: null });

  const all = await db.journal.auditEntries({ limit: 10 });
  expect(all.map(({ action }) => action)).toEqual(['kyc show', 'sending stop']);
  const first = {
    ...{ action: 'sending stop', subject: null, operator: 'ana', reason: 'bank asked' },
    ...{ details: { host: 'a' }, at: expect.stringMatching(/^\d{4}-.*Z$/) as string },
  };
  expect(all[0]?.details).toEqual({});
  expect(await db.journal.auditEntries({ action: 'sending stop', limit: 10 })).toEqual([first]);
  expect(await db.journal.auditEntries({ subject: 'r-2', limit: 10 })).toEqual([]);
});

test.each([
  ['an action in capitals', { action: 'STOP' }],
  ['nobody', { operator: '' }],
  ['a long reason', { reason: 'x'.repeat(1001) }],
])('refused: %s', async (_, change) => {
  const entry = { action: 'sending stop', subject: null, operator: 'ana', reason: null, ...change };
  await expect(db.journal.recordAudit(entry)).rejects.toThrow(/audit/);
});
