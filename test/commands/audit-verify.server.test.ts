import type { AuditReport } from '../../src/audit/verify-books';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { recordReport } from '../journal/support/report-runs';
import { answered, aResult, ask, openNew } from '../journal/support/transfers';
import { giro as run } from './support/memory-io';

let db: TestJournal;
let originId: number;
let head: string;
beforeAll(async () => {
  db = await openTestJournal();
  originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('COMPLETED'));
  await db.journal.recordResult(aResult(originId, 'COMPLETED'));
  head = (await recordReport(db.journal)).sha256;
});
afterAll(() => db.close());

/** As giro_operator, like every command of people. */
const giro = (...args: readonly string[]) =>
  run(['audit', 'verify', ...args], { env: { DATABASE_URL: db.url } });

test('books in order: 0, in text and JSON, with how far it is on stderr', async () => {
  const text = await giro('--expect', head.toUpperCase());
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^OK: 1 transfers and 1 links of the chain, 0 differences\n/);
  expect(text.stdout).toContain(`head: ${head}, link 1, up to e1-`);
  expect(text.stdout).toContain('the expected hash is link 1');
  expect(text.log.at(-1)).toMatchObject({ msg: 'verifying transfers', done: 1, total: 1, agrees: 1 });
  const json = await giro('--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    outcome: 'OK',
    transfers: 1,
    links: 1,
    head: { sha256: head },
  });
});

test('without --expect it says what that leaves open', async () => {
  expect((await giro()).stderr).toContain('without --expect, a completely rewritten chain passes');
});

test('a head that is no link: 3', async () => {
  const { code, stdout } = await giro('--expect', 'ab'.repeat(32));
  expect(code).toBe(3);
  expect(stdout).toContain('rule head-expected, table giro.report_link\n');
});

test.each([
  ['--expect', 'abc'],
  ['--from', 'yesterday'],
])('%s %s: 2', async (option, value) => {
  expect((await giro(option, value)).code).toBe(2);
});

test('a record that differs: 3, with table, originId, rule and both values', async () => {
  await db.sql('drop trigger append_only on giro.result');
  await db.sql(`update giro.result set result = jsonb_set(result, '{amount,value}', '"9.00"')`);
  const { code, stdout } = await giro();
  expect(code).toBe(3);
  expect(stdout).toContain(`rule result-of-order, table giro.result, originId ${originId}\n`);
  expect(stdout).toContain(`kept      ${originId} 032 9.00\n`);
  expect(stdout).toContain(`expected  ${originId} 032 1500.25\n`);
  const json = JSON.parse((await giro('--json')).stdout) as AuditReport;
  expect(json).toMatchObject({
    ...{ outcome: 'DIFFERS', differences: 2, byRule: { 'result-of-order': 1, 'chain-hash': 1 } },
    first: { rule: 'result-of-order', table: 'result', originId },
  });
});
