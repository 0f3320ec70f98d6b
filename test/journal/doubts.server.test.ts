import { JournalChanged } from '../../src/journal/errors';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  anOpening,
  answered,
  aResult,
  ask,
  claim,
  factsOn,
  newOriginId,
  NOT_SENT,
  openNew,
  UNKNOWN,
} from './support/transfers';

/** A create that may have left without a row: recorded as a doubt, never inferred. */

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

const doubtsOf = async (originId: number) =>
  (
    await db.sql('select reason from giro.doubt where origin_id = $1 order by record_id', [originId])
  ).rows.map(({ reason }) => reason);

async function journalIdOf(originId: number): Promise<string> {
  const opened = await db.journal.openTransfer(anOpening(originId));
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return opened.journalId;
}

const OTHER_JOURNAL = '7000000000000000000/00000009';
const CREATE = { number: 1, kind: 'create', runId: 'run-1' } as const;

describe('a restored journal', () => {
  test('holds one doubt for each transfer that is open, and for no other', async () => {
    const { journal } = db;
    const [unsent, sent, ended] = [await openNew(journal), await openNew(journal), await openNew(journal)];
    await ask(journal, sent, 1, UNKNOWN);
    await ask(journal, ended, 1, answered('COMPLETED'));
    await journal.recordResult(aResult(ended, 'COMPLETED'));
    await journal.recordRestoration();
    const after = await openNew(journal);
    for (const originId of [unsent, sent]) expect(await doubtsOf(originId)).toEqual(['restored']);
    for (const originId of [ended, after]) expect(await doubtsOf(originId)).toEqual([]);
    expect(await factsOn(journal, unsent)).toMatchObject({
      sends: { count: 1, mayRepeat: false, isCountKnown: false },
    });
    expect(await factsOn(journal, after)).toMatchObject({ sends: { count: 0, isCountKnown: true } });
  });

  test('with more open transfers than a server has room for locks', async () => {
    await db.sql(
      `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
       select n, repeat('a', 64), '{}', repeat('b', 64) from generate_series(1, 25000) n`,
    );
    await db.journal.recordRestoration();
    const { rows } = await db.sql('select count(*)::integer as n from giro.doubt');
    expect(rows).toEqual([{ n: 25_000 }]);
  });
});

test('a doubt refuses create and withdrawal, also by plain SQL; look-ups go on', async () => {
  const { journal } = db;
  for (const before of [[], [NOT_SENT]]) {
    const originId = await openNew(journal);
    for (const answer of before) await ask(journal, originId, 1, answer);
    const number = before.length + 1;
    await db.sql(`insert into giro.doubt (origin_id, reason) values ($1, 'restored')`, [originId]);
    expect(await claim(journal, originId, number, 'create')).toEqual({ kind: 'denied' });
    expect(await claim(journal, originId, number, 'withdrawal')).toEqual({ kind: 'too-late' });
    for (const kind of ['create', 'withdrawal']) {
      const inserted = db.sql(
        `insert into giro.request (origin_id, number, kind, run_id) values ($1, $2, $3, 'hand')`,
        [originId, number, kind],
      );
      await expect(inserted).rejects.toMatchObject({ code: 'GR001' });
    }
    expect((await claim(journal, originId, number, 'lookup')).kind).toBe('claimed');
  }
});

test('a create and a doubt that race: one of them knows of the other', async () => {
  const { journal } = db;
  for (let round = 0; round < 50; round += 1) {
    const originId = await openNew(journal);
    const retry = { originId, number: 1, journalId: OTHER_JOURNAL };
    const [created, isVouched] = await Promise.all([
      claim(journal, originId, 1, 'create'),
      journal.vouchForCreate(retry),
    ]);
    // Vouched: it found the claim.
    if (isVouched) expect(created.kind).toBe('claimed');
    else expect(await doubtsOf(originId)).toEqual(['journal-changed']);
    expect((await factsOn(journal, originId)).sends.count).toBe(1);
  }
});

test('lost requests of an open transfer are recorded once; of an ended or unknown one never', async () => {
  const { journal } = db;
  const [open, ended] = [await openNew(journal), await openNew(journal)];
  await ask(journal, ended, 1, answered('COMPLETED'));
  await journal.recordResult(aResult(ended, 'COMPLETED'));
  for (const originId of [open, open, ended, newOriginId()]) await journal.recordLostRequests(originId);
  expect(await doubtsOf(open)).toEqual(['requests-lost']);
  expect(await doubtsOf(ended)).toEqual([]);
  expect(await claim(journal, open, 1, 'create')).toEqual({ kind: 'denied' });
});

