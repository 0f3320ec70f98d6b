import { giro } from '../commands/support/memory-io';
import type { Break } from '../../src/reconciliation/break';
import type { Report } from '../../src/reconciliation/report';
import { journalKeyRing, orderCipher } from '../../src/journal/ciphers';
import { freshKeyRing } from '../codec/key-rings';
import { ReconciledBooks } from './support/reconciled-books';
import { confirmedDebits } from '../journal/support/confirmed-debits';

/**
 * Debits that nobody ordered, by notifications and statements, through the journal: one break for each debit, from its
 * opening to its end.
 */

const DAY_MS = 86_400_000;
/** Of all tests of this file, which may run over midnight. */
const TODAY_MS = Date.now();
const day = (ago: number): string => new Date(TODAY_MS - ago * DAY_MS).toISOString();
const MAPPING = {
  ...{ date: 'yyyy-MM-dd', utcOffset: '+00:00', accounts: ['0009001600000000000017'] },
  columns: {
    ...{ bookedAt: 'day', movementId: 'movement', networkId: 'network', counterpartyAccount: 'to' },
    ...{ debit: 'debit', credit: 'credit' },
  },
};

let books: ReconciledBooks;
beforeEach(async () => (books = await ReconciledBooks.open()));
afterEach(() => books.close());

interface Row {
  readonly ago: number;
  readonly movementId?: string;
  readonly networkId?: string;
  readonly debit?: string;
  readonly to?: string;
}
const read = (rows: readonly Row[], of = books): Promise<number> =>
  of.statement(
    [
      'day,movement,network,debit,credit,to',
      ...rows.map(({ ago, movementId = '', networkId = '', debit = '75.50', to = '' }) =>
        [day(ago).slice(0, 10), movementId, networkId, debit, '', to].join(','),
      ),
    ].join('\n'),
    MAPPING,
  );
let deliveries = 0;
/** Notifications of yesterday, already processed. */
const arrived = (deliveryKeys: readonly string[]) =>
  books.db.sql(
    `insert into giro.notification (delivery_key, body, received_at, due_at, outcome, done_at)
     select key, 'x', $2, null, 'orphan', now() from unnest($1::text[]) key`,
    [deliveryKeys, day(1)],
  );
const notify = async (...debits: readonly { movementId?: string; networkId?: string }[]): Promise<void> => {
  const told = debits.map(({ movementId, networkId }) => ({
    ...{ deliveryKey: `delivery-${(deliveries += 1)}`, movementType: 'DEBIT', originIds: [] },
    movementIds: movementId === undefined ? [] : [movementId],
    networkIds: networkId === undefined ? [] : [networkId],
  }));
  await arrived(told.map(({ deliveryKey }) => deliveryKey));
  await confirmedDebits(books.db.journal, told);
};
const orphans = ({ breaks }: { readonly breaks: readonly Break[] }): readonly Break[] =>
  breaks.filter((one) => one.class === 'ORPHAN_AT_BANK');
const history = async (key: string): Promise<string[]> =>
  (await books.db.journal.breakHistory(key)).map(({ kind }) => kind);
const command = (...args: string[]) =>
  giro(args, { env: { DATABASE_URL: books.db.url, DECIDERS: 'Ana,luis' } });

