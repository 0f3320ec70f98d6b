import { createHash } from 'node:crypto';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { openEmptyRun, recordReport } from './support/report-runs';
import { aDecision, answered, aResult, ask, openNew } from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

async function completed(): Promise<number> {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('COMPLETED'));
  await db.journal.recordResult(aResult(originId, 'COMPLETED'));
  return originId;
}

const newestCursor = async (): Promise<string | null> =>
  (await db.journal.events({ after: null, limit: 1_000 })).at(-1)?.cursor ?? null;

const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

test('before any event: the hash of 32 zero bytes, and no cursor', async () => {
  const link = await recordReport(db.journal);
  expect(link).toEqual({
    ...{ sequence: 1, cursor: null, records: 0, asOf: link.asOf },
    ...{ previousSha256: '0'.repeat(64), sha256: sha256(Buffer.alloc(32)) },
  });
});

test('a link covers results, annulments and decisions since the one before, each as a canonical line', async () => {
  const before = (await db.journal.chainHead())!;
  const originId = await completed();
  const failed = await openNew(db.journal);
  await db.journal.recordFlags(failed, ['VANISHED']);
  await db.journal.recordDecision(failed, aDecision('proposed', 'accept-failed', ['ana'], ['VANISHED'], 0));
  await ask(db.journal, failed, 1, answered('FAILED'));
  const { result } = await db.journal.recordAnnulment({
    ...{ result: aResult(failed, 'FAILED'), evidenceNumber: 1, operators: [] },
  });
  const link = await recordReport(db.journal);
  expect(link).toMatchObject({ sequence: 2, records: 4, cursor: await newestCursor() });
  expect(link.previousSha256).toBe(before.sha256);

  const record = async (
    table: string,
    id: number,
  ): Promise<{ readonly record: string; readonly at: string }> => {
    const { rows } = await db.sql(
      `select record_id::text as record, to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from giro.${table} where origin_id = $1`,
      [id],
    );
    return { record: String(rows[0]?.['record']), at: String(rows[0]?.['at']) };
  };
  const { rows: decisions } = await db.sql('select id from giro.decision where origin_id = $1', [failed]);
  const of = { completed: await record('result', originId), decision: await record('decision', failed) };
  const annulled = await record('annulment', failed);
  const ended = await record('result', failed);
  const { orderSha256 } = aResult(originId, 'COMPLETED');
  const lines = [
    `{"at":"${of.completed.at}","kind":"final","originId":${originId},"record":"${of.completed.record}","result":{"amount":{"currency":"032","value":"1500.25"},"decidedBy":"bank","movementId":"880011","network":"COELSA","networkId":"L4K7EGO5D3Z2J1V9QWERTY","orderSha256":"${orderSha256}","originId":${originId},"status":"COMPLETED"}}`,
    `{"action":"accept-failed","afterNumber":0,"at":"${of.decision.at}","flags":["VANISHED"],"id":"${String(decisions[0]?.['id'])}","kind":"decision","operator":"ana","operators":["ana"],"originId":${failed},"outcome":"proposed","reason":"bank letter 17","record":"${of.decision.record}","seq":1}`,
    `{"amount":"1500.25","at":"${annulled.at}","bankCompletedAt":"2026-01-05T10:00:09Z","bankPostingAt":"2026-01-05T10:00:00Z","bankStatus":"FAILED","currency":"032","decidedBy":"bank","evidenceNumber":1,"evidenceSha256":"${'ab'.repeat(32)}","id":"${String(result.annulmentId)}","kind":"annulment","movementId":"880011","network":"COELSA","networkId":"L4K7EGO5D3Z2J1V9QWERTY","operators":[],"originId":${failed},"record":"${annulled.record}"}`,
    `{"at":"${ended.at}","kind":"final","originId":${failed},"record":"${ended.record}","result":{"amount":{"currency":"032","value":"1500.25"},"annulmentId":"${String(result.annulmentId)}","decidedBy":"bank","movementId":"880011","network":"COELSA","networkId":"L4K7EGO5D3Z2J1V9QWERTY","orderSha256":"${result.orderSha256}","originId":${failed},"status":"FAILED"}}`,
  ];
  expect(link.sha256).toBe(
    sha256(Buffer.from(before.sha256, 'hex'), lines.map((line) => `${line}\n`).join('')),
  );
});