describe('a create that is tried again', () => {
  test('is vouched for by the journal that the run noted at receipt', async () => {
    const originId = await openNew(db.journal);
    const journalId = await journalIdOf(originId);
    expect(await db.journal.vouchForCreate({ originId, number: 1, journalId })).toBe(true);
    await ask(db.journal, originId, 1, NOT_SENT);
    expect(await db.journal.vouchForCreate({ originId, number: 2, journalId })).toBe(true);
    expect(await doubtsOf(originId)).toEqual([]);
  });

  test('is not by another one, which holds the doubt from then on', async () => {
    const { journal } = db;
    const originId = await openNew(journal);
    const retry = { originId, number: 1, journalId: OTHER_JOURNAL };
    const told = await Promise.all(Array.from({ length: 5 }, () => journal.vouchForCreate(retry)));
    expect(new Set([...told, await journal.vouchForCreate(retry)])).toEqual(new Set([false]));
    // Of several at once each may write it; it counts as one.
    expect(new Set(await doubtsOf(originId))).toEqual(new Set(['journal-changed']));
    const inDoubt = { count: 1, isCountKnown: false, mayRepeat: false };
    expect((await factsOn(journal, originId)).sends).toMatchObject(inDoubt);
    expect(await claim(journal, originId, 1, 'create')).toEqual({ kind: 'denied' });
    // The journal of now does not make up for it.
    const journalId = await journalIdOf(originId);
    expect(await journal.vouchForCreate({ originId, number: 1, journalId })).toBe(false);
  });

  test('nor is one whose number does not follow: requests of before are lost', async () => {
    const originId = await openNew(db.journal);
    const journalId = await journalIdOf(originId);
    expect(await db.journal.vouchForCreate({ originId, number: 2, journalId })).toBe(false);
    expect(await doubtsOf(originId)).toEqual(['journal-changed']);
  });

  test('is when its claim is there, or the transfer has ended: nothing is sent then anyway', async () => {
    const { journal } = db;
    const [claimed, ended] = [await openNew(journal), await openNew(journal)];
    await claim(journal, claimed, 1, 'create');
    await ask(journal, ended, 1, answered('COMPLETED'));
    await journal.recordResult(aResult(ended, 'COMPLETED'));
    for (const [originId, number] of [
      [claimed, 1],
      [ended, 2],
    ] as const) {
      expect(await journal.vouchForCreate({ originId, number, journalId: OTHER_JOURNAL })).toBe(true);
      expect(await doubtsOf(originId)).toEqual([]);
    }
  });

  test('is not claimed in another journal than the one that was asked: nothing is written there', async () => {
    const { journal } = db;
    const originId = await openNew(journal);
    const journalId = await journalIdOf(originId);
    for (const kind of ['create', 'withdrawal'] as const) {
      const retry = { originId, number: 1, kind, runId: 'run-1' };
      await expect(journal.claimRequest({ ...retry, onlyIn: OTHER_JOURNAL })).rejects.toThrow(JournalChanged);
    }
    expect((await journal.claimRequest({ ...CREATE, originId, onlyIn: journalId })).kind).toBe('claimed');
    // Another journal that has the claim knows of the request: nothing is sent then anyway.
    expect(await journal.claimRequest({ ...CREATE, originId, onlyIn: OTHER_JOURNAL })).toMatchObject({
      kind: 'repeated',
    });
    const ended = await openNew(journal);
    await ask(journal, ended, 1, answered('COMPLETED'));
    await journal.recordResult(aResult(ended, 'COMPLETED'));
    expect(
      await journal.claimRequest({ ...CREATE, originId: ended, number: 2, onlyIn: OTHER_JOURNAL }),
    ).toMatchObject({ kind: 'ended' });
  });

  test('is not when the journal does not know the transfer at all', async () => {
    const originId = newOriginId();
    const retry = { originId, number: 1, journalId: await journalIdOf(await openNew(db.journal)) };
    expect(await db.journal.vouchForCreate(retry)).toBe(false);
  });
});