test('one debit is one break, whoever reports it and by which ids; its amount stays known', async () => {
  await notify({ networkId: 'N1' });
  const [first] = orphans(await books.reconcile());
  const key = 'ORPHAN_AT_BANK:NETWORK:N1';
  expect(first).toMatchObject({ key, state: 'open', amount: null, book: 'notifications' });
  const acknowledge = (operator: string) =>
    command(...['reconcile', 'acknowledge', key, '--operator', operator, '--note', 'claim 42']);
  expect(await acknowledge('eva')).toMatchObject({ code: 2 });
  // Two spellings of one name are one operator, here as for decisions.
  expect(await acknowledge('ana')).toMatchObject({ code: 0 });

  // The second notification adds the movement id, the only id on the statement.
  await notify({ networkId: 'N1', movementId: '5' });
  expect(orphans(await books.reconcile())).toMatchObject([{ key, state: 'acknowledged', note: 'claim 42' }]);
  const statementId = await read([{ ago: 1, movementId: '5', debit: '20000000.00' }]);
  const told = {
    ...{ key, state: 'acknowledged', subCase: 'DEBIT_ON_STATEMENT', severity: 'critical' },
    ...{ amount: { currency: '032', value: '20000000.00' }, book: 'notifications' },
  };
  expect(orphans(await books.reconcile({ statementId }))).toMatchObject([told]);
  // The notification reports it again, without its amount.
  const [last] = orphans(await books.reconcile());
  expect(last).toMatchObject(told);
  expect(last?.evidence?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await history(key)).toEqual(['opened', 'acknowledged']);
});

test('one that the bank has not confirmed is a low break, which rises once confirmed; a flood fills a report with 100', async () => {
  const stage = async (...networkIds: string[]) => {
    await arrived(networkIds.map((id) => `said-${id}`));
    await books.db.journal.stageDebits(
      networkIds.map((networkId) => ({
        ...{ deliveryKey: `said-${networkId}`, movementType: 'DEBIT', originIds: [], movementIds: [] },
        networkIds: [networkId],
      })),
    );
  };
  await stage('U1');
  const key = 'ORPHAN_AT_BANK:NETWORK:U1';
  expect(orphans(await books.reconcile())).toMatchObject([
    { key, subCase: 'UNCONFIRMED_DEBIT', severity: 'low' },
  ]);
  expect(JSON.parse((await command('webhook', 'unresolved', '--json')).stdout)).toMatchObject([
    { kind: 'debit', networkIds: ['U1'], asked: 0 },
  ]);
  expect((await command('webhook', 'unresolved')).stdout).toMatch(
    /^KIND .*\ndebit +\S+ +said-U1 +network U1; asked 0/,
  );
  const ids = { originIds: [], movementIds: [], networkIds: ['U1'] };
  await books.db.journal.confirmDebit({ deliveryKey: 'said-U1', ids, pauseMs: 0 });
  expect(orphans(await books.reconcile())).toMatchObject([
    { key, subCase: 'NOTIFIED_DEBIT', severity: 'high' },
  ]);
  // Another notification of what is confirmed adds no second break.
  await arrived(['said-again']);
  await books.db.journal.stageDebits([
    {
      ...{ deliveryKey: 'said-again', movementType: 'DEBIT', originIds: [], movementIds: ['9'] },
      networkIds: ['U1'],
    },
  ]);
  expect(orphans(await books.reconcile())).toMatchObject([{ key, subCase: 'NOTIFIED_DEBIT' }]);
  await stage(...Array.from({ length: 300 }, (_, i) => `F${i}`));
  expect(orphans(await books.reconcile())).toHaveLength(101);
  await books.db.sql('delete from giro.suspected_debit');
  const { breaksResolved } = await books.reconcile();
  expect(breaksResolved).toBe(100);
});

test('a payment and its tax of one movement are two; a run without the statement still lists them and is not CLEAN', async () => {
  const rows = [
    { ago: 1, movementId: '77', debit: '1500000.00' },
    { ago: 1, movementId: '77', debit: '9000.00' },
  ];
  const told = (report: Report) =>
    orphans(report)
      .map(({ amount, state }) => `${amount?.value ?? '-'} ${state}`)
      .sort();
  expect(told(await books.reconcile({ statementId: await read(rows) }))).toEqual([
    ...['1500000.00 open', '9000.00 open'],
  ]);
  const next = await books.reconcile();
  expect(next).toMatchObject({ outcome: 'BREAKS', breaksOpened: 0, breaksResolved: 0 });
  expect(next.byClass).toEqual({ ORPHAN_AT_BANK: { count: 2, amount: '1509000.00' } });
  expect(told(next)).toEqual(['1500000.00 open', '9000.00 open']);

  const key = 'ORPHAN_AT_BANK:MOVEMENT:77';
  await command('reconcile', 'resolve', key, '--operator', 'ana', '--reason', 'a rent');
  const again = await books.reconcile({ statementId: await read([...rows].reverse()) });
  expect(again).toMatchObject({ outcome: 'BREAKS', breaksOpened: 0, breaksResolved: 0 });
  expect(told(again)).toEqual(['9000.00 open']);
  await command('reconcile', 'resolve', orphans(again)[0]?.key ?? '', '--operator', 'ana', '--reason', 'tax');
  expect(await books.reconcile()).toMatchObject({ outcome: 'CLEAN', breaks: [] });
});

