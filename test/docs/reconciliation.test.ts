import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { BREAK_CLASSES } from '../../src/reconciliation/break';
import { DIFFERENCES, SUB_CASES } from '../../src/reconciliation/differences';
import { readMapping } from '../../src/reconciliation/statement/mapping';
import { readStatement } from '../../src/reconciliation/statement/read-statement';
import type { StatementLine } from '../../src/reconciliation/books';
import { textOf } from './runbook-commands';

const PAGE = readFileSync(path.join(__dirname, '../../docs/reconciliation.md'), 'utf8');
const RUNBOOK = textOf('reconciliation-breaks.md');
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? '';

test('the table of differences is that of the code', () => {
  const rows = [...PAGE.matchAll(/^\| `([A-Z_]+)` +\| `([A-Z_]+)` +\|(.*)\|$/gm)].map(
    ([, breakClass, subCase, rest = '']) => [
      breakClass,
      subCase,
      ...rest.split('|').map((cell) => cell.trim()),
    ],
  );
  expect(rows).toEqual(
    SUB_CASES.map((subCase) => {
      const { class: breakClass, severity, grows, says, why } = DIFFERENCES[subCase];
      return [breakClass, subCase, severity, grows, says, why];
    }),
  );
});

test('the runbook has a section for each class, and in it each of its differences', () => {
  const sections = new Map(
    RUNBOOK.split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n')[0], section] as const),
  );
  expect([...sections.keys()]).toEqual(BREAK_CLASSES);
  for (const subCase of SUB_CASES) {
    expect(sections.get(DIFFERENCES[subCase].class)).toContain(`\`${subCase}\``);
  }
});

test('the example of a statement is read by the example of a mapping', async () => {
  const read = readMapping(block('json'));
  if (!read.ok) throw new Error(read.problems.join('; '));
  const bookings: StatementLine[] = [];
  const summary = await readStatement(Readable.from([Buffer.from(block('csv'))]), read.mapping, (batch) => {
    bookings.push(...batch);
    return Promise.resolve();
  });
  expect(summary).toMatchObject({ bookings: 2, ignored: 1, badLines: 0 });
  expect(bookings).toMatchObject([
    { line: 3, originId: 4711, movementId: '880011', direction: 'debit', amount: { value: '1500.25' } },
    { line: 4, originId: null, movementId: '880012', direction: 'credit', amount: { value: '20000.00' } },
  ]);
});
