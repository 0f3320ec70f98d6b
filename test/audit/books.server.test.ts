import type { TestJournal } from '../journal/support/open-test-journal';
import { openTestJournal } from '../journal/support/open-test-journal';
import { copyJournal } from '../journal/support/copy-journal';
import { recordReport } from '../journal/support/report-runs';
import {
  accept,
  answered,
  aResult,
  ask,
  claim,
  movement,
  NOT_SENT,
  openNew,
  REFUSED,
  UNKNOWN,
} from '../journal/support/transfers';
import { verifyBooks } from '../../src/audit/verify-books';
import type { AuditReport } from '../../src/audit/verify-books';
import { ourBank } from '../../src/bank/our-bank';
import { JournalUnavailable } from '../../src/journal/errors';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';

/** Every way to end, and one that is open. */
const ids = { completed: 0, failed: 0, decided: 0, refused: 0, withdrawn: 0, open: 0 };
let books: TestJournal;
/** Heads that were kept elsewhere: of the first report and of the second. */
const heads: string[] = [];

beforeAll(async () => {
  books = await openTestJournal();
  const { journal } = books;
  ids.completed = await openNew(journal);
  await ask(journal, ids.completed, 1, answered('CREATED'));
  await ask(journal, ids.completed, 2, movement('COMPLETED'));
  await journal.recordResult(aResult(ids.completed, 'COMPLETED'));
  ids.failed = await openNew(journal);
  await ask(journal, ids.failed, 1, answered('FAILED'));
  await journal.recordAnnulment({
    ...{ result: aResult(ids.failed, 'FAILED'), evidenceNumber: 1, operators: [] },
  });
  heads.push((await recordReport(journal)).sha256);

  ids.decided = await openNew(journal);
  await ask(journal, ids.decided, 1, UNKNOWN);
  await ask(journal, ids.decided, 2, movement('FAILED', { echo: 'mismatch' }));
  await journal.recordFlags(ids.decided, ['ECHO_MISMATCH']);
  await accept(journal, ids.decided, 'accept-failed', ['ECHO_MISMATCH']);
  await journal.recordAnnulment({
    result: aResult(ids.decided, 'FAILED', { decidedBy: 'operators', reason: 'bank letter 17' }),
    ...{ evidenceNumber: 2, operators: ['ana', 'luis'] },
  });
  ids.refused = await openNew(journal);
  await ask(journal, ids.refused, 1, REFUSED);
  for (let number = 2; number <= 13; number += 1)
    await ask(journal, ids.refused, number, { kind: 'not-found' });
  await journal.recordResult(aResult(ids.refused, 'REFUSED', { reason: 'HTTP 422 E17' }));
  ids.withdrawn = await openNew(journal);
  await ask(journal, ids.withdrawn, 1, NOT_SENT);
  await claim(journal, ids.withdrawn, 2, 'withdrawal');
  await journal.recordResult(aResult(ids.withdrawn, 'WITHDRAWN'));
  heads.push((await recordReport(journal)).sha256);

  ids.open = await openNew(journal);
  await ask(journal, ids.open, 1, answered('IN_PROGRESS'));
});
afterAll(() => books.close());

const verify = (
  { journal }: TestJournal,
  more: { expect?: string; from?: string } = {},
): Promise<AuditReport> =>
  verifyBooks({
    ...{ journal, from: more.from ?? null, expect: more.expect ?? null },
    means: {
      createBody: ourBank.movements.createBody,
      ...{ orderSigners: null, decisionSigners: null, signedSinceMs: null },
    },
  });

const RECORDS = ['transfer', 'request', 'answer', 'flags', 'decision', 'result', 'annulment'];
const EVERY = [...RECORDS, 'reconciliation_end', 'report_link'];

/** A copy of the books whose owner has dropped the guards. */
async function ownersCopy(): Promise<TestJournal> {
  const copy = await copyJournal(books);
  for (const table of EVERY) await copy.sql(`drop trigger append_only on giro.${table}`);
  await copy.sql('drop trigger kept on giro.answer');
  // Foreign keys and guards too.
  await copy.sql('set session_replication_role = replica');
  return copy;
}

/** The audit after a change by the owner. */
async function after(change: (copy: TestJournal) => Promise<unknown>, expect?: string): Promise<AuditReport> {
  const copy = await ownersCopy();
  try {
    await change(copy);
    return await verify(copy, expect === undefined ? {} : { expect });
  } finally {
    await copy.close();
  }
}

