import { bookingDateReader, isDatePattern } from '../../../src/reconciliation/statement/statement-fields';
import { readMapping } from '../../../src/reconciliation/statement/mapping';
import { ARGENTINE } from './files';

test('what is left out has its default', () => {
  const read = readMapping(JSON.stringify({ columns: { bookedAt: 'd', amount: 'a' }, date: 'dd/MM/yyyy' }));
  expect(read).toMatchObject({
    ok: true,
    mapping: {
      encoding: 'utf-8',
      delimiter: ',',
      decimal: '.',
      debitSign: '-',
      currency: '032',
      utcOffset: '-03:00',
    },
  });
});

const { credit: _, ...noCredit } = ARGENTINE.columns;

test.each([
  ['no JSON', 'x', 'the mapping is not JSON'],
  ['a field that is not known', { ...ARGENTINE, sheet: 1 }, 'mapping: '],
  ['one of the two amounts', { ...ARGENTINE, columns: noCredit }, 'columns: has amount, or debit and credit'],
  [
    'both kinds of amounts',
    { ...ARGENTINE, columns: { ...ARGENTINE.columns, amount: 'Importe' } },
    'columns: has amount, or debit and credit',
  ],
  [
    'a direction without words',
    { ...ARGENTINE, columns: { bookedAt: 'd', amount: 'a', direction: 's' } },
    'columns: has direction, and directions says none of its words',
  ],
  ['names without a header', { ...ARGENTINE, header: false }, 'columns: has names, and header is false'],
  [
    'an account that is none',
    { ...ARGENTINE, accounts: ['1234'] },
    'accounts.0: is 22 digits of a CBU or CVU',
  ],
  ['a date that repeats itself', { ...ARGENTINE, date: 'dd/MM/yyyy dd' }, 'date: '],
  ['a date without its year', { ...ARGENTINE, date: 'dd/MM' }, 'date: '],
  ['an offset in words', { ...ARGENTINE, utcOffset: 'ART' }, 'utcOffset: is ±hh:mm'],
])('%s is refused', (_name, mapping, problem) => {
  const read = readMapping(typeof mapping === 'string' ? mapping : JSON.stringify(mapping));
  expect(read.ok).toBe(false);
  expect(read.ok ? '' : read.problems.join('\n')).toContain(problem);
});

test.each([
  ['dd/MM/yyyy', '03/03/2026', '2026-03-03T03:00:00.000Z'],
  ['dd-MM-yyyy HH:mm:ss', '31-12-2025 23:59:59', '2026-01-01T02:59:59.000Z'],
  ['yyyyMMddHHmm', '202603030930', '2026-03-03T12:30:00.000Z'],
  ['dd/MM/yyyy', '29/02/2026', null],
  ['dd/MM/yyyy', '3/3/2026', null],
  ['dd/MM/yyyy HH:mm', '03/03/2026 24:00', null],
  ['dd.MM.yyyy', '03x03x2026', null],
])('%s reads %s as %s', (pattern, text, iso) => {
  expect(isDatePattern(pattern)).toBe(true);
  expect(bookingDateReader(pattern, '-03:00')(text)).toBe(iso);
});
