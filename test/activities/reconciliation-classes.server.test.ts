import type { RunState } from '../../src/reconciliation/books';
import { answered, ask, movement, newOriginId, openNew } from '../journal/support/transfers';
import { ReconciledBooks } from './support/reconciled-books';

/** Differences that need one book changed behind the others, each through the journal, at one bank and engine. */

const DAY_MS = 86_400_000;
const yesterday = new Date(Date.now() - DAY_MS).toISOString();
const COMPLETED_RUN: RunState = {
  kind: 'closed',
  how: 'completed',
  closedAt: new Date(Date.now() - 3_600_000).toISOString(),
};

let books: ReconciledBooks;
beforeAll(async () => (books = await ReconciledBooks.open()));
afterAll(() => books.close());

const ended = async (status: 'COMPLETED' | 'FAILED', atBank: object): Promise<number> => {
  const { originId } = await books.book({ openedAt: yesterday, status });
  books.atBank.set(originId, atBank);
  return originId;
};
/** IN_PROGRESS at the bank, as its run received a moment ago. */
const open = async (): Promise<number> => {
  const originId = await openNew(books.db.journal);
  await ask(
    books.db.journal,
    originId,
    1,
    answered('CREATED', { movementId: `88${originId}`, networkId: null }),
  );
  return originId;
};

const CORRUPTED: Readonly<Record<string, () => Promise<number>>> = {
  'MISSING_AT_BANK VANISHED': async () => {
    const originId = await open();
    await ask(books.db.journal, originId, 2, { kind: 'not-found' });
    await books.db.journal.recordFlags(originId, ['VANISHED']);
    return originId;
  },
  'STATE_MISMATCH OTHER_MOVEMENT': () => ended('COMPLETED', { id: '990017' }),
  'STATE_MISMATCH FINAL_REOPENED': () => ended('COMPLETED', { status: 'DELAYED' }),
  'STATE_MISMATCH FAILED_THEN_COMPLETED': () => ended('FAILED', { status: 'COMPLETED' }),
  'STATE_MISMATCH UNSENT_BUT_KNOWN': async () => {
    const originId = await openNew(books.db.journal);
    const ids = { movementId: `88${originId}`, networkId: null };
    await ask(books.db.journal, originId, 1, movement('IN_PROGRESS', ids));
    return originId;
  },
  'AMOUNT_MISMATCH AMOUNT_AT_BANK': () => ended('COMPLETED', { amount: '1500.26' }),
  'CURRENCY_MISMATCH CURRENCY_AT_BANK': () => ended('COMPLETED', { currency: '840' }),
  'RUN_LOST RUN_COMPLETED': async () => {
    const originId = await open();
    books.runs.set(originId, COMPLETED_RUN);
    return originId;
  },
  'MISSING_IN_JOURNAL RUN_WITHOUT_ENTRY': () => {
    const originId = newOriginId();
    books.runs.set(originId, COMPLETED_RUN);
    return Promise.resolve(originId);
  },
};

const money = async (): Promise<unknown> =>
  (
    await books.db.sql(
      `select (select jsonb_agg(t order by t.origin_id) from giro.transfer t) as transfers,
         (select jsonb_agg(r order by r.origin_id) from giro.result r) as results,
         (select jsonb_agg(a order by a.origin_id) from giro.annulment a) as annulments`,
    )
  ).rows;

test('each is one break of its class, once; no order, result or annulment is changed for it', async () => {
  const expected: string[] = [];
  for (const [name, corrupt] of Object.entries(CORRUPTED)) expected.push(`${name} ${await corrupt()} open`);
  const agreed = await books.book({ openedAt: yesterday });
  const before = await money();
  // Some were opened just now, so these times are slightly ahead of the clock, by less than clocks may differ.
  const told = async (aheadMs: number) => {
    const asOf = `${new Date(Date.now() + aheadMs).toISOString().slice(0, 19)}Z`;
    const report = await books.reconcile({ asOf });
    const breaks = report.breaks.filter((one) => one.class !== 'LATE');
    return {
      opened: report.breaksOpened - (report.breaks.length - breaks.length),
      rows: breaks.map((one) => `${one.class} ${one.subCase} ${one.originId ?? ''} ${one.state}`).sort(),
    };
  };
  const first = await told(5_000);
  expect(first).toEqual({ opened: expected.length, rows: expected.sort() });
  expect(first.rows.join()).not.toContain(String(agreed.originId));
  expect((await told(30_000)).rows).toEqual(expected);
  expect(await money()).toEqual(before);
});