test('few transfers are counted, many are estimated', async () => {
  const db = await openTestJournal();
  try {
    const first = await openNew(db.journal);
    const tell = (estimate: number) =>
      db.sql(`update pg_class set reltuples = ${estimate} where oid = 'giro.transfer'::regclass`);
    await tell(2_500_000);
    expect(await db.journal.countTransfers()).toEqual({ count: 1, isEstimate: false });
    await db.sql('alter table giro.transfer disable trigger user');
    await db.sql(
      `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
       select g, order_sha256, order_json, create_body_sha256
       from giro.transfer, generate_series($1::bigint + 1, $1::bigint + 100000) g`,
      [first],
    );
    await tell(2_500_000);
    expect(await db.journal.countTransfers()).toEqual({ count: 2_500_000, isEstimate: true });
    // Never analyzed.
    await tell(-1);
    expect(await db.journal.countTransfers()).toEqual({ count: 100_001, isEstimate: true });
  } finally {
    await db.close();
  }
});

test('books that nobody touched are in order, and both heads are links of the chain', async () => {
  expect(await verify(books)).toMatchObject({
    ...{ outcome: 'OK', from: null, transfers: 6, notJudged: 0, links: 2, differences: 0, byRule: {} },
    ...{ first: null, expected: null, head: { sequence: 2, sha256: heads[1] } },
  });
  expect(await verify(books, { expect: heads[0]! })).toMatchObject({
    outcome: 'OK',
    expected: { sequence: 1 },
  });
  expect(await verify(books, { expect: heads[1]! })).toMatchObject({
    outcome: 'OK',
    expected: { sequence: 2 },
  });
});

test('pages that take longer than a statement may are made smaller, down to single transfers', async () => {
  const whole = await verify(books);
  const limits: number[] = [];
  const slow = (fits: number): TestJournal => ({
    ...books,
    journal: {
      ...books.journal,
      auditedTransfers: async (page) => {
        limits.push(page.limit);
        if (page.limit > fits) throw new JournalUnavailable('canceling statement', true);
        return books.journal.auditedTransfers(page);
      },
    },
  });
  expect(await verify(slow(2))).toEqual(whole);
  expect(limits).toEqual([500, 250, 125, 63, 32, 16, 8, 4, 2, 2, 2, 2]);
  await expect(verify(slow(0))).rejects.toThrow(JournalUnavailable);
});

test('a copy of the books is as good as they are: a dump and a restore change nothing', async () => {
  expect(await after(() => Promise.resolve(), heads[1])).toMatchObject({
    outcome: 'OK',
    expected: { sequence: 2 },
  });
});

test('an expected head that no link has is a difference', async () => {
  expect(await verify(books, { expect: 'ab'.repeat(32) })).toMatchObject({
    ...{ outcome: 'DIFFERS', differences: 1, expected: null },
    first: { rule: 'head-expected', table: 'report_link', kept: heads[1], expected: 'ab'.repeat(32) },
  });
});

const setResult = (path: string, value: string) => (originId: number) => (copy: TestJournal) =>
  copy.sql(`update giro.result set result = jsonb_set(result, $2, $3) where origin_id = $1`, [
    originId,
    path,
    JSON.stringify(value),
  ]);
const setOf = (table: string, assignment: string, originId: () => number) => (copy: TestJournal) =>
  copy.sql(`update giro.${table} set ${assignment} where origin_id = $1`, [originId()]);

