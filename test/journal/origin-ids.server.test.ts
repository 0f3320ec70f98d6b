import { createHash } from 'node:crypto';
import { BindingsMayBeLost } from '../../src/journal/errors';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { anOpening } from './support/transfers';

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

test('a reference keeps its originId for ever', async () => {
  const first = await db.journal.bindReference('invoice 17');
  expect(first).toEqual({ originId: 1, created: true });
  expect(await db.journal.bindReference('invoice 17')).toEqual({ originId: 1, created: false });
  expect(await db.journal.bindReference('invoice 18')).toMatchObject({ created: true });
});

test('bound 20 times at once it has one id', async () => {
  for (let round = 0; round < 10; round += 1) {
    const bound = await Promise.all(
      Array.from({ length: 20 }, () => db.journal.bindReference(`invoice ${round}`)),
    );
    expect(new Set(bound.map(({ originId }) => originId)).size).toBe(1);
    expect(bound.filter(({ created }) => created)).toHaveLength(1);
  }
});

test('different references at once have different ids', async () => {
  const bound = await Promise.all(
    Array.from({ length: 100 }, (_, i) => db.journal.bindReference(`order ${i}`)),
  );
  expect(new Set(bound.map(({ originId }) => originId)).size).toBe(100);
});

test('ids that the journal knows are skipped, also a long run of them', async () => {
  for (const originId of [1, 2, 4]) await db.journal.openTransfer(anOpening(originId));
  expect((await db.journal.bindReference('a')).originId).toBe(3);
  await db.sql(
    `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
     select id, repeat('0', 64), '{}', repeat('0', 64) from generate_series(5, 20000) id`,
  );
  expect((await db.journal.bindReference('b')).originId).toBeGreaterThan(20_000);
});

test('the sequence goes forward, never back', async () => {
  const { journal } = db;
  await journal.advanceSequence(1);
  expect((await journal.bindReference('a')).originId).toBe(1);
  await journal.advanceSequence(5_000);
  expect((await journal.bindReference('b')).originId).toBe(5_000);
  await journal.advanceSequence(10);
  expect((await journal.bindReference('c')).originId).toBe(5_001);
  // As far as JSON readers keep integers, and no further.
  await journal.advanceSequence(Number.MAX_SAFE_INTEGER);
  expect((await journal.bindReference('d')).originId).toBe(Number.MAX_SAFE_INTEGER);
  await expect(journal.bindReference('e')).rejects.toMatchObject({ sqlState: '2200H' });
});

test('advanced while ids are taken, none is handed out twice', async () => {
  const { journal } = db;
  const work = Array.from({ length: 60 }, (_, i) =>
    i % 6 === 0 ? journal.advanceSequence(i * 10) : journal.bindReference(`order ${i}`),
  );
  const ids = (await Promise.all(work)).filter((one) => one !== undefined).map(({ originId }) => originId);
  expect(new Set(ids).size).toBe(50);
});

test('a reference has 1 to 64 characters', async () => {
  await expect(db.journal.bindReference('')).rejects.toMatchObject({ sqlState: '23514' });
  await expect(db.journal.bindReference('x'.repeat(65))).rejects.toMatchObject({ sqlState: '23514' });
  expect(await db.journal.bindReference('ñ'.repeat(64))).toMatchObject({ created: true });
});

