import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { accountMark } from '../../../src/reconciliation/statement/line-reader';
import { withAccounts } from '../../../src/reconciliation/statement/mapping';
import { readStatement } from '../../../src/reconciliation/statement/read-statement';
import { StatementProblem } from '../../../src/reconciliation/statement/statement-problem';
import { ARGENTINE, HEADER, mappingOf, readText } from './files';

const ACCOUNT = '0009001600000000000017';

test.each(['\r\n', '\n', '\r'])('lines above the header need not be CSV; lines end with %j', async (end) => {
  const text = [
    'Resumen de "cuenta" N° 1; "sin cerrar',
    'x',
    HEADER,
    `03/03/2026 10:15;OP-1;1;"dos${end}líneas";1,00;;`,
    `ayer;OP-2;2;x;1,00;;`,
    '',
  ].join(end);
  for (const chunkBytes of [1, 7, 1_000]) {
    const { bookings, summary } = await readText(text, { ...ARGENTINE, skipLines: 2 }, chunkBytes);
    expect(bookings.map(({ line }) => line)).toEqual([4]);
    expect(summary.firstBadLines.map(({ line }) => line)).toEqual([6]);
  }
});

test('an Argentine export: latin1, decimal comma, two columns, a quoted line feed, an empty line', async () => {
  const text = [
    HEADER,
    `03/03/2026 10:15;OP-4711;880011;Pago "x";1.500,25;0,00;${ACCOUNT}`.replace('"x"', 'peña'),
    '',
    `03/03/2026 10:16;OP-0004712;880012;"dos\nlíneas; y más";0,00;2.000.000,00;`,
    `04/03/2026 00:00;COMISION;;Comisión;-35;;`,
  ].join('\r\n');
  const { bookings, summary } = await readText(text, ARGENTINE);
  expect(bookings).toEqual([
    {
      line: 2,
      originId: 4711,
      movementId: '880011',
      networkId: null,
      direction: 'debit',
      amount: { currency: '032', value: '1500.25' },
      bookedAt: '2026-03-03T13:15:00.000Z',
      account: null,
      counterpartyAccount: ACCOUNT,
    },
    {
      line: 4,
      originId: 4712,
      movementId: '880012',
      networkId: null,
      direction: 'credit',
      amount: { currency: '032', value: '2000000.00' },
      bookedAt: '2026-03-03T13:16:00.000Z',
      account: null,
      counterpartyAccount: null,
    },
    {
      line: 6,
      originId: null,
      movementId: null,
      networkId: null,
      direction: 'debit',
      amount: { currency: '032', value: '35.00' },
      bookedAt: '2026-03-04T03:00:00.000Z',
      account: null,
      counterpartyAccount: null,
    },
  ]);
  expect(summary).toEqual({
    sha256: createHash('sha256').update(text, 'latin1').digest('hex'),
    bytes: Buffer.byteLength(text, 'latin1'),
    bookings: 3,
    ignored: 0,
    debits: { count: 2, amount: '1535.25' },
    credits: { count: 1, amount: '2000000.00' },
    badLines: 0,
    firstBadLines: [],
    period: { from: '2026-03-03T13:15:00.000Z', to: '2026-03-04T03:00:00.000Z' },
    accounts: null,
  });
});

const [A, B] = ['0009001600000000000017', '0009001600000000000024'] as const;

test('whose bookings they are: the mapping says it, or a column', async () => {
  const text = (...accounts: string[]) =>
    [HEADER, ...accounts.map((it) => `03/03/2026 10:15;;;x;1,00;;${it}`)].join('\n');
  const [ofA, ofB] = [A, B].map(accountMark);
  const read = async (mapping: object, ...accounts: string[]) => {
    const { bookings, summary } = await readText(text(...accounts), { ...ARGENTINE, ...mapping });
    return [summary.accounts, ...bookings.map(({ account }) => account)];
  };
  expect(await read({ accounts: [A] }, '')).toEqual([[ofA], ofA]);
  // Of two, which one a line is of is not known without a column.
  expect(await read({ accounts: [A, B] }, '')).toEqual([[ofA, ofB], null]);
  const { counterpartyAccount: account, ...others } = ARGENTINE.columns;
  const columns = { ...others, account };
  expect(await read({ columns }, B, A, B)).toEqual([[ofA, ofB].sort(), ofB, ofA, ofB]);
  // What the mapping lists is all that the file holds, whatever a line says.
  expect(await read({ columns, accounts: [A] }, B)).toEqual([[ofA], ofB]);
  const { summary } = await readText(text('1234-5'), { ...ARGENTINE, columns });
  expect(summary).toMatchObject({ bookings: 0, firstBadLines: [{ line: 2, rule: 'ACCOUNT' }] });
});

