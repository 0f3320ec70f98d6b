import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { NOT_SENT, UNKNOWN, aResult, answered, ask, claim, movement, openNew } from './support/transfers';

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

/** As if the last ones had been asked for long ago. */
const forget = () => db.sql(`update giro.statistics set taken_at = '-infinity'`);

test('open transfers by state, age and flag; ended ones no longer count', async () => {
  const { journal } = db;
  const [fresh, unsent, unknown, moving, odd, odder, other, ended] = [
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
    await openNew(journal),
  ];
  await ask(journal, unsent, 1, NOT_SENT);
  await claim(journal, unknown, 1, 'create');
  await ask(journal, moving, 1, answered('IN_PROGRESS'));
  await ask(journal, odd, 1, answered('EN_TRAMITE_11'));
  await ask(journal, odder, 1, answered('EN_TRAMITE_12'));
  // A movement that is not taken for ours has no status to show.
  await ask(journal, other, 1, UNKNOWN);
  await ask(journal, other, 2, movement('CREATED', { echo: 'mismatch', echoFields: ['amount'] }));
  await journal.recordFlags(odd, ['STATUS_UNKNOWN', 'OPEN_TOO_LONG']);
  await journal.recordFlags(moving, ['OPEN_TOO_LONG']);
  await journal.recordFlags(moving, []);
  await ask(journal, ended, 1, answered('COMPLETED'));
  await journal.recordResult(aResult(ended, 'COMPLETED'));
  await journal.setSending({ stopped: true, operator: 'ana', reason: 'a test' });
  await db.sql(
    `update giro.open_transfer set opened_at = opened_at - interval '2 hours' where origin_id in ($1, $2)`,
    [fresh, odder],
  );

  const statistics = await journal.statistics();
  expect(statistics).toEqual({
    takenAtS: expect.any(Number),
    // A create without an answer may have reached the bank.
    open: { sending: 2, 'looking-up': 1, polling: 1, IN_PROGRESS: 1, other: 2 },
    olderThanS: { 60: 2, 900: 2, 3600: 2, 86400: 0, 604800: 0 },
    flagged: { STATUS_UNKNOWN: 1, OPEN_TOO_LONG: 1 },
    openVerifications: 0,
    flaggedVerifications: 0,
    openIncidents: 0,
    openBreaks: {},
    reconciledAtS: {},
    sendingStopped: true,
  });
  expect(Math.abs(statistics.takenAtS - Date.now() / 1_000)).toBeLessThan(60);
});

test('a transfer that is held before its first send is counted apart, once, whatever its flags', async () => {
  const { journal } = db;
  await openNew(journal);
  const [held, heldAfterSend] = [await openNew(journal), await openNew(journal)];
  await journal.recordFlags(held, ['JOURNAL_CONFLICT', 'ORDER_TAMPERED']);
  await claim(journal, heldAfterSend, 1, 'create');
  await journal.recordFlags(heldAfterSend, ['JOURNAL_CONFLICT']);
  expect(await journal.statistics()).toMatchObject({
    open: { sending: 1, held: 1, 'looking-up': 1 },
    flagged: { JOURNAL_CONFLICT: 2, ORDER_TAMPERED: 1 },
  });
});

test('verifications that are tracked, and those of them that need attention', async () => {
  const { journal } = db;
  await journal.openVerification('a-1');
  await journal.openVerification('a-2');
  await journal.recordVerificationFlags('a-2', ['STATUS_UNKNOWN']);
  await journal.openVerification('a-3');
  await journal.stopVerification('a-3');
  expect(await journal.statistics()).toMatchObject({ openVerifications: 2, flaggedVerifications: 1 });
});

test('the latest reconciliation of each outcome: a PARTIAL one does not make up for a whole one', async () => {
  for (const [asOf, outcome] of [
    ['2026-05-10', 'CLEAN'],
    ['2026-05-11', 'BREAKS'],
    ['2026-05-12', 'BREAKS'],
    ['2026-05-13', 'PARTIAL'],
  ] as const) {
    await db.sql(
      `insert into giro.reconciliation (as_of, from_at, to_at, is_default_window) values ($1, $1, $1, true)`,
      [asOf],
    );
    await db.sql(`insert into giro.reconciliation_end (as_of, report) values ($1, $2)`, [
      asOf,
      JSON.stringify({ outcome }),
    ]);
  }
  const atS = (day: string): number => Date.parse(day) / 1_000;
  expect((await db.journal.statistics()).reconciledAtS).toEqual({
    CLEAN: atS('2026-05-10'),
    BREAKS: atS('2026-05-12'),
    PARTIAL: atS('2026-05-13'),
  });
});

test('a reconciliation of a chosen window is no whole one', async () => {
  await db.sql(`insert into giro.reconciliation (as_of, from_at, to_at, is_default_window)
    values ('2026-05-14', '2026-05-14', '2026-05-14', false)`);
  await db.sql(
    `insert into giro.reconciliation_end (as_of, report) values ('2026-05-14', '{"outcome": "CLEAN"}')`,
  );
  expect((await db.journal.statistics()).reconciledAtS).toEqual({});
});

test('worked out once for all who ask at the same time, and again when they are old', async () => {
  const { journal } = db;
  const first = await journal.statistics();
  await openNew(journal);
  // They stay young for nine seconds.
  await db.sql(`update giro.statistics set taken_at = clock_timestamp() + interval '4 s'`);
  const { rows } = await db.sql(`select extract(epoch from taken_at)::float8 as at from giro.statistics`);
  const kept = { ...first, takenAtS: rows[0]?.['at'] };
  const again = await Promise.all([journal.statistics(), journal.statistics(), journal.statistics()]);
  expect(again).toEqual([kept, kept, kept]);
  await forget();
  expect((await journal.statistics()).open).toEqual({ sending: 1 });
});

test('worked out again when the clock was set back after them', async () => {
  const { journal } = db;
  const first = await journal.statistics();
  await openNew(journal);
  await db.sql(`update giro.statistics set taken_at = taken_at + interval '1 hour'`);
  const { open, takenAtS } = await journal.statistics();
  expect(open).toEqual({ sending: 1 });
  expect(takenAtS - first.takenAtS).toBeLessThan(600);
});

test('who asks while another works them out gets those before', async () => {
  const { journal } = db;
  const before = await journal.statistics();
  await openNew(journal);
  await db.sql(`update giro.statistics set taken_at = taken_at - interval '1 hour'`);
  const other = await db.connect();
  await other.query('begin');
  await other.query('select from giro.statistics for update');
  expect(await journal.statistics()).toEqual({ ...before, takenAtS: before.takenAtS - 3_600 });
  await other.query('rollback');
});