/** The change, the rule that finds it, the table, the transfer. */
const CHANGES: readonly [
  string,
  (copy: TestJournal) => Promise<unknown>,
  {
    readonly rule: string;
    readonly table: string;
    readonly of: keyof typeof ids | null;
    readonly isChained: boolean;
  },
][] = [
  [
    'the amount of a result',
    (copy) => setResult('{amount,value}', '9.00')(ids.completed)(copy),
    { rule: 'result-of-order', table: 'result', of: 'completed', isChained: true },
  ],
  [
    'the end of a transfer',
    (copy) => setResult('{status}', 'REFUSED')(ids.completed)(copy),
    { rule: 'result-evidence', table: 'result', of: 'completed', isChained: true },
  ],
  [
    'a network id of a result',
    (copy) => setResult('{networkId}', 'X')(ids.completed)(copy),
    { rule: 'result-by-answers', table: 'result', of: 'completed', isChained: true },
  ],
  [
    'the movement of a FAILED, with its annulment',
    async (copy) => {
      await setResult('{movementId}', '99')(ids.failed)(copy);
      await setOf('annulment', `movement_id = '99'`, () => ids.failed)(copy);
    },
    { rule: 'result-by-answers', table: 'result', of: 'failed', isChained: true },
  ],
  [
    'the movement that operators ended',
    async (copy) => {
      await setResult('{movementId}', '99')(ids.decided)(copy);
      await setOf('annulment', `movement_id = '99'`, () => ids.decided)(copy);
    },
    { rule: 'result-by-answers', table: 'result', of: 'decided', isChained: true },
  ],
  [
    'a look-up that found nothing, of the twelve of a REFUSED',
    (copy) =>
      copy.sql(
        `update giro.answer set kind = 'no-answer', details = '{"error": {"code": "TIMEOUT"}}'
         where origin_id = $1 and number = 7`,
        [ids.refused],
      ),
    { rule: 'result-by-answers', table: 'result', of: 'refused', isChained: false },
  ],
  [
    'a result that was added',
    (copy) =>
      copy.sql(
        `insert into giro.result (origin_id, opened_at, result)
         select $1::bigint, t.opened_at, e.result || jsonb_build_object('originId', $1::bigint, 'orderSha256', t.order_sha256)
         from giro.result e, giro.transfer t where e.origin_id = $2 and t.origin_id = $1`,
        [ids.open, ids.completed],
      ),
    { rule: 'result-evidence', table: 'result', of: 'open', isChained: false },
  ],
  [
    'the amount of an order',
    setOf('transfer', `order_json = jsonb_set(order_json, '{body,amount}', '"9.00"')`, () => ids.open),
    { rule: 'order-fingerprint', table: 'transfer', of: 'open', isChained: false },
  ],
  [
    'the account of an order with its fingerprint',
    async (copy) => {
      await setOf('transfer', `order_sha256 = repeat('a', 64)`, () => ids.completed)(copy);
      await setResult('{orderSha256}', 'a'.repeat(64))(ids.completed)(copy);
    },
    { rule: 'order-fingerprint', table: 'transfer', of: 'completed', isChained: true },
  ],
  [
    'the body of a create',
    setOf('transfer', `create_body_sha256 = repeat('a', 64)`, () => ids.open),
    { rule: 'order-body', table: 'transfer', of: 'open', isChained: false },
  ],
  [
    'the amount of an annulment',
    setOf('annulment', 'amount = 9', () => ids.failed),
    { rule: 'annulment-of-result', table: 'annulment', of: 'failed', isChained: true },
  ],
  [
    'the evidence of an annulment',
    setOf('annulment', `evidence_sha256 = repeat('0', 64)`, () => ids.failed),
    { rule: 'annulment-evidence', table: 'annulment', of: 'failed', isChained: true },
  ],
  [
    'an annulment, deleted',
    (copy) => copy.sql('delete from giro.annulment where origin_id = $1', [ids.failed]),
    { rule: 'annulment-of-result', table: 'annulment', of: 'failed', isChained: true },
  ],
  [
    'what the bank answered',
    setOf('answer', `bank_status = 'IN_PROGRESS'`, () => ids.failed),
    { rule: 'result-evidence', table: 'result', of: 'failed', isChained: false },
  ],
  [
    'an answer for a request that is not there',
    (copy) => copy.sql('delete from giro.request where origin_id = $1 and number = 1', [ids.completed]),
    { rule: 'requests-in-order', table: 'request', of: 'completed', isChained: false },
  ],
  [
    'who decided: one operator for two',
    setOf('decision', `operator = 'ana', operators = '{ana,ana}'`, () => ids.decided),
    { rule: 'decision-by-two', table: 'decision', of: 'decided', isChained: true },
  ],
  [
    'the reason of a decision',
    setOf('decision', `reason = 'x'`, () => ids.decided),
    { rule: 'result-by-answers', table: 'result', of: 'decided', isChained: true },
  ],
  [
    'a decision, deleted',
    (copy) =>
      copy.sql(`delete from giro.decision where origin_id = $1 and outcome = 'proposed'`, [ids.decided]),
    { rule: 'decisions-in-order', table: 'decision', of: 'decided', isChained: true },
  ],
  [
    'an end whose acceptance operators had taken back by a resume',
    async (copy) => {
      await copy.sql(
        `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason)
         values ($1, 3, 'later', 'resumed', 'resume', 'ana', '{ana}', 'look again')`,
        [ids.decided],
      );
      await setOf('result', `record_id = nextval('giro.record_id')`, () => ids.decided)(copy);
    },
    { rule: 'result-evidence', table: 'result', of: 'decided', isChained: true },
  ],
  [
    'the time of a result',
    setOf('result', `recorded_at = recorded_at - interval '1 day'`, () => ids.refused),
    { rule: 'chain-hash', table: 'report_link', of: null, isChained: true },
  ],
  [
    'a transfer, deleted, and what belongs to it forgotten',
    (copy) => copy.sql('delete from giro.transfer where origin_id = $1', [ids.open]),
    { rule: 'transfer-deleted', table: 'answer', of: 'open', isChained: false },
  ],
  [
    'a result of another shape',
    setOf(
      'result',
      `result = jsonb_build_object('originId', origin_id, 'status', 'COMPLETED')`,
      () => ids.completed,
    ),
    { rule: 'result-of-order', table: 'result', of: 'completed', isChained: true },
  ],
  [
    'a result, with a number that no link can cover',
    async (copy) => {
      await copy.sql('alter table giro.result drop constraint result_numbers_check');
      await setOf('result', `result = result || '{"more": 1e400}'`, () => ids.completed)(copy);
    },
    { rule: 'chain-hash', table: 'report_link', of: null, isChained: true },
  ],
  [
    'a link, deleted',
    (copy) => copy.sql('delete from giro.report_link where sequence = 1'),
    { rule: 'chain-in-order', table: 'report_link', of: null, isChained: true },
  ],
  [
    'the newest link, deleted',
    (copy) => copy.sql('delete from giro.report_link where sequence = 2'),
    { rule: 'link-missing', table: 'report_link', of: null, isChained: true },
  ],
  [
    'the cursor of a link',
    (copy) =>
      copy.sql(`update giro.report_link set cursor = split_part(cursor, '-', 1) || '-' || split_part(cursor, '-', 2)
        || '-0123456789abcdef' where sequence = 2`),
    { rule: 'chain-cursor', table: 'report_link', of: null, isChained: true },
  ],
];

