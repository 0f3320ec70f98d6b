import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TRANSFER_CHECKS } from '../../src/audit/transfer-checks';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { recordReport } from '../journal/support/report-runs';
import { aDecision, answered, aResult, ask, openNew } from '../journal/support/transfers';

const PAGE = readFileSync(path.join(__dirname, '../../docs/signatures.md'), 'utf8');
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? '';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? test : test.skip)('the query and the program of the page recompute each link', async () => {
  const { journal } = db;
  const links = [];
  for (const reason of ['carta “17” ñandú 😀', 'a\u007f\u2028"\\\n\tb']) {
    const originId = await openNew(journal);
    await journal.recordFlags(originId, ['VANISHED']);
    await journal.recordDecision(originId, {
      ...aDecision('proposed', 'accept-failed', ['ana'], ['VANISHED']),
      reason,
    });
    await ask(journal, originId, 1, answered('FAILED'));
    await journal.recordAnnulment({ result: aResult(originId, 'FAILED'), evidenceNumber: 1, operators: [] });
    links.push(await recordReport(journal));
  }
  const numberOf = (cursor: string | null | undefined): string => cursor?.split('-')[1] ?? '0';
  for (const [i, link] of links.entries()) {
    const query = block('sql')
      .replace(':after', numberOf(links[i - 1]?.cursor))
      .replace(':up_to', numberOf(link.cursor));
    const { rows } = await db.sql(`select lines.line::text as line from (${query}) lines`);
    expect(rows).toHaveLength(3);
    const input = rows.map(({ line }) => `${String(line)}\n`).join('');
    const printed = execFileSync('python3', ['-c', block('python'), link.previousSha256], { input });
    expect(printed.toString().trim()).toBe(link.sha256);
  }
});

test('the page lists every rule', () => {
  for (const { rule } of TRANSFER_CHECKS) expect(PAGE).toContain(`\`${rule}\``);
});
