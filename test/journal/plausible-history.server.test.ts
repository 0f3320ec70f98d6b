import { Client } from 'pg';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { recordReport } from './support/report-runs';
import { answered, aResult, ask, openNew } from './support/transfers';

/** What a stolen login of a worker would write so that it looks like history. */
let db: TestJournal;
let runtime: Client;
beforeAll(async () => {
  db = await openTestJournal();
  runtime = new Client({ connectionString: db.url, options: '-c role=giro_runtime' });
  await runtime.connect();
});
afterAll(async () => {
  await runtime.end();
  await db.close();
});

const NO_GRANT = { code: '42501' };
const GUARDED = { code: 'GR002' };

test.each([
  `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
   values (1, repeat('a', 64), '{}', repeat('b', 64), '2020-01-01')`,
  `insert into giro.request (origin_id, number, kind, run_id, claimed_at) values (1, 1, 'lookup', 'r', '2020-01-01')`,
  `insert into giro.answer (origin_id, number, digest, kind, record_id) values (1, 1, 'd', 'not-found', 5)`,
  `insert into giro.result (origin_id, result, recorded_at) values (1, '{}', '2020-01-01')`,
  `insert into giro.suspected_debit (delivery_key, origin_ids, movement_ids, network_ids, received_at)
   values ('d', '{1}', '{}', '{}', '2020-01-01')`,
  `insert into giro.orphan_debit (delivery_key, origin_ids, movement_ids, network_ids) values ('d', '{1}', '{}', '{}')`,
  `update giro.statistics set taken_at = 'infinity'`,
])('no date and no record number of its choice: %s', async (insert) => {
  await expect(runtime.query(insert)).rejects.toMatchObject(NO_GRANT);
});

test('no time to come, which would hide an open verification from recovery', async () => {
  await db.journal.openVerification('a-1');
  const { rows } = await runtime.query(
    `update giro.open_verification set checked_at = 'infinity' where request_id = 'a-1'
     returning checked_at <= clock_timestamp() as is_now`,
  );
  expect(rows).toEqual([{ is_now: true }]);
});

test.each(['-1', '9007199254740992'])(
  'no place that no originId has, which would stop every recovery: %s',
  async (place) => {
    await expect(runtime.query(`update giro.recovery_place set origin_id = ${place}`)).rejects.toMatchObject({
      code: '23514',
    });
    const page = { after: null, began: null, limit: 1 };
    expect(await db.journal.leastRecentlyCheckedTransfers(page)).toMatchObject({ began: '0' });
  },
);

test.each(['infinity', '-infinity', '0001-12-31 BC', '10000-01-01'])(
  'no reconciliation of a time that no text can name, which would stop every audit: %s',
  async (time) => {
    for (const times of [`'${time}', now(), now()`, `'2020-01-01', '${time}', '${time}'`])
      await expect(
        runtime.query(
          `insert into giro.reconciliation (as_of, from_at, to_at, is_default_window) values (${times}, false)`,
        ),
      ).rejects.toMatchObject({ code: '23514' });
  },
);

test('no number in a result that JSON readers cannot hold, which would stop the chain of reports', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('COMPLETED'));
  const record = (more: string) =>
    runtime.query('insert into giro.result (origin_id, result) values ($1, $2::jsonb || $3::jsonb)', [
      ...[originId, JSON.stringify(aResult(originId, 'COMPLETED')), more],
    ]);
  for (const more of ['{"more": 1e400}', '{"more": {"deep": [-1e400]}}'])
    await expect(record(more)).rejects.toMatchObject({ code: '23514' });
  await record('{"more": [1.5, -7]}');
  await recordReport(db.journal);
});

test('no future time, which would keep false statistics', async () => {
  const { rows } = await runtime.query(
    `update giro.statistics set counts = '{}' returning taken_at <= clock_timestamp() as is_now`,
  );
  expect(rows).toEqual([{ is_now: true }]);
});

test('a debit that nobody ordered is as old as its notification, and gets into the books once it was held', async () => {
  await db.sql(
    `insert into giro.notification (delivery_key, body, received_at) values ('told', 'x', '2026-01-05')`,
  );
  const hold = (key: string) =>
    runtime.query(
      `insert into giro.suspected_debit (delivery_key, origin_ids, movement_ids, network_ids)
       values ('${key}', '{}', '{}', '{N1}') returning received_at::date::text as day, received_at > now() as is_now`,
    );
  for (const key of ['told', 'told 2']) expect((await hold(key)).rows).toMatchObject([{ day: '2026-01-05' }]);
  expect((await hold('made up')).rows).toMatchObject([{ is_now: true }]);
  const confirm = async (key: string): Promise<unknown[]> =>
    (
      await runtime.query<{ is_new: boolean }>(
        `select is_new from giro.confirm_debit('${key}', '{}', '{}', '{N1}')`,
      )
    ).rows;
  expect([await confirm('told'), await confirm('told'), await confirm('never held')]).toEqual([
    [{ is_new: true }],
    [],
    [],
  ]);
  const { rows } = await db.sql('select delivery_key, received_at::date::text as day from giro.orphan_debit');
  expect(rows).toEqual([{ delivery_key: 'told', day: '2026-01-05' }]);
});

