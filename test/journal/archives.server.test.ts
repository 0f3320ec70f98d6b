import { until } from '../../dev/giro-environment';
import type { Journal } from '../../src/journal/journal';
import { ANSWER_COLUMNS } from '../../src/journal/statements/record-answer';
import { insertAnswer } from './support/insert-answer';
import { completedLongAgo, endLongAgo } from './support/long-ago';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  accept,
  aDecision,
  anOpening,
  answered,
  aResult,
  ask,
  claim,
  movement,
  NOT_SENT,
  openNew,
  UNKNOWN,
} from './support/transfers';

let db: TestJournal;
beforeEach(async () => {
  db = await openTestJournal();
});
afterEach(() => db.close());

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const superseded = async (journal: Journal, span = { endedFrom: null, endedBefore: daysAgo(366) }) =>
  journal.supersededAnswers({ ...span, after: null, limit: 100 });

/** `originId/number` of each exported answer. */
const exported = async (): Promise<string[]> =>
  (await superseded(db.journal)).lines.flatMap((line) => {
    const { originId, answers } = JSON.parse(line) as { originId: number; answers: { number: number }[] };
    return answers.map(({ number }) => `${originId}/${number}`);
  });

const record = (more: Partial<Parameters<Journal['recordArchive']>[0]> = {}) =>
  db.journal.recordArchive({
    ...{ sha256: 'ab'.repeat(32), endedFrom: null, endedBefore: daysAgo(366) },
    ...{ transfers: 1, answers: 1, operator: 'ana', reason: 'old', ...more },
  });

const numbersLeft = async (originId: number): Promise<unknown[]> =>
  (await db.sql('select number from giro.answer where origin_id = $1 order by number', [originId])).rows.map(
    ({ number }) => number,
  );

test('an archive holds what the last answer repeats; only that is deleted, once, and everything else stays', async () => {
  const originId = await completedLongAgo(db);
  const before = await db.journal.transfer(originId);
  const { lines, answers } = await superseded(db.journal);
  expect(answers).toBe(2);
  expect(await exported()).toEqual([`${originId}/1`, `${originId}/2`]);
  await record();
  expect(await db.journal.deleteArchived(lines)).toEqual({ deleted: 2, kept: 0 });
  expect(await db.journal.deleteArchived(lines)).toEqual({ deleted: 0, kept: 0 });
  expect(await numbersLeft(originId)).toEqual([3]);
  expect(await exported()).toEqual([]);
  expect(await db.journal.transfer(originId)).toEqual({
    ...before,
    archiveSha256: 'ab'.repeat(32),
    attempts: [{ ...before?.attempts[0], outcome: null }],
    history: [{ status: 'COMPLETED', at: expect.any(String) as string }],
  });
  expect((await db.journal.transferByNetworkId('L4K7EGO5D3Z2J1V9QWERTY'))?.originId).toBe(originId);
});

test('each use of an archive is in the audit trail, the archive is recorded once', async () => {
  await record();
  await record({ operator: 'luis', reason: 'again' });
  expect(await db.journal.archives()).toEqual([
    expect.objectContaining({ sha256: 'ab'.repeat(32), endedFrom: null, operator: 'ana' }),
  ]);
  expect(await db.journal.auditEntries({ action: 'archive prune', limit: 10 })).toEqual([
    expect.objectContaining({ operator: 'luis', reason: 'again', subject: 'ab'.repeat(32) }),
    expect.objectContaining({ operator: 'ana', reason: 'old' }),
  ]);
});

test.each<[string, (journal: Journal, originId: number) => Promise<unknown>]>([
  ['had a flag', (journal, it) => journal.recordFlags(it, ['OPEN_TOO_LONG'])],
  ['had a decision', (journal, it) => journal.recordDecision(it, aDecision('proposed', 'resend', ['ana']))],
  [
    'had a doubt',
    (_, it) => db.sql(`insert into giro.doubt (origin_id, reason) values ($1, 'restored')`, [it]),
  ],
  [
    'had a break',
    (_, it) =>
      db.sql(
        `with b as (insert into giro.break (key, version, break) values ('k', 1,
           jsonb_build_object('key', 'k', 'originId', $1::bigint, 'class', 'X', 'state', 'acknowledged', 'book', 'bank',
           'severity', 'high', 'operator', 'ana', 'note', 'x', 'firstSeen', 'x')) returning key)
         insert into giro.break_change (key, version, kind, state, severity, operator, note)
         select key, 1, 'acknowledged', 'acknowledged', 'high', 'ana', 'x' from b`,
        [it],
      ),
  ],
])('a transfer that %s keeps all its answers', async (_, happens) => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED'));
  await ask(db.journal, originId, 2, movement('COMPLETED'));
  await happens(db.journal, originId);
  await endLongAgo(db, aResult(originId, 'COMPLETED'));
  expect(await exported()).toEqual([]);
  await record();
  await expect(db.sql('delete from giro.answer where number = 1')).rejects.toMatchObject({ code: 'GR003' });
});

