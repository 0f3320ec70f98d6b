import { Client } from 'pg';
import type { TransferFilter } from '../../src/journal/statements/transfer-records';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  anOpening,
  answered,
  aResult,
  ask,
  askInVain,
  claim,
  movement,
  NOT_SENT,
  openNew,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const ISO = expect.stringMatching(/^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$/) as string;
const ALL: TransferFilter = { status: null, needsAttention: false, limit: 100 };
const list = async (filter: Partial<TransferFilter>) =>
  (await db.journal.transfers({ ...ALL, ...filter })).map(({ originId }) => originId);

test('a transfer that nobody opened is null', async () => {
  expect(await db.journal.transfer(17)).toBeNull();
});

test('everything that the journal knows of a transfer', async () => {
  const { journal } = db;
  const { originId } = await journal.bindReference('invoice 17');
  await journal.openTransfer(anOpening(originId));
  await ask(journal, originId, 1, NOT_SENT);
  await ask(journal, originId, 2, answered('CREATED'));
  await ask(journal, originId, 3, movement('IN_PROGRESS', { networkId: null }));
  await ask(journal, originId, 4, movement('IN_PROGRESS'));
  await claim(journal, originId, 5, 'lookup');
  await ask(journal, originId, 6, movement('FAILED'));
  const { result } = await journal.recordAnnulment({
    result: aResult(originId, 'FAILED'),
    evidenceNumber: 6,
    operators: [],
  });
  const annulment = (await journal.annulments({ since: null, after: null, limit: 1_000 })).find(
    (one) => one.originId === originId,
  );
  expect(await journal.transfer(originId)).toEqual({
    originId,
    archiveSha256: null,
    reference: 'invoice 17',
    orderSha256: anOpening(originId).orderSha256,
    amount: { currency: '032', value: '1500.25' },
    ...{ proposals: [], mayDecide: [], doubtfulAnswer: null, lastError: null, journalConflict: null },
    ...{ sends: 1, sendingStopped: null, cancelRequested: false, needsAttention: false, nextPollAt: null },
    openedAt: ISO,
    phase: 'ended',
    bankStatus: 'FAILED',
    movementId: '880011',
    network: 'COELSA',
    networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
    decisions: [],
    orderKeyId: null,
    attentionReasons: [],
    evidenceNumber: 6,
    polls: 4,
    lastPolledAt: ISO,
    history: [
      { status: 'CREATED', at: ISO },
      { status: 'IN_PROGRESS', at: ISO },
      { status: 'FAILED', at: ISO },
    ],
    attempts: [
      { number: 1, at: ISO, outcome: 'not-sent' },
      { number: 2, at: ISO, outcome: 'answered' },
    ],
    result,
    annulment,
    incidents: [],
  });
});

test('a history keeps the last 50 changes', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED'));
  for (let number = 2; number <= 60; number += 1) {
    await ask(db.journal, originId, number, movement(number % 2 === 0 ? 'DELAYED' : `WORD_${number}`));
  }
  const history = (await db.journal.transfer(originId))?.history.map(({ status }) => status);
  expect(history).toHaveLength(50);
  expect([history?.[0], history?.at(-1)]).toEqual(['WORD_11', 'DELAYED']);
});

