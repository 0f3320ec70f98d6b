import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { ageing } from '../../../src/reconciliation/reports/charts';
import { csvCell } from '../../../src/reconciliation/reports/csv-report';
import { REPORT_FORMATS, formatReport } from '../../../src/reconciliation/reports/format-report';
import { readableAge, readableMoney } from '../../../src/reconciliation/reports/readable';
import { reportSchema } from '../../../src/reconciliation/reports/report-schema';
import { html } from '../../../src/reconciliation/reports/safe-html';
import { AS_OF, before } from '../clean-books';
import { CLEAN_REPORT, HOSTILE_NOTE, sampleReport } from './sample-report';

const REPORT = sampleReport();
const SCHEMA_FILE = path.join(__dirname, '../../../docs/schemas/reconciliation-report.schema.json');

test('the published JSON Schema is that of the reports (GIRO_UPDATE_SCHEMA=1 writes it)', () => {
  const schema = `${JSON.stringify(z.toJSONSchema(reportSchema), null, 2)}\n`;
  if (process.env['GIRO_UPDATE_SCHEMA'] === '1') writeFileSync(SCHEMA_FILE, schema);
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schema);
});

test('JSON: of the schema, and nothing is lost', () => {
  for (const report of [REPORT, CLEAN_REPORT]) {
    const read: unknown = JSON.parse(formatReport(report, 'json'));
    expect(reportSchema.parse(read)).toEqual(report);
  }
  expect(reportSchema.safeParse({ ...REPORT, further: 1 }).success).toBe(false);
});

test.each(['text', 'json', 'html'] as const)('%s shows the head of the chain', (format) => {
  expect(formatReport(REPORT, format)).toContain(REPORT.chain!.sha256);
});

test('no format carries an account number', () => {
  for (const format of REPORT_FORMATS) {
    expect(formatReport(REPORT, format)).not.toMatch(/(?<![0-9a-f])[0-9]{22}(?![0-9a-f])/);
  }
});