test('a transfer that the bank contradicted keeps all its answers', async () => {
  const originId = await completedLongAgo(db);
  expect(await exported()).toHaveLength(2);
  const claimed = await db.journal.claimInquiry({
    ...{ originId, askedBy: 'test', asOf: null, lostAfter: null },
    ...{ gapMs: 0, delayedGapMs: 0, createMaxMs: 0, lookupMaxMs: 0 },
  });
  expect(claimed).toMatchObject({ kind: 'claimed' });
  await db.sql(
    `insert into giro.inquiry_answer (origin_id, number, answer, agrees, fact)
     select $1::bigint, 1, $2::jsonb, false, 'FINAL_FAILED'`,
    [originId, JSON.stringify(movement('FAILED'))],
  );
  expect(await exported()).toEqual([]);
});

describe('answers that say more than the last one stay', () => {
  const left = async (...answers: readonly Parameters<typeof ask>[3][]): Promise<string[]> => {
    const originId = await openNew(db.journal);
    let number = 0;
    for (const answer of answers) await ask(db.journal, originId, (number += 1), answer);
    await endLongAgo(db, aResult(originId, 'COMPLETED'));
    return (await exported()).map((one) => one.replace(`${originId}/`, ''));
  };

  test('a create that had no readable answer, and look-ups without a movement', async () => {
    expect(
      await left(UNKNOWN, { kind: 'not-found' }, movement('IN_PROGRESS'), movement('COMPLETED')),
    ).toEqual(['3']);
  });
  test('a create that did not leave', async () => {
    expect(await left(NOT_SENT, answered('CREATED'), movement('COMPLETED'))).toEqual(['2']);
  });
  test('DELAYED, which excuses a late end', async () => {
    expect(await left(answered('CREATED'), movement('DELAYED'), movement('COMPLETED'))).toEqual(['1']);
  });
  test('another network id', async () => {
    expect(await left(answered('CREATED', { networkId: 'OTHER' }), movement('COMPLETED'))).toEqual([]);
  });
  test('an incomplete echo', async () => {
    expect(await left(answered('CREATED', { echo: 'incomplete' }), movement('COMPLETED'))).toEqual([]);
  });
  test('the answer that has an id of the result which the last one lacks', async () => {
    expect(await left(answered('CREATED'), movement('COMPLETED', { networkId: null }))).toEqual([]);
  });
});

test('ends by operators, failures and refusals keep all their answers', async () => {
  const decided = await openNew(db.journal);
  await ask(db.journal, decided, 1, answered('CREATED'));
  await ask(db.journal, decided, 2, movement('IN_PROGRESS'));
  await db.journal.recordFlags(decided, ['OUTCOME_UNKNOWN']);
  await accept(db.journal, decided, 'accept-completed', ['OUTCOME_UNKNOWN']);
  await endLongAgo(db, aResult(decided, 'COMPLETED', { decidedBy: 'operators', reason: 'bank letter 17' }));
  const failed = await openNew(db.journal);
  await ask(db.journal, failed, 1, answered('CREATED'));
  await ask(db.journal, failed, 2, movement('FAILED'));
  await db.journal.recordAnnulment({
    ...{ result: aResult(failed, 'FAILED'), evidenceNumber: 2, operators: [] },
  });
  expect(await exported()).toEqual([]);
  await record();
  for (const originId of [decided, failed])
    await expect(
      db.sql('delete from giro.answer where origin_id = $1 and number = 1', [originId]),
    ).rejects.toMatchObject({ code: 'GR003' });
});