test('it resolves when a transfer explains it; on a statement, when its line matches in a later file', async () => {
  const booked = await books.book({ openedAt: day(2) });
  const late = await books.book({ openedAt: day(2), amount: '75.50' });
  // Their answers come later than the bank's notification and statement.
  const withoutAnswers = async (change: () => Promise<void>): Promise<void> => {
    await books.db.sql(`set session_replication_role = replica;
      alter table giro.answer disable trigger append_only, disable trigger kept`);
    await change();
    await books.db.sql(`set session_replication_role = origin;
      alter table giro.answer enable always trigger append_only, enable always trigger kept`);
  };
  await withoutAnswers(async () => {
    await books.db.sql('create table public.kept as select * from giro.answer');
    await books.db.sql('delete from giro.answer');
  });
  await notify({ movementId: booked.movementId });
  const rows = [{ ago: 1, movementId: late.movementId }];
  const keys = [booked, late].map(({ movementId }) => `ORPHAN_AT_BANK:MOVEMENT:${movementId}`);
  const first = await books.reconcile({ statementId: await read(rows) });
  expect(
    orphans(first)
      .map(({ key }) => key)
      .sort(),
  ).toEqual([...keys].sort());

  await withoutAnswers(async () => {
    await books.db.sql('insert into giro.answer select * from public.kept');
  });
  const second = await books.reconcile({ statementId: await read(rows) });
  expect(orphans(second)).toEqual([]);
  for (const key of keys) expect(await history(key)).toEqual(['opened', 'resolved']);
});

test('more than a page of them: each is reported once, and one resolved by hand is neither reported nor written again', async () => {
  const count = 1_203;
  await notify(...Array.from({ length: count }, (_, i) => ({ movementId: `m${i}`, networkId: `n${i}` })));
  // Another notification about a movement of the first page, on a later page.
  await notify({ movementId: 'm0' });
  const first = await books.reconcile();
  expect(orphans(first)).toHaveLength(count);
  const key = 'ORPHAN_AT_BANK:MOVEMENT:m7';
  await command('reconcile', 'resolve', key, '--operator', 'ana', '--reason', 'a fee');
  const written = async () =>
    (
      await books.db.sql(
        `select b.version, (select count(*)::integer from giro.break_seen s where s.key = b.key) as seen
         from giro.break b where b.key = $1`,
        [key],
      )
    ).rows;
  const before = await written();
  const second = await books.reconcile();
  expect(orphans(second)).toHaveLength(count - 1);
  expect(second).toMatchObject({ breaksOpened: 0, breaksResolved: 0 });
  expect(await written()).toEqual(before);

  // The command reads them by pages; one array, one table.
  const listed = await command('reconcile', 'breaks', '--json');
  const all = JSON.parse(listed.stdout) as Break[];
  expect(new Set(all.map((one) => one.key)).size).toBe(count);
  expect(listed.stdout).toBe(`${JSON.stringify(all, null, 2)}\n`);
  const { stdout } = await command('reconcile', 'breaks', '--open');
  expect(stdout.trimEnd().split('\n')).toHaveLength(count);
  expect((await command('reconcile', 'breaks', '--older-than', '1h')).stdout).toBe('no breaks\n');
  await books.db.sql(
    // No run saw the break at that time, so its guard has to be off.
    `set local session_replication_role = replica;
     update giro.break set version = version + 1,
       break = break || '{"firstSeen": "2026-01-05T09:00:00Z"}' where key = 'ORPHAN_AT_BANK:MOVEMENT:m3'`,
  );
  expect((await command('reconcile', 'breaks', '--older-than', '1h')).stdout).toMatch(
    /^KEY .*\nORPHAN_AT_BANK:MOVEMENT:m3 .*\n$/,
  );
});