test.each(CHANGES)(
  'the owner changes %s, which is found',
  async (_, change, { rule, table, of, isChained }) => {
    const report = await after(change);
    expect(report.outcome).toBe('DIFFERS');
    expect(report.first).toMatchObject({ rule, table, originId: of === null ? null : ids[of] });
    expect(Object.keys(report.byRule).some((one) => /^(chain|link)-/.test(one))).toBe(isChained);
  },
);

const deleteWhole = async (copy: TestJournal, originId: number): Promise<void> => {
  for (const table of RECORDS.toReversed()) {
    await copy.sql(`delete from giro.${table} where origin_id = $1`, [originId]);
  }
  await copy.sql('delete from giro.open_transfer where origin_id = $1', [originId]);
};

test('an ended transfer is deleted without a trace: the link names where', async () => {
  const report = await after((copy) => deleteWhole(copy, ids.completed));
  expect(report).toMatchObject({ outcome: 'DIFFERS', differences: 1, transfers: 5 });
  expect(report.first).toMatchObject({
    rule: 'chain-hash',
    record: expect.stringMatching(/^link 1, /) as string,
  });
  expect(report.first?.kept).toMatch(/ of 3 records$/);
  expect(report.first?.expected).toMatch(/ of 2 records$/);
});

test('an open one that is deleted with all its rows is not found here (docs/signatures.md)', async () => {
  expect(await after((copy) => deleteWhole(copy, ids.open), heads[1])).toMatchObject({ outcome: 'OK' });
});

test('an answer that no end rests on, deleted, is not found (docs/signatures.md); nor is the last request', async () => {
  const first = 'delete from giro.answer where origin_id = $1 and number = 1';
  expect(await after((copy) => copy.sql(first, [ids.completed]), heads[1])).toMatchObject({ outcome: 'OK' });
  const last = async (copy: TestJournal): Promise<void> => {
    for (const table of ['answer', 'request'])
      await copy.sql(`delete from giro.${table} where origin_id = $1 and number = 1`, [ids.open]);
  };
  expect(await after(last, heads[1])).toMatchObject({ outcome: 'OK' });
});

/** Every hash that follows from another one, as its owner can write it with the program at hand. */
async function rewriteChain(copy: TestJournal): Promise<void> {
  let before = { sha256: '0'.repeat(64), cursor: null as string | null };
  for (const link of await copy.journal.chainLinks({ after: 0, limit: 100 })) {
    const { sha256, records } = await copy.journal.recomputedLink({
      ...{ previousSha256: before.sha256, before: before.cursor, cursor: link.cursor },
    });
    await copy.sql(
      'update giro.report_link set previous_sha256 = $2, sha256 = $3, records = $4 where sequence = $1',
      [link.sequence, before.sha256, sha256, records],
    );
    before = { sha256, cursor: link.cursor };
  }
}