describe('requests of a transfer that ended more than a year ago take no answer', () => {
  const late = movement('FAILED');

  test('under a number that is free again; a repeat does nothing', async () => {
    const originId = await completedLongAgo(db);
    const { lines } = await superseded(db.journal);
    await record();
    await db.journal.deleteArchived(lines);
    const answer = { originId, answer: late, digest: 'd' };
    await expect(db.journal.recordAnswer({ ...answer, number: 2 })).rejects.toThrow(
      /ended more than a year ago/,
    );
    await db.journal.recordAnswer({ ...answer, number: 3 });
    expect(await numbersLeft(originId)).toEqual([3]);
  });

  test('while the answer under the number is being deleted', async () => {
    const originId = await completedLongAgo(db);
    await record();
    const [owner, other] = [await db.connect(), await db.connect()];
    await owner.query('begin');
    await owner.query('delete from giro.answer where origin_id = $1 and number = 2', [originId]);
    await insertAnswer((...of) => other.query(...of), { originId, number: 2, answer: late });
    await owner.query('commit');
    expect(await numbersLeft(originId)).toEqual([1, 3]);
  });

  /** Claimed and not answered. */
  const lookedUpInVain = async (): Promise<number> => {
    const originId = await openNew(db.journal);
    await ask(db.journal, originId, 1, answered('CREATED'));
    await ask(db.journal, originId, 2, movement('COMPLETED'));
    await claim(db.journal, originId, 3, 'lookup');
    return originId;
  };

  test('in a transaction that began before the year was over', async () => {
    const originId = await lookedUpInVain();
    const other = await db.connect();
    await other.query('begin');
    await other.query('select now()');
    await db.sql(
      `insert into giro.result (origin_id, result, recorded_at)
       values ($1, $2, clock_timestamp() - interval '8760 hours' + interval '0.3 s')`,
      [originId, JSON.stringify(aResult(originId, 'COMPLETED'))],
    );
    await other.query('select pg_sleep(0.4)');
    await expect(
      insertAnswer((...of) => other.query(...of), { originId, number: 3, answer: late }),
    ).rejects.toMatchObject({ code: 'GR002' });
  });

  test('but those of a later end do', async () => {
    const originId = await lookedUpInVain();
    await endLongAgo(db, aResult(originId, 'COMPLETED'), 364);
    await db.journal.recordAnswer({ originId, number: 3, answer: late, digest: 'd' });
    expect(await numbersLeft(originId)).toEqual([1, 2, 3]);
  });
});