describe('CSV', () => {
  const text = formatReport(REPORT, 'csv');
  const [head = [], ...rows] = parse(text, { bom: true, record_delimiter: '\r\n' });
  const column = (name: string) => rows.map((row) => row[head.indexOf(name)]!);

  test('RFC 4180 with a byte order mark: every row has every column, and every break and total is there', () => {
    expect(text.startsWith('\uFEFF"record",')).toBe(true);
    expect(text.endsWith('\r\n')).toBe(true);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([head.length]));
    const kinds = column('record');
    expect(kinds.filter((kind) => kind === 'BREAK')).toHaveLength(REPORT.breaks.length);
    // Those that the report holds, and one that counts the others: together all.
    const counts = rows
      .filter(([kind]) => kind === 'NOT_ASKED')
      .map((row) => Number(row[head.indexOf('count')]));
    expect(counts).toHaveLength(REPORT.notAsked.length + 1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(REPORT.notAskedCount);
    const keys = new Set(column('key').filter((key) => key !== ''));
    expect(keys).toEqual(new Set(REPORT.breaks.map(({ key }) => key)));
    expect(new Set(column('note')).has(`'${HOSTILE_NOTE}`)).toBe(true);
  });

  test('no cell runs as a formula, no long number is one', () => {
    for (const cell of rows.flat()) {
      expect(cell).not.toMatch(/^[\s]*[=+\-@\t\r]/);
      expect(cell).not.toMatch(/^[0-9]{16,}$/);
    }
  });

  test.each([
    ['=1+1', `"'=1+1"`],
    [' =1+1', `"' =1+1"`],
    ['+5491155551234', `"'+5491155551234"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t'=1"`],
    ['\rx', `"'\rx"`],
    ['＝1', `"'＝1"`],
    ['0009001600000000000017', `"'0009001600000000000017"`],
    ['9007199254740991', `"'9007199254740991"`],
    [9_007_199_254_740_991, `"'9007199254740991"`],
    ['999999999999999', '"999999999999999"'],
    ['007', `"'007"`],
    ['12e34', `"'12e34"`],
    ['1500.25', '"1500.25"'],
    ['0.25', '"0.25"'],
    ['x;=1+1;y', `"x;'=1+1;y"`],
    ['x; =1', `"x; '=1"`],
    ['x";=1', `"x"";'=1"`],
    ['x;"=1', `"x;""'=1"`],
    ['x\r\n@y', `"x\r\n'@y"`],
    ['a; b - c', '"a; b - c"'],
    ['say "a", b', '"say ""a"", b"'],
    ['', '""'],
    [null, '""'],
  ])('%j is written %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});

describe('text', () => {
  const text = formatReport(REPORT, 'text');

  test('outcome, totals, and for each break its sentence and evidence', () => {
    expect(text.split('\n')[0]).toBe('Reconciliation as of 2026-03-12 09:00 UTC: PARTIAL');
    for (const { detail, key, evidence } of REPORT.breaks) {
      expect(text).toContain(detail);
      expect(text).toContain(key);
      if (evidence?.sha256) expect(text).toContain(evidence.sha256);
    }
    expect(text).toMatch(/^transfers +[0-9]+ +[0-9,]+\.[0-9]{2}$/m);
    expect(text).toMatch(/^ {2}and [0-9]+ more: giro reconcile show 2026-\S+Z --not-asked$/m);
  });

  test('a note cannot steer the terminal, nor begin a line', () => {
    expect(text).not.toContain('\u001b');
    expect(text).toContain('\\u001b[2J\\u000a,');
  });

  test('clean', () => {
    const clean = formatReport(CLEAN_REPORT, 'text');
    expect(clean).toContain(': CLEAN\n');
    expect(clean).toContain('\n0 breaks, 0 opened, 3 resolved, 0 not checked\n');
  });
});

describe('HTML', () => {
  const page = formatReport(REPORT, 'html');

  test('needs no network and no script, and its policy forbids both', () => {
    expect(page.startsWith('<!doctype html>')).toBe(true);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son[a-z]+=|javascript:|url\(|@import/i);
    expect(page.match(/(?:src|href|action)=/g)).toBeNull();
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    const sha256 = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(`content="default-src 'none'; style-src 'sha256-${sha256}'"`);
    expect(page).not.toContain('style="');
  });

  test('everything is escaped', () => {
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;');
    const made = html`<p title="${'"<&>\''}">${['<b>', html`<i>${1}</i>`]}</p>`;
    expect(made.markup).toBe('<p title="&quot;&lt;&amp;&gt;&#39;">&lt;b&gt;<i>1</i></p>');
  });

  test('every break with its sentence and evidence, and a chart of each kind', () => {
    const found = [...page.matchAll(/<tr class="(?:open|acknowledged|resolved)">/g)];
    expect(found).toHaveLength(REPORT.breaks.length);
    for (const { key } of REPORT.breaks) expect(page).toContain(key);
    expect([...page.matchAll(/<svg/g)]).toHaveLength(3);
    const unresolved = REPORT.breaks.filter(({ state }) => state !== 'resolved').length;
    expect(page.replace(/\s+/g, ' ')).toContain(`<b>${unresolved}</b><span>breaks </span>`);
  });

  test('tags are closed in the order in which they were opened', () => {
    const open: string[] = [];
    for (const [, slash, name = '', selfClosed] of page.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
      if (selfClosed === '/' || ['meta', 'br'].includes(name)) continue;
      if (slash === '/') expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
  });

  test('clean: no chart, no table of breaks, one sentence', () => {
    const clean = formatReport(CLEAN_REPORT, 'html');
    expect(clean).not.toContain('<svg');
    expect(clean).toContain('No difference between the books.');
  });
});

test('ages and money, read by people', () => {
  expect(readableAge(before(3_600_000), AS_OF)).toBe('1 h');
  expect(readableAge(before(47 * 3_600_000), AS_OF)).toBe('47 h');
  expect(readableAge(before(71 * 3_600_000), AS_OF)).toBe('2 d');
  expect(readableMoney({ currency: '032', value: '9999999999999.99' })).toBe('9,999,999,999,999.99');
  expect(readableMoney({ currency: '840', value: '1.00' })).toBe('1.00 (currency 840)');
  expect(readableMoney(null)).toBe('–');
  const bands = ageing(REPORT.breaks, AS_OF);
  const inBands = bands.flatMap(({ bySeverity }) => Object.values(bySeverity));
  const unresolved = REPORT.breaks.filter(({ state }) => state !== 'resolved');
  expect(inBands.reduce((sum, count) => sum + count, 0)).toBe(unresolved.length);
  expect(bands.map(({ label }) => label)).toHaveLength(5);
});