test('the sequence of originIds cannot be used up by one call', async () => {
  await expect(runtime.query('select giro.advance_origin_id(9007199254740991)')).rejects.toMatchObject(
    NO_GRANT,
  );
});

const RESULT = {
  ...{ status: 'FAILED', movementId: '880011', network: 'COELSA', networkId: 'L4K7EGO5D3Z2J1V9QWERTY' },
  ...{ amount: { currency: '032', value: '1500.25' }, decidedBy: 'bank', reason: null },
};

/** As `recordAnnulment` writes it, with other values. */
async function annul(originId: number, other: Readonly<Record<string, string | null>> = {}): Promise<void> {
  const { rows } = await db.sql('select order_sha256 from giro.transfer where origin_id = $1', [originId]);
  const result = { ...RESULT, originId, orderSha256: rows[0]?.['order_sha256'] };
  const row = {
    ...{ movement_id: RESULT.movementId, network: RESULT.network, network_id: RESULT.networkId },
    ...{
      amount: '1500.25',
      currency: '032',
      evidence_number: '1',
      bank_status: 'FAILED',
      decided_by: 'bank',
    },
    ...{ bank_posting_at: '2026-01-05T10:00:00Z', bank_completed_at: '2026-01-05T10:00:09Z' },
    ...{ evidence_sha256: 'ab'.repeat(32), operators: '{}', reason: null },
    ...other,
  };
  const columns = Object.keys(row);
  await runtime.query(
    `with annulled as (
       insert into giro.annulment (origin_id, ${columns.join()})
       select $1, ${columns.join()} from jsonb_populate_record(null::giro.annulment, $2) returning id
     )
     insert into giro.result (origin_id, result)
     select $1, $3::jsonb || jsonb_build_object('annulmentId', id) from annulled`,
    [originId, JSON.stringify({ ...row, operators: [] }), JSON.stringify(result)],
  );
}

async function failed(): Promise<number> {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('FAILED'));
  return originId;
}

test.each([
  { amount: '0.25' },
  { currency: '840' },
  { movement_id: '1' },
  { network: 'OTHER' },
  { network_id: null },
  { reason: 'x' },
  { bank_status: 'COMPLETED' },
  { evidence_sha256: 'cd'.repeat(32) },
  { bank_completed_at: '2020-01-05T10:00:09Z' },
])('an annulment says what its result and its evidence say: not %j', async (other) => {
  await expect(annul(await failed(), other)).rejects.toMatchObject(GUARDED);
});

test('an annulment that agrees is taken', async () => {
  await annul(await failed());
});

const BREAK = {
  key: 'LATE/1',
  class: 'LATE',
  originId: null,
  state: 'open',
  severity: 'low',
  book: 'journal',
  firstSeen: '2026-01-05T00:00:00Z',
};
const insertBreak = (it: object): [string, string[]] => [
  `insert into giro.break (key, version, break) select $1::jsonb ->> 'key', 1, $1::jsonb`,
  [JSON.stringify(it)],
];

test('no break is there without the record that opened it', async () => {
  await expect(runtime.query(...insertBreak(BREAK))).rejects.toMatchObject(GUARDED);
});

