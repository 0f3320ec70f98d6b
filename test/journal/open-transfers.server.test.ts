import { setTimeout as sleep } from 'node:timers/promises';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { insertAnswer } from './support/insert-answer';
import { aResult, anOpening, ask, answered, claim, newOriginId, openNew, seen } from './support/transfers';

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

const openIds = async () => {
  const { turns } = await db.journal.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 100 });
  return turns.map(({ originId }) => originId);
};

test('the open transfers in turn; one that ends is gone, FAILED with its annulment too', async () => {
  const { journal } = db;
  const [a, b, c, d] = [
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
  ];
  expect(await openIds()).toEqual([a, b, c, d]);
  await journal.markTransfersChecked([a, b]);
  expect((await openIds()).slice(0, 2)).toEqual([c, d]);
  await ask(journal, c, 1, answered('COMPLETED'));
  await journal.recordResult(aResult(c, 'COMPLETED'));
  await ask(journal, d, 1, answered('FAILED', seen('FAILED')));
  await journal.recordAnnulment({ result: aResult(d, 'FAILED'), evidenceNumber: 1, operators: [] });
  expect((await openIds()).toSorted()).toEqual([a, b].toSorted());
  await journal.markTransfersChecked([c]);
  expect(await openIds()).not.toContain(c);
});

test('a cycle reads each open transfer once, page by page, although it marks them meanwhile', async () => {
  const { journal } = db;
  const originIds: number[] = [];
  for (let i = 0; i < 7; i += 1) originIds.push(await openNew(journal));
  const met: number[] = [];
  let page = await journal.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 3 });
  const { began } = page;
  const opened = await openNew(journal);
  while (page.turns.length > 0) {
    met.push(...page.turns.map(({ originId }) => originId));
    await journal.markTransfersChecked(page.turns.map(({ originId }) => originId));
    page = await journal.leastRecentlyCheckedTransfers({ after: page.turns.at(-1) ?? null, began, limit: 3 });
  }
  expect(met).toEqual([...originIds, opened]);
});

test('a recovery goes on where the last one ended, and ends where it began', async () => {
  const { journal } = db;
  const [a, b, c, d] = [
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
  ];
  await journal.markTransfersChecked([a, b]);
  const met: number[] = [];
  let page = await journal.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 3 });
  const { began } = page;
  while (page.turns.length > 0) {
    met.push(...page.turns.map(({ originId }) => originId));
    page = await journal.leastRecentlyCheckedTransfers({ after: page.turns.at(-1) ?? null, began, limit: 1 });
  }
  expect(met).toEqual([c, d, a, b]);
});

test('each with the time since its last claim, or since its receipt', async () => {
  const { journal } = db;
  const [asked, silent] = [await openNew(journal), await openNew(journal)];
  await sleep(300);
  await ask(journal, asked, 1, answered('IN_PROGRESS'));
  const { turns } = await journal.leastRecentlyCheckedTransfers({ after: null, began: null, limit: 100 });
  const quietMsOf = (id: number) => turns.find(({ originId }) => originId === id)!.quietMs;
  expect(quietMsOf(asked)).toBeGreaterThanOrEqual(0);
  expect(quietMsOf(silent) - quietMsOf(asked)).toBeGreaterThanOrEqual(300);
});

test('an unfinished transfer with its order; null when it has ended or is not known', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  expect(await journal.unfinishedTransfer(originId)).toEqual({
    order: anOpening(originId).order,
    isDoubted: false,
  });
  expect(await journal.unfinishedTransfer(originId + 1_000)).toBeNull();
  await ask(journal, originId, 1, answered('COMPLETED'));
  await journal.recordResult(aResult(originId, 'COMPLETED'));
  expect(await journal.unfinishedTransfer(originId)).toBeNull();
});

test('restored: what was opened before, not what was opened after', async () => {
  const { journal } = db;
  const before = await openNew(journal);
  await journal.recordRestoration();
  const after = await openNew(journal);
  expect(await journal.unfinishedTransfer(before)).toMatchObject({ isDoubted: true });
  expect(await journal.unfinishedTransfer(after)).toMatchObject({ isDoubted: false });
});

test('of two sessions that write about one transfer the second sees what the first has written', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await claim(journal, originId, 1, 'create');
  const other = await db.connect();
  await other.query('begin');
  await insertAnswer((...of) => other.query(...of), { originId, number: 1, answer: answered('DELAYED') });
  const flagged = journal.recordFlags(originId, ['OPEN_TOO_LONG']);
  await other.query('commit');
  await flagged;
  const listed = await journal.transfers({ status: 'DELAYED', needsAttention: true, limit: 10 });
  expect(listed.map((one) => one.originId)).toEqual([originId]);
});

test('an order that is written down anew with creates of its run may be at the bank', async () => {
  const originId = newOriginId();
  await db.journal.openTransfer({ ...anOpening(originId), known: { lastNumber: 1, sends: 1, tried: null } });
  const listed = await db.journal.transfers({ status: 'looking-up', needsAttention: false, limit: 10 });
  expect(listed.map((one) => one.originId)).toEqual([originId]);
});