test('a mapping without accounts: the one of FROM_ACCOUNTS, else nobody knows', () => {
  const old = mappingOf(ARGENTINE);
  expect(withAccounts(old, [A]).accounts).toEqual([A]);
  expect(withAccounts(old, [A, B]).accounts).toBeUndefined();
  expect(withAccounts(old, null).accounts).toBeUndefined();
  expect(withAccounts({ ...old, accounts: [B] }, [A]).accounts).toEqual([B]);
  const columns = { ...ARGENTINE.columns, account: 'Cuenta' };
  expect(withAccounts(mappingOf({ ...ARGENTINE, columns }), [A]).accounts).toBeUndefined();
});

const SIGNED = { columns: { originId: 'id', bookedAt: 'day', amount: 'sum' }, date: 'yyyy-MM-dd' };

test.each(['0000-01-01', '0001-01-01', '1900-01-01', '1999-12-31', '2999-12-31', '9999-12-31'])(
  'a booking of %s is none, and its line stretches no period',
  async (day) => {
    // Late on the last day of a year in Buenos Aires, the next year has begun in UTC.
    const text = `id,day,sum\n7,${day} 22:00,-1\n8,2000-01-01 00:00,-1\n`;
    const { bookings, summary } = await readText(text, { ...SIGNED, date: 'yyyy-MM-dd HH:mm' });
    const is1999 = day === '1999-12-31';
    expect(bookings.map(({ bookedAt }) => bookedAt)).toEqual([
      ...(is1999 ? ['2000-01-01T01:00:00.000Z'] : []),
      '2000-01-01T03:00:00.000Z',
    ]);
    expect(summary.firstBadLines).toEqual(is1999 ? [] : [{ line: 2, rule: 'DATE' }]);
    expect(summary.period?.to).toBe('2000-01-01T03:00:00.000Z');
  },
);

test.each([
  ['a minus is a debit', {}, '-10.5', 'debit', '10.50'],
  ['no sign is a credit', {}, '10.50', 'credit', '10.50'],
  ['a plus is a debit where the mapping says so', { debitSign: '+' }, '10', 'debit', '10.00'],
  ['a minus behind', { decimal: ',', thousands: '.' }, '$ 1.010,00-', 'debit', '1010.00'],
])('%s', async (_, mapping, sum, direction, value) => {
  const text = Buffer.from(`\uFEFFid,day,sum\n7,2026-03-03,"${sum}"\n`);
  const { bookings } = await readText(text, { ...SIGNED, ...mapping });
  expect(bookings).toMatchObject([{ originId: 7, direction, amount: { value } }]);
});

test('within quotes, a doubled quote is a quote, and another kind of quote is text', async () => {
  const mapping = {
    ...{ quote: "'", date: 'yyyy-MM-dd', ignore: [{ column: 'text', equals: 'O\'Higgins "Sur"' }] },
    columns: { originId: 'id', bookedAt: 'day', amount: 'sum', counterpartyAccount: 'text' },
  };
  const lines = [`'7','2026-03-03','-1','O''Higgins "Sur"'`, `'8','2026-03-03','-1','Sur "'`];
  const { bookings, summary } = await readText(`id,day,sum,text\n${lines.join('\n')}\n`, mapping);
  expect(bookings.map(({ originId }) => originId)).toEqual([8]);
  expect(summary.ignored).toBe(1);
});

