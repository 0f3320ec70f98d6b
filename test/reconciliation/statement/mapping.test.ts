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
  [
    'one of the two amounts',
    { ...ARGENTINE, columns: noCredit },
    'columns: must name either amount, or debit',
  ],
  [
    'both kinds of amounts',
    { ...ARGENTINE, columns: { ...ARGENTINE.columns, amount: 'Importe' } },
    'columns: must name either amount, or debit and credit',
  ],
  [
    'a direction without words',
    { ...ARGENTINE, columns: { bookedAt: 'd', amount: 'a', direction: 's' } },
    'columns: names direction, but "directions" is empty',
  ],
  ['names without a header', { ...ARGENTINE, header: false }, 'columns: must be column numbers, because'],
  [
    'an account that is none',
    { ...ARGENTINE, accounts: ['1234'] },
    'accounts.0: must be a CBU or CVU of 22 digits',
  ],
  ['a date that repeats itself', { ...ARGENTINE, date: 'dd/MM/yyyy dd' }, 'date: must consist of yyyy'],
  ['a date without its year', { ...ARGENTINE, date: 'dd/MM' }, 'date: '],
  ['one separator for two', { ...ARGENTINE, thousands: ',' }, 'thousands: must differ from "decimal"'],
  ['an offset in words', { ...ARGENTINE, utcOffset: 'ART' }, 'utcOffset: must be ±hh:mm'],
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