test('the owner deletes a transfer and rewrites the whole chain: by the head that was kept elsewhere alone', async () => {
  const rewrite = async (copy: TestJournal): Promise<void> => {
    await deleteWhole(copy, ids.completed);
    await rewriteChain(copy);
  };
  expect(await after(rewrite)).toMatchObject({ outcome: 'OK', transfers: 5, links: 2 });
  for (const expect_ of heads) {
    const report = await after(rewrite, expect_);
    expect(report).toMatchObject({ outcome: 'DIFFERS', differences: 1, byRule: { 'head-expected': 1 } });
  }
});

test.each([0, -1])('the same, with the kept head planted as link %i', async (sequence) => {
  const report = await after(async (copy) => {
    await deleteWhole(copy, ids.completed);
    await rewriteChain(copy);
    await copy.sql('alter table giro.report_link drop constraint if exists report_link_sequence_check');
    await copy.sql(
      `insert into giro.report_link (sequence, as_of, cursor, records, previous_sha256, sha256)
       values ($1, '2020-01-01T00:00:00Z', null, 0, $2, $3)`,
      [sequence, '0'.repeat(64), heads[1]],
    );
  }, heads[1]);
  expect(report).toMatchObject({
    ...{ outcome: 'DIFFERS', expected: null, links: 2 },
    byRule: { 'chain-in-order': 1, 'head-expected': 1 },
  });
});

test.each(['result', 'annulment', 'decision'])(
  'a record of %s with a number that no link covers, in a chain that was rewritten',
  async (table) => {
    const report = await after(async (copy) => {
      await copy.sql(
        `update giro.${table} set record_id = 0 where record_id = (
           select max(record_id) from giro.${table} where origin_id = $1)`,
        [ids.decided],
      );
      await rewriteChain(copy);
    });
    expect(report).toMatchObject({
      ...{ outcome: 'DIFFERS', byRule: { 'record-number': 1 } },
      first:
        table === 'result'
          ? // Written before every decision and answer.
            { rule: 'result-evidence', originId: ids.decided }
          : { rule: 'record-number', table, originId: ids.decided, kept: '0' },
    });
  },
);

test('all links are deleted: no report has its link', async () => {
  const report = await after((copy) => copy.sql('delete from giro.report_link'));
  expect(report).toMatchObject({ outcome: 'DIFFERS', links: 0, byRule: { 'link-missing': 2 } });
});

test('the same with an amount, in the order, its fingerprints, its result and every link', async () => {
  const rewrite = async (copy: TestJournal): Promise<void> => {
    const [page] = await copy.journal.auditedTransfers({ after: ids.completed - 1, limit: 1, from: null });
    const order = page?.transfer?.order;
    if (order?.kind !== 'open') throw new Error('the order cannot be read');
    const other = { ...order.order, body: { ...order.order.body, amount: '9.00' } };
    const fingerprint = orderFingerprint(other);
    const bodySha256 = bodyFingerprint(ourBank.movements.createBody(other));
    await copy.sql(
      'update giro.transfer set order_json = $2, order_sha256 = $3, create_body_sha256 = $4 where origin_id = $1',
      [ids.completed, JSON.stringify(other), fingerprint, bodySha256],
    );
    await setResult('{orderSha256}', fingerprint)(ids.completed)(copy);
    await setResult('{amount,value}', '9.00')(ids.completed)(copy);
    await rewriteChain(copy);
  };
  expect(await after(rewrite)).toMatchObject({ outcome: 'OK', transfers: 6, links: 2 });
  expect(await after(rewrite, heads[0])).toMatchObject({ byRule: { 'head-expected': 1 } });
});

test('--from: what ended before is skipped, and its link is trusted', async () => {
  const copy = await ownersCopy();
  try {
    const { rows } = await copy.sql('select recorded_at from giro.report_link order by sequence');
    const from = new Date(Number(rows[0]?.['recorded_at']) + 1).toISOString();
    await setResult('{networkId}', 'X')(ids.completed)(copy);
    expect(await verify(copy, { from })).toMatchObject({ outcome: 'OK', from, links: 1 });
    expect(await verify(copy, { from, expect: heads[1]! })).toMatchObject({ expected: { sequence: 2 } });
    expect(await verify(copy, { from, expect: heads[0]! })).toMatchObject({
      ...{ outcome: 'DIFFERS', expected: null },
      first: { rule: 'head-expected', record: `links recorded since ${from}` },
    });
    expect((await verify(copy, { from })).transfers).toBeLessThanOrEqual(4);
    expect(await verify(copy)).toMatchObject({ outcome: 'DIFFERS' });
  } finally {
    await copy.close();
  }
});