test('the sums of a statement are pesos; bookings in other currencies are counted', async () => {
  const columns = { bookedAt: 'd', amount: 'a', currency: 'c' };
  const text = 'd,a,c\n2026-03-03,-5.00,032\n2026-03-03,-7.00,840\n2026-03-03,3.00,840\n';
  const { summary } = await readText(text, { columns, date: 'yyyy-MM-dd' });
  expect(summary.debits).toEqual({ count: 2, amount: '5.00' });
  expect(summary.credits).toEqual({ count: 1, amount: '0.00' });
});

test('names of directions and currencies, no header, columns by number, lines that are no booking', async () => {
  const mapping = {
    header: false,
    skipLines: 1,
    columns: { networkId: 1, bookedAt: 2, amount: 3, direction: 4, currency: 5 },
    directions: { D: 'debit', H: 'credit' },
    currencies: { $: '032', usd: '840' },
    ignore: [{ column: 1, equals: 'SALDO' }],
    date: 'yyyyMMdd',
    utcOffset: '+00:00',
  };
  const text = 'Resumen\nN1,20260303,5,d,$\nSALDO,,,,\nN2,20260303,6,H,USD\nN3,20260303,7,D,032\n';
  const { bookings, summary } = await readText(text, mapping);
  expect(bookings.map(({ networkId, direction, amount }) => [networkId, direction, amount.currency])).toEqual(
    [
      ['N1', 'debit', '032'],
      ['N2', 'credit', '840'],
      ['N3', 'debit', '032'],
    ],
  );
  expect(summary).toMatchObject({ bookings: 3, ignored: 1, badLines: 0 });
});

test('a cell of free text is no id', async () => {
  const mapping = {
    columns: { originId: 'o', movementId: 'm', networkId: 'n', bookedAt: 'd', amount: 'a' },
    date: 'yyyy-MM-dd',
  };
  const rows = [
    'A/B,880011,0ABC:1',
    'JUAN,PEREZ,JUAN 1',
    `9007199254740992,${'1'.repeat(65)},Ñ1`,
    '007,,',
    // The network's key has 22 characters; some have no digit.
    `8,MARIA,${'ABCDEFGHIJK'.repeat(2)}`,
  ];
  const text = `o,m,n,d,a\n${rows.map((row) => `${row},2026-03-03,-1`).join('\n')}`;
  const { bookings } = await readText(Buffer.from(text), mapping);
  expect(bookings.map(({ originId, movementId, networkId }) => [originId, movementId, networkId])).toEqual([
    [null, '880011', '0ABC:1'],
    [null, null, null],
    [null, null, null],
    [7, null, null],
    [8, null, 'ABCDEFGHIJKABCDEFGHIJK'],
  ]);
});

test('bad lines are named by number and rule; their values are not repeated, the others are read', async () => {
  const line = (change: Partial<Record<'date' | 'id' | 'out' | 'in', string>>): string => {
    const { date = '03/03/2026 10:15', id = '880011', out = '1,00', in: back = '' } = change;
    return `${date};OP-1;${id};PEREZ JUAN;${out};${back};`;
  };
  const text = [
    HEADER,
    line({}),
    line({ date: '31/02/2026 10:15' }),
    line({ date: '2026-03-03' }),
    line({ out: '1,000.25' }),
    line({ out: '1.00' }),
    line({ out: '' }),
    line({ in: '1,00' }),
    line({ id: '8,8E+15' }),
    'PEREZ JUAN',
    line({}),
  ].join('\n');
  const { bookings, summary } = await readText(text, ARGENTINE);
  expect(bookings.map(({ line: number }) => number)).toEqual([2, 11]);
  expect(summary.badLines).toBe(8);
  expect(summary.firstBadLines).toEqual([
    { line: 3, rule: 'DATE' },
    { line: 4, rule: 'DATE' },
    { line: 5, rule: 'AMOUNT' },
    { line: 6, rule: 'AMOUNT' },
    { line: 7, rule: 'AMOUNT_MISSING' },
    { line: 8, rule: 'AMOUNT_TWICE' },
    { line: 9, rule: 'ROUNDED_ID' },
    { line: 10, rule: 'COLUMNS' },
  ]);
  expect(JSON.stringify(summary)).not.toContain('PEREZ');
});