describe('the owner deletes nothing else', () => {
  test.each<[string, string]>([
    ['the last answer', 'number = 3'],
    ['all answers', 'true'],
  ])('%s', async (_, where) => {
    const originId = await completedLongAgo(db);
    await record();
    await expect(db.sql(`delete from giro.answer where ${where}`)).rejects.toMatchObject({ code: 'GR003' });
    expect(await numbersLeft(originId)).toEqual([1, 2, 3]);
  });

  test('answers in no archive: none is recorded, or the transfer ended outside its span', async () => {
    await completedLongAgo(db);
    const one = 'delete from giro.answer where number = 1';
    await expect(db.sql(one)).rejects.toMatchObject({ code: 'GR003' });
    await record({ endedBefore: daysAgo(401) });
    await record({ sha256: 'cd'.repeat(32), endedFrom: daysAgo(399) });
    await expect(db.sql(one)).rejects.toMatchObject({ code: 'GR003' });
  });

  test('answers of an open transfer, of one that ended lately, and beside old ones', async () => {
    const old = await completedLongAgo(db);
    const open = await openNew(db.journal);
    await ask(db.journal, open, 1, answered('CREATED'));
    await ask(db.journal, open, 2, movement('COMPLETED'));
    const late = await completedLongAgo(db, 300);
    await record({ endedBefore: daysAgo(0) });
    for (const originId of [open, late])
      await expect(
        db.sql('delete from giro.answer where origin_id = any($1) and number = 1', [[old, originId]]),
      ).rejects.toMatchObject({ code: 'GR003' });
    expect(await numbersLeft(old)).toEqual([1, 2, 3]);
  });

  test('not even with triggers switched off for the session', async () => {
    await completedLongAgo(db);
    await db.sql('set session_replication_role = replica');
    await expect(db.sql('delete from giro.answer where number = 1')).rejects.toMatchObject({ code: 'GR003' });
  });

  test('no role of a process deletes answers or records archives', async () => {
    await completedLongAgo(db);
    for (const role of ['giro_runtime', 'giro_receiver', 'giro_operator', 'giro_client']) {
      const client = await db.connect();
      await client.query(`set role ${role}`);
      for (const change of [
        'delete from giro.answer where false',
        `insert into giro.archive (sha256, ended_from, ended_before, transfers, answers, operator)
         values (repeat('a', 64), '-infinity', now() - interval '400 days', 1, 1, 'ana')`,
      ])
        await expect(client.query(change)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

test('a line is compared with order, end, span and answers; only the same answers are deleted', async () => {
  const originId = await completedLongAgo(db);
  const { lines } = await superseded(db.journal);
  const span = { endedFrom: null, endedBefore: daysAgo(366) };
  const differing = (change: (line: string) => string, within = span) =>
    db.journal.differingLine({ ...within, lines: lines.map(change) });
  expect(await differing((line) => line)).toBeNull();
  expect(await differing((line) => line, { ...span, endedBefore: daysAgo(401) })).toBe(String(originId));
  const altered = (line: string): string => line.replace('IN_PROGRESS', 'CREATED');
  expect(await differing(altered)).toBe(String(originId));
  expect(await differing((line) => line.replace(/"orderSha256": "../, '"orderSha256": "zz'))).toBe(
    String(originId),
  );
  expect(await differing((line) => line.replace(/"endedAt": "20../, '"endedAt": "2001'))).toBe(
    String(originId),
  );
  expect(await differing((line) => line.replace(/"originId": \d+/, '"originId": 7'))).toBe('7');
  await record();
  expect(await db.journal.deleteArchived(lines.map(altered))).toEqual({ deleted: 1, kept: 0 });
  expect(await numbersLeft(originId)).toEqual([2, 3]);
  expect(await differing((line) => line)).toBeNull();
});

test('an answer that came after the result is no evidence: the others stay', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED'));
  await ask(db.journal, originId, 2, movement('COMPLETED'));
  await claim(db.journal, originId, 3, 'lookup');
  await endLongAgo(db, aResult(originId, 'COMPLETED'));
  expect(await exported()).toEqual([`${originId}/1`]);
  // Within a year of its end, the transfer could still take this answer.
  await db.sql('set session_replication_role = replica');
  await db.sql(
    `insert into giro.answer (origin_id, number, digest, ${ANSWER_COLUMNS})
     select origin_id, 3, digest, ${ANSWER_COLUMNS} from giro.answer where origin_id = $1 and number = 2`,
    [originId],
  );
  await db.sql('set session_replication_role = origin');
  expect(await exported()).toEqual([]);
});

test('a flag that is being raised is waited for', async () => {
  const originId = await completedLongAgo(db);
  await record();
  const other = await db.connect();
  await other.query('begin');
  await other.query(`insert into giro.flags (origin_id, seq, reasons) values ($1, 1, '{OPEN_TOO_LONG}')`, [
    originId,
  ]);
  const deleting = db.sql('delete from giro.answer where number = 1');
  const refused = expect(deleting).rejects.toMatchObject({ code: 'GR003' });
  await until(
    async () =>
      (
        await other.query(`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`)
      ).rowCount,
    (waiting) => waiting === 1,
    60_000,
  );
  await other.query('commit');
  await refused;
  expect(await numbersLeft(originId)).toEqual([1, 2, 3]);
});

test('pages follow the end of the transfers, and each transfer comes once', async () => {
  const ids = [];
  for (const days of [500, 450, 400]) ids.push(await completedLongAgo(db, days));
  const span = { endedFrom: null, endedBefore: daysAgo(366) };
  const found: number[] = [];
  for (let after: Parameters<Journal['supersededAnswers']>[0]['after'] = null; ;) {
    const page = await db.journal.supersededAnswers({ ...span, after, limit: 2 });
    found.push(...page.lines.map((line) => (JSON.parse(line) as { originId: number }).originId));
    if (page.next === null) break;
    after = page.next;
  }
  expect(found).toEqual(ids);
  const later = await db.journal.supersededAnswers({
    ...{ endedFrom: daysAgo(460), endedBefore: daysAgo(440), after: null, limit: 9 },
  });
  expect(later.transfers).toBe(1);
});

test('a transfer whose answers were deleted stays what it was for a new run and for a claim', async () => {
  const originId = await completedLongAgo(db);
  const { lines } = await superseded(db.journal);
  await record();
  await db.journal.deleteArchived(lines);
  expect((await claim(db.journal, originId, 4, 'create')).kind).toBe('ended');
  expect(await claim(db.journal, originId, 1, 'create')).toMatchObject({ kind: 'repeated', answer: null });
  expect(await db.journal.openTransfer(anOpening(originId))).toMatchObject({
    ...{ kind: 'ended', result: { status: 'COMPLETED' } },
  });
});