test('suggested are those of the amount that are nearest, however many others there are', async () => {
  const amount = '75.50';
  const near = await books.book({ openedAt: day(1), amount });
  const farther = await books.book({ openedAt: day(3), amount });
  const ofOtherAccount = await books.book({ openedAt: day(1), amount, from: '0009001600000000000024' });
  const open = await books.book({ openedAt: day(1.2), amount, status: 'DELAYED' });
  // Twelve thousand of the days before, of other amounts.
  for (const table of ['transfer', 'result']) {
    await books.db.sql(`alter table giro.${table} disable trigger user`);
  }
  await books.db.sql(
    `with filled as (
       insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
       select n, t.order_sha256, t.order_json, t.create_body_sha256, now() - interval '4 days' + n * interval '1 second'
       from giro.transfer t cross join generate_series(1, 12000) n where t.origin_id = $1::bigint
     )
     insert into giro.result (origin_id, opened_at, result, recorded_at)
     select n, e.opened_at, e.result || jsonb_build_object('originId', n) || '{"amount": {"currency": "032", "value": "10.00"}}',
       now() - interval '4 days' + n * interval '1 second'
     from giro.result e cross join generate_series(1, 12000) n where e.origin_id = $1::bigint`,
    [near.originId],
  );
  const statementId = await read([{ ago: 1, debit: amount }]);
  const asOf = new Date().toISOString();
  const report = await books.reconcile({ asOf: `${asOf.slice(0, 19)}Z`, from: asOf, to: asOf, statementId });
  const [orphan] = orphans(report);
  expect(orphan?.detail).toContain('may be ');
  const suggested = /may be ([0-9, ]+) by/
    .exec(orphan?.detail ?? '')?.[1]
    ?.split(', ')
    .map(Number);
  expect(new Set(suggested)).toEqual(new Set([near, farther, open].map(({ originId }) => originId)));
  expect(suggested).not.toContain(ofOtherAccount.originId);
  expect(suggested?.at(-1)).toBe(farther.originId);
});

test('an order or a line that no key of the ring opens holds no run up', async () => {
  const keyRing = freshKeyRing('k1');
  const sealed = await ReconciledBooks.open({ keyRing });
  try {
    const lost = orderCipher(freshKeyRing('lost'));
    const unreadable = await sealed.book({ openedAt: day(1), cipher: lost });
    const to = '9990001800000000000017';
    const ours = await sealed.book({ openedAt: day(1), cipher: orderCipher(journalKeyRing(keyRing)) });
    const statementId = await read(
      [
        { ago: 1, debit: '1500.25', to },
        { ago: 1, movementId: ours.movementId, debit: '1500.25', to },
      ],
      sealed,
    );
    await sealed.db.sql(`alter table giro.statement_line disable trigger append_only;
      update giro.statement_line set counterparty = replace(counterparty, 'k1:', 'lost:');
      alter table giro.statement_line enable always trigger append_only`);
    const report = await sealed.reconcile({ statementId });
    expect(report.outcome).toBe('PARTIAL');
    expect(report.notAsked).toEqual(
      expect.arrayContaining([
        { originId: unreadable.originId, book: 'journal', reason: 'ORDER_UNREADABLE' },
        { originId: ours.originId, book: 'statement', reason: 'LINE_UNREADABLE' },
      ]),
    );
    expect(orphans(report)).toHaveLength(1);
    expect(orphans(report)[0]?.detail).not.toContain('may be');
    expect(orphans(report)[0]?.detail).toContain('its other account cannot be read');
  } finally {
    await sealed.close();
  }
});