describe('a break changes with its change record alone', () => {
  beforeAll(async () => {
    await db.sql(`insert into giro.reconciliation (as_of, from_at, to_at, is_default_window)
      values ('2026-01-05', '2026-01-04', '2026-01-05', false)`);
    await runtime.query('begin');
    await runtime.query(...insertBreak(BREAK));
    await runtime.query(
      `insert into giro.break_change (key, version, kind, state, severity, as_of)
       values ($1, 1, 'opened', 'open', 'low', '2026-01-05')`,
      [BREAK.key],
    );
    await runtime.query('commit');
  });

  const resolve = `update giro.break set version = 2, break = break || '{"state": "resolved"}' where key = 'LATE/1'`;
  const record = (version: number, kind: string, state: string, severity = 'low'): string =>
    `insert into giro.break_change (key, version, kind, state, severity, as_of)
     values ('LATE/1', ${version}, '${kind}', '${state}', '${severity}', '2026-01-05')`;

  const say = (change: object): string =>
    `update giro.break set version = 2, break = break || '${JSON.stringify(change)}' where key = 'LATE/1'`;

  test.each([
    ['no record', [resolve]],
    ['another transfer without a record', [say({ originId: 2 })]],
    ['a fact resolved by hand without a record', [say({ resolvedFact: 'LATE' })]],
    ['another severity that no run saw', [say({ severity: 'critical' })]],
    ['another sentence that no run saw', [say({ detail: 'all is well' })]],
    ['another amount that no run saw', [say({ amount: null })]],
    ['a later lastSeen that no run saw', [say({ lastSeen: '2026-01-06T00:00:00Z' })]],
    [
      'another sentence beside a recorded change',
      [say({ state: 'resolved', detail: 'all is well' }), record(2, 'resolved', 'resolved')],
    ],
    [
      'the record of another severity',
      [say({ state: 'resolved' }), record(2, 'resolved', 'resolved', 'high')],
    ],
    [
      'an operator whom the record does not name',
      [say({ state: 'resolved', operator: 'ana', note: 'n' }), record(2, 'resolved', 'resolved')],
    ],
    ['the record of another state', [resolve, record(2, 'changed', 'open')]],
    ['the record of another version', [resolve, record(3, 'resolved', 'resolved')]],
    ['a record without a change', [record(2, 'resolved', 'resolved')]],
  ])('%s', async (_, statements) => {
    await runtime.query('begin');
    for (const statement of statements) await runtime.query(statement);
    await expect(runtime.query('commit')).rejects.toMatchObject(GUARDED);
  });

  test('what a run saw needs no change record, and cannot be set back to what an earlier run saw', async () => {
    const seen = { ...BREAK, severity: 'medium', lastSeen: '2026-01-06T00:00:00Z' };
    const see = (version: number, as_of: string, it: object): [string, unknown[]] => [
      `with step as (
         insert into giro.reconciliation_step (as_of, step, outcome) values ($1, $2, '{}') returning as_of, step
       ), written as (update giro.break set version = $2, break = $3 where key = 'LATE/1')
       insert into giro.break_seen (as_of, key, step, break) select as_of, 'LATE/1', step, $3 from step`,
      [as_of, version, JSON.stringify(it)],
    ];
    await runtime.query(...see(2, '2026-01-05', { ...BREAK, detail: 'late' }));
    await runtime.query(...see(3, '2026-01-05', seen));
    const { rows } = await db.sql('select kind from giro.break_change where key = $1', [BREAK.key]);
    expect(rows).toEqual([{ kind: 'opened' }]);
    await expect(
      runtime.query(`update giro.break set version = 4, break = $1 where key = 'LATE/1'`, [
        JSON.stringify({ ...BREAK, detail: 'late' }),
      ]),
    ).rejects.toMatchObject(GUARDED);
  });
});

describe('a run that has ended gets no further rows, so its report stays', () => {
  beforeAll(async () => {
    await db.sql(`insert into giro.reconciliation (as_of, from_at, to_at, is_default_window)
      values ('2026-02-05', '2026-02-04', '2026-02-05', false)`);
    await db.sql(
      `insert into giro.reconciliation_step (as_of, step, outcome) values ('2026-02-05', 1, '{}')`,
    );
    await db.sql(
      `insert into giro.reconciliation_end (as_of, report) values ('2026-02-05', '{"outcome": "CLEAN"}')`,
    );
  });

  test.each([
    `insert into giro.reconciliation_step (as_of, step, outcome) values ('2026-02-05', 2, '{}')`,
    `insert into giro.break_seen (as_of, key, step, break) values ('2026-02-05', 'LATE/1', 1, '{}')`,
    `insert into giro.not_asked (as_of, step, origin_id, book, reason) values ('2026-02-05', 1, 1, 'bank', 'X')`,
    `insert into giro.reconciled (as_of, origin_id, step, source, confirmed) values ('2026-02-05', 1, 1, 'asked', true)`,
  ])('%s', async (insert) => {
    await expect(runtime.query(insert)).rejects.toMatchObject({ code: 'GR001' });
  });
});

test.each([
  ['an opening that leaves the break acknowledged', `'opened', 'acknowledged', 'low', null, '2026-01-05'`],
  ['an acknowledgement that leaves the break open', `'acknowledged', 'open', 'low', 'ana', null`],
  ['an acknowledgement by a run', `'acknowledged', 'acknowledged', 'low', null, '2026-01-05'`],
  ['an opening by an operator', `'opened', 'open', 'low', 'ana', null`],
])('no line in the history of a break that no code writes: %s', async (_, values) => {
  await expect(
    db.sql(`insert into giro.break_change (key, version, kind, state, severity, operator, as_of)
      values ('LATE/1', 3, ${values})`),
  ).rejects.toMatchObject({ code: '23514' });
});

test('a statement whose import is complete gets no further lines', async () => {
  const operator = new Client({ connectionString: db.url, options: '-c role=giro_operator' });
  await operator.connect();
  try {
    const { rows } = await operator.query<{ id: string }>('select giro.begin_statement() as id');
    const id = rows[0]?.id;
    const line = (number: number): Promise<unknown> =>
      operator.query(
        `insert into giro.statement_line (statement_id, line, ordinal, direction, amount, currency, booked_at)
         values ($1, $2, 1, 'debit', 5, '032', '2026-01-05')`,
        [id, number],
      );
    await line(1);
    await operator.query(
      `insert into giro.statement_end (statement_id, sha256, summary) values ($1, repeat('a', 64), '{}')`,
      [id],
    );
    await expect(line(2)).rejects.toMatchObject(GUARDED);
  } finally {
    await operator.end();
  }
});