test('nothing new: the cursor stays, and there is still a new link', async () => {
  const before = await recordReport(db.journal);
  const link = await recordReport(db.journal);
  expect(link).toMatchObject({ sequence: before.sequence + 1, cursor: before.cursor, records: 0 });
  expect(link.sha256).toBe(sha256(Buffer.from(before.sha256, 'hex')));
});

test('the report and its link are recorded once, and the report shows the link', async () => {
  const report = await openEmptyRun(db.journal);
  const first = await db.journal.endRun(report.asOf, report);
  await completed();
  expect(await db.journal.endRun(report.asOf, report)).toEqual(first);
  expect(await db.journal.report(report.asOf)).toMatchObject({ asOf: report.asOf, chain: first });
  expect(await db.journal.openedRun(report.asOf)).toEqual({
    kind: 'ended',
    report: { ...report, chain: first },
  });
});

test('an event that commits late is covered by the next link: no cursor passes it', async () => {
  const session = await db.connect();
  await recordReport(db.journal);
  const [late, early] = [await openNew(db.journal), await openNew(db.journal)];
  for (const originId of [late, early]) await ask(db.journal, originId, 1, answered('COMPLETED'));
  await session.query('begin');
  await session.query('insert into giro.result (origin_id, result) values ($1, $2)', [
    late,
    aResult(late, 'COMPLETED'),
  ]);
  await db.journal.recordResult(aResult(early, 'COMPLETED'));
  const before = await recordReport(db.journal);
  expect(before.records).toBe(0);
  await session.query('commit');
  expect(await recordReport(db.journal)).toMatchObject({ records: 2, cursor: await newestCursor() });
});

test('reports that are recorded at once are links one after the other', async () => {
  const head = (await db.journal.chainHead())!;
  const reports = await Promise.all(Array.from({ length: 6 }, () => openEmptyRun(db.journal)));
  await completed();
  const links = await Promise.all(reports.map((report) => db.journal.endRun(report.asOf, report)));
  const inOrder = links.flatMap((link) => link ?? []).sort((a, b) => a.sequence - b.sequence);
  expect(inOrder.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6].map((i) => head.sequence + i));
  for (const [i, link] of inOrder.entries()) {
    expect(link.previousSha256).toBe(i === 0 ? head.sha256 : inOrder[i - 1]!.sha256);
  }
  expect(inOrder.reduce((sum, { records }) => sum + records, 0)).toBe(1);
});

test('the database refuses a link that does not follow the head', async () => {
  const head = (await db.journal.chainHead())!;
  const { asOf } = await openEmptyRun(db.journal);
  const link = (sequence: number, previous: string, cursor: string | null) =>
    db.sql(
      `with ended as (insert into giro.reconciliation_end (as_of, report) values ($1, '{"outcome": "CLEAN"}') returning as_of)
       insert into giro.report_link (sequence, as_of, cursor, records, previous_sha256, sha256)
       select $2, as_of, $4, 0, $3, $3 from ended`,
      [asOf, sequence, previous, cursor],
    );
  const lost = { code: 'GR001' };
  await expect(link(head.sequence, head.sha256, head.cursor)).rejects.toMatchObject(lost);
  await expect(link(head.sequence + 2, head.sha256, head.cursor)).rejects.toMatchObject(lost);
  await expect(link(head.sequence + 1, '0'.repeat(64), head.cursor)).rejects.toMatchObject(lost);
  await expect(link(head.sequence + 1, head.sha256, null)).rejects.toMatchObject(lost);
});

test('the database refuses a link whose cursor is ahead of the events: later links would cover no event', async () => {
  const head = (await db.journal.chainHead())!;
  const { asOf } = await openEmptyRun(db.journal);
  await expect(
    db.sql(
      `with ended as (insert into giro.reconciliation_end (as_of, report) values ($1, '{"outcome": "CLEAN"}') returning as_of)
       insert into giro.report_link (sequence, as_of, cursor, records, previous_sha256, sha256)
       select $2, as_of, 'e1-9223372036854775807-0000000000000000', 0, $3, $3 from ended`,
      [asOf, head.sequence + 1, head.sha256],
    ),
  ).rejects.toMatchObject({ code: 'GR001' });
});