test.each([
  ['COLUMN_NOT_FOUND', 1, 'Fecha;Referencia\n', ARGENTINE],
  ['COLUMN_TWICE', 1, `${HEADER};Fecha\n`, ARGENTINE],
  ['NO_HEADER', 1, '', ARGENTINE],
  ['ENCODING', 3, `id,day,sum\n7,2026-03-03,-1\n8,2026-03-03,-1,PEREZ ${'\xf1'.repeat(9)}\n`, SIGNED],
  ['ENCODING', 3, `id,day,sum\n7,2026-03-03,-1\n8,2026-03-03,-1,PEREZ \xc3`, SIGNED],
  ['QUOTES', 3, 'id,day,sum\n7,2026-03-03,-1\n8,2026-03-03,-1,PEREZ "15\n', SIGNED],
  ['QUOTES', 2, 'id,day,sum\n7,2026-03-03,"PEREZ\n8,2026-03-03,-1\n', SIGNED],
  ['RECORD_TOO_LARGE', 2, `id,day,sum\n7,2026-03-03,"PEREZ${'x'.repeat(70_000)}`, SIGNED],
])('%s at line %d ends the reading', async (rule, line, text, mapping) => {
  const error: unknown = await readText(text, mapping, 5_000).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StatementProblem);
  expect(error).toMatchObject({ rule, line });
  expect(String(error)).not.toContain('PEREZ');
});

test('whatever bytes come: bookings within their bounds, or a problem of the file; every record is accounted for', async () => {
  const parts = [
    HEADER,
    '\n',
    '\r\n',
    ';',
    '"',
    '""',
    'OP-1',
    '03/03/2026 10:15',
    '1,00',
    '-0',
    '\u00f1',
    '\u0000',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 4 })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      async (drawn, headed, chunkBytes) => {
        const read = readText(`${headed ? `${HEADER}\n` : ''}${drawn.join('')}`, ARGENTINE, chunkBytes);
        const found = await read.catch((error: unknown) => {
          if (!(error instanceof StatementProblem)) throw error;
          return null;
        });
        if (found === null) return;
        expect(found.summary.bookings).toBe(found.bookings.length);
        const lines = found.bookings.map(({ line }) => line);
        expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
        for (const { amount, originId } of found.bookings) {
          expect(amount.value).toMatch(/^[0-9]{1,13}\.[0-9]{2}$/);
          expect(originId === null || originId > 0).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a failure of whoever takes the lines, and of the source, comes out as it is', async () => {
  const source = () => Readable.from([Buffer.from('id,day,sum\n7,2026-03-03,-1\n')]);
  const taking = readStatement(source(), mappingOf(SIGNED), () => Promise.reject(new Error('journal down')));
  await expect(taking).rejects.toThrow('journal down');
  const broken = new Readable({
    read() {
      this.destroy(new Error('disk gone'));
    },
  });
  const reading = readStatement(broken, mappingOf(SIGNED), () => Promise.resolve());
  await expect(reading).rejects.toThrow('disk gone');
});

test('lines come in batches, no further than whoever takes them has got, with progress', async () => {
  const total = 25_000;
  let made = 0;
  function* lines() {
    yield Buffer.from('id,day,sum\n');
    for (let i = 1; i <= total; i += 500) {
      made = i + 499;
      yield Buffer.from(Array.from({ length: 500 }, (_, j) => `${i + j},2026-03-03,-1.00\n`).join(''));
    }
  }
  let taken = 0;
  let aheadMax = 0;
  const told: number[] = [];
  const summary = await readStatement(
    Readable.from(lines()),
    mappingOf(SIGNED),
    async (batch) => {
      expect(batch.length).toBeLessThanOrEqual(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      taken += batch.length;
      aheadMax = Math.max(aheadMax, made - taken);
    },
    ({ lines: soFar }) => told.push(soFar),
  );
  expect(taken).toBe(total);
  expect(summary.debits).toEqual({ count: total, amount: '25000.00' });
  // What waits between the file and whoever takes the lines is bounded by buffers, not by the file.
  expect(aheadMax).toBeLessThan(15_000);
  expect(told.length).toBeGreaterThan(20);
  expect(told.at(-1)).toBe(total + 1);
});