test('flags: the latest set is open; a repeat of it is not written again', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await journal.recordFlags(originId, []);
  await journal.recordFlags(originId, ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG']);
  await journal.recordFlags(originId, ['OPEN_TOO_LONG', 'OUTCOME_UNKNOWN']);
  expect((await journal.transfer(originId))?.attentionReasons).toEqual(['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG']);
  expect(await list({ needsAttention: true })).toEqual([originId]);
  await journal.recordFlags(originId, []);
  await journal.recordFlags(originId, []);
  expect(await list({ needsAttention: true })).toEqual([]);
  const { rows } = await db.sql('select seq, reasons from giro.flags where origin_id = $1 order by seq', [
    originId,
  ]);
  expect(rows).toEqual([
    { seq: 1, reasons: ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'] },
    { seq: 2, reasons: [] },
  ]);
});

test('flags written at once by several are all there', async () => {
  const originId = await openNew(db.journal);
  await Promise.all(
    ['VANISHED', 'OPEN_TOO_LONG', 'STATUS_UNKNOWN'].map((r) => db.journal.recordFlags(originId, [r])),
  );
  const { rows } = await db.sql('select count(*)::integer as n from giro.flags where origin_id = $1', [
    originId,
  ]);
  expect(rows).toEqual([{ n: 3 }]);
});

describe('the list', () => {
  let listed: TestJournal;
  const ids: Record<string, number> = {};
  beforeAll(async () => {
    listed = await openTestJournal();
    const { journal } = listed;
    const make = async (name: string, ...answers: Parameters<typeof ask>[3][]) => {
      const originId = await openNew(journal);
      ids[name] = originId;
      for (const [index, answer] of answers.entries()) await ask(journal, originId, index + 1, answer);
      return originId;
    };
    await make('unclaimed');
    await claim(journal, await make('claimed'), 1, 'create');
    await make('not sent', NOT_SENT);
    await make('unknown', UNKNOWN);
    await make('not found', UNKNOWN, { kind: 'not-found' });
    await make('wrong echo', answered('COMPLETED', { echo: 'mismatch' }));
    await journal.recordFlags(await make('held', UNKNOWN), ['OUTCOME_UNKNOWN']);
    await journal.recordFlags(await make('slow', answered('DELAYED')), ['OPEN_TOO_LONG']);
    await make('told failed', answered('FAILED'));
    const again = await make('sent again', UNKNOWN);
    await claim(journal, again, await askInVain(journal, again, 2), 'create');
    await make('told completed', answered('COMPLETED'));
    await journal.recordResult(aResult(await make('completed', answered('COMPLETED')), 'COMPLETED'));
    await claim(journal, await make('withdrawn', NOT_SENT), 2, 'withdrawal');
    await journal.recordResult(aResult(ids['withdrawn']!, 'WITHDRAWN'));
  });
  afterAll(() => listed.close());

  const names = async (filter: Partial<TransferFilter>) => {
    const found = await listed.journal.transfers({ ...ALL, ...filter });
    return found.map(({ originId }) => Object.keys(ids).find((name) => ids[name] === originId));
  };

  test('is newest first, up to its limit', async () => {
    expect(await names({})).toEqual(Object.keys(ids).reverse());
    expect(await names({ limit: 2 })).toEqual(['withdrawn', 'completed']);
  });

  test.each([
    ['received', []],
    ['sending', ['not sent', 'unclaimed']],
    ['looking-up', ['sent again', 'wrong echo', 'not found', 'unknown', 'claimed']],
    ['held', ['held']],
    ['DELAYED', ['slow']],
    ['COMPLETED', ['completed', 'told completed']],
    ['WITHDRAWN', ['withdrawn']],
    ['FAILED', ['told failed']],
  ])('finds the word %s', async (status, expected) => {
    expect(await names({ status })).toEqual(expected);
  });

  test.each([
    ['unclaimed', 'sending'],
    ['claimed', 'looking-up'],
    ['not sent', 'sending'],
    ['unknown', 'looking-up'],
    ['not found', 'looking-up'],
    ['held', 'held'],
    ['slow', 'polling'],
    ['told completed', 'polling'],
    ['told failed', 'polling'],
    ['sent again', 'looking-up'],
    ['completed', 'ended'],
  ])('%s: phase %s', async (name, phase) => {
    expect(await listed.journal.transfer(ids[name]!)).toMatchObject({ phase });
  });

  test('finds open flags, alone and with a status', async () => {
    expect(await names({ needsAttention: true })).toEqual(['slow', 'held']);
    expect(await names({ needsAttention: true, status: 'DELAYED' })).toEqual(['slow']);
  });

  test('is one statement, however many it lists', async () => {
    const statements = jest.spyOn(Client.prototype, 'query');
    expect(await listed.journal.transfers(ALL)).toHaveLength(Object.keys(ids).length);
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
  });
});

test('annulments are listed oldest first, from a moment on', async () => {
  const { journal } = db;
  const originIds = [await openNew(journal), await openNew(journal)];
  for (const originId of originIds) {
    await ask(journal, originId, 1, answered('FAILED'));
    await journal.recordAnnulment({ result: aResult(originId, 'FAILED'), evidenceNumber: 1, operators: [] });
  }
  const all = await journal.annulments({ since: null, after: null, limit: 1_000 });
  expect(all.slice(-2).map(({ originId }) => originId)).toEqual(originIds);
  const from = (since: string) => journal.annulments({ since, after: null, limit: 1_000 });
  expect(await from(all.at(-1)!.recordedAt)).toContainEqual(all.at(-1));
  expect(await from('2999-01-01T00:00:00Z')).toEqual([]);

  const pages = [];
  for (let after: string | null = null; ;) {
    const page: typeof all = await journal.annulments({ since: null, after, limit: 1 });
    if (page.length === 0) break;
    pages.push(...page);
    after = page[0]!.id;
  }
  expect(pages).toEqual(all);
});