describe('a journal that has moved to another PostgreSQL', () => {
  const sha256 = (reference: string): string => createHash('sha256').update(reference).digest('hex');
  const move = () =>
    db.sql("insert into giro.journal_mark (journal_id, marked_at) values ('7/00000009', '-infinity')");
  const refusal = () =>
    db.journal.bindReference('new').then(
      () => null,
      (error: unknown) => error,
    );

  test('finds the references that it has, and binds no new one until the lost ones are noted', async () => {
    const { journal } = db;
    const kept = await journal.bindReference('kept');
    await move();
    expect(await journal.bindReference('kept')).toEqual({ ...kept, created: false });
    const lost = await refusal();
    if (!(lost instanceof BindingsMayBeLost)) throw lost;
    const [row] = (await db.sql("select bound_at - interval '10 min' as since from giro.reference")).rows;
    expect(row).toEqual({ since: lost.since });
    const next = kept.originId + 2;
    await journal.noteLostReferences([
      { referenceSha256: sha256('lost'), originId: next },
      { referenceSha256: sha256('kept'), originId: kept.originId },
      { referenceSha256: sha256('lost'), originId: next },
    ]);
    // What is noted is known at once. It proves nothing about other lost bindings.
    expect(await journal.bindReference('lost')).toEqual({ originId: next, created: false });
    expect(await refusal()).toMatchObject({ since: lost.since });
    // Another PostgreSQL than the one that was asked about sets no mark.
    await journal.markBindingsKnown({ markId: lost.markId, journalId: '7/00000008' });
    expect(await refusal()).toBeInstanceOf(BindingsMayBeLost);
    await journal.markBindingsKnown(lost);
    expect(await journal.bindReference('lost')).toEqual({ originId: next, created: false });
    const { originId } = await journal.bindReference('new');
    expect([kept.originId, next]).not.toContain(originId);
  });

  test('a search that began before a restoration sets no mark', async () => {
    await move();
    const lost = await refusal();
    if (!(lost instanceof BindingsMayBeLost)) throw lost;
    await db.journal.recordRestoration();
    await db.journal.markBindingsKnown(lost);
    expect(await refusal()).toBeInstanceOf(BindingsMayBeLost);
  });

  test('a lost reference keeps its originId, also if another one has got it: the two orders conflict', async () => {
    const { originId } = await db.journal.bindReference('other');
    await db.journal.noteLostReferences([{ referenceSha256: sha256('lost'), originId }]);
    for (const reference of ['lost', 'lost', 'other'])
      expect(await db.journal.bindReference(reference)).toEqual({ originId, created: false });
  });

  test('hands out no originId of a lost binding to another reference', async () => {
    const { originId } = await db.journal.bindReference('first');
    const noted = [1, 2, 3].map((n) => ({ referenceSha256: sha256(`lost ${n}`), originId: originId + n }));
    await db.journal.noteLostReferences(noted);
    expect((await db.journal.bindReference('second')).originId).toBeGreaterThan(originId + 3);
    expect((await db.journal.bindReference('lost 2')).originId).toBe(originId + 2);
  });

  test('as one that was restored, on the same timeline', async () => {
    await db.journal.recordRestoration();
    const lost = await refusal();
    if (!(lost instanceof BindingsMayBeLost)) throw lost;
    await db.journal.markBindingsKnown(lost);
    expect(await db.journal.bindReference('new')).toMatchObject({ created: true });
  });
});

describe('an installation with a range of originIds', () => {
  const bind = (reference: string, originIdMin: number, originIdMax: number) =>
    db.journal.bindReference(reference, { originIdMin, originIdMax });
  const bindings = async () => (await db.sql('select reference, origin_id from giro.reference')).rows;

  test('binds no reference to an originId below it, and says what to run', async () => {
    await expect(bind('a', 100, 200)).rejects.toMatchObject({
      name: 'JournalNotReady',
      message: expect.stringMatching(/originId 1, .*ORIGIN_ID_MIN, 100: run setup --origin-id-from 100$/),
    });
    expect(await bindings()).toEqual([]);
    await db.journal.advanceSequence(100);
    expect(await bind('a', 100, 200)).toEqual({ originId: 100, created: true });
  });

  test('binds no reference to an originId above it, whatever is known below', async () => {
    await db.journal.advanceSequence(200);
    await db.journal.openTransfer(anOpening(200));
    await expect(bind('a', 100, 200)).rejects.toMatchObject({
      name: 'JournalNotReady',
      message: expect.stringMatching(/above ORIGIN_ID_MAX, 200: raise ORIGIN_ID_MAX$/),
    });
    expect(await bindings()).toEqual([]);
  });

  test('skips ids of the range that the journal knows', async () => {
    await db.journal.advanceSequence(100);
    for (const originId of [100, 101]) await db.journal.openTransfer(anOpening(originId));
    expect(await bind('a', 100, 200)).toEqual({ originId: 102, created: true });
  });

  test('keeps a binding from before', async () => {
    expect(await bind('a', 1, 10)).toEqual({ originId: 1, created: true });
    expect(await bind('a', 100, 200)).toEqual({ originId: 1, created: false });
  });
});
