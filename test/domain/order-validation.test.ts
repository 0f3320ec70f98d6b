import fc from 'fast-check';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import type { OrderLimits } from '../../src/domain/order';
import { describeIssues, validateOrder } from '../../src/domain/order-validation';
import type { OrderIssue } from '../../src/domain/order-validation';
import { BAD_ORDERS, workflowIdOf } from './bad-orders';
import { digitsOf, validAccount, validTaxId } from './made-up-numbers';
import { orderJson } from './order-json';
import type { OrderChanges } from './order-json';

const judge = (json: string, limits: Partial<OrderLimits> = {}) =>
  validateOrder(JSON.parse(json), { ...DEFAULT_ORDER_LIMITS, ...limits });
const issuesOf = (changes: OrderChanges, limits: Partial<OrderLimits> = {}): readonly OrderIssue[] => {
  const judged = judge(orderJson(changes), limits);
  return judged.ok ? [] : judged.issues;
};
const orderOf = (changes: OrderChanges, limits: Partial<OrderLimits> = {}) => {
  const judged = judge(orderJson(changes), limits);
  if (!judged.ok) throw new Error(describeIssues(judged.issues));
  return judged;
};

describe('all errors of a bad order are reported', () => {
  test.each(BAD_ORDERS.map((row) => [row.name, row] as const))('%s', (_, { json, issues }) => {
    const judged = judge(json);
    expect(judged.ok ? 'accepted' : judged.issues).toEqual(issues);
  });

  test('the table is of different orders, which survive being written again', () => {
    expect(new Set(BAD_ORDERS.map(({ json }) => json)).size).toBe(BAD_ORDERS.length);
    expect(new Set(BAD_ORDERS.map(({ name }) => name)).size).toBe(BAD_ORDERS.length);
    expect(BAD_ORDERS.length).toBeGreaterThan(80);
    for (const row of BAD_ORDERS) {
      expect(row.issues.length).toBeGreaterThan(0);
      expect(judge(JSON.stringify(JSON.parse(row.json)))).toEqual(judge(row.json));
      const judged = judge(row.json);
      const id =
        judged.ok || judged.originId === null ? 'transfer-unreadable' : `transfer-${judged.originId}`;
      expect(workflowIdOf(row)).toBe(id);
    }
  });

  test('an absent argument is no object', () => {
    expect(validateOrder(undefined, DEFAULT_ORDER_LIMITS)).toEqual({
      ok: false,
      originId: null,
      issues: [{ path: '', rule: 'must be a JSON object' }],
    });
  });

  test('the sentence names each path and rule, in the order of the fields', () => {
    expect(describeIssues(issuesOf({ 'to.address': null, originId: 'null', 'body.amount': '"0"' }))).toBe(
      'originId is required; to.address is required; body.amount must be greater than zero',
    );
    const judged = judge('[]');
    expect(judged.ok ? '' : describeIssues(judged.issues)).toBe('the order must be a JSON object');
  });

  // A failure has a bound of 2 MB in the engine, and an order of that size could hold 300000 names.
  test('however much is wrong, the sentence stays short', () => {
    const names = Array.from({ length: 40 }, (_, i) => `${'x'.repeat(i)}${'y'.repeat(40 - i)}`);
    const members = [...names, ...Array.from({ length: 100_000 }, (_, i) => `f${i}`)].map(
      (name) => `"${name}":0`,
    );
    const issues = issuesOf({ '+': members.join(','), body: `{${members.join(',')}}` });
    expect(issues).toHaveLength(2 * 21 + 3);
    expect(describeIssues(issues).length).toBeLessThan(5_000);
  });
});

describe('a good order is normalised', () => {
  const NORMAL = {
    originId: 4711,
    from: {
      addressType: 'CBU_CVU',
      address: '0009001600000000000017',
      owner: { personIdType: 'CUI', personId: '30714979732' },
    },
    to: {
      addressType: 'CBU_CVU',
      address: '9990001800000000000017',
      owner: { personIdType: 'CUI', personId: '20218346414' },
    },
    body: { currencyId: '032', amount: '1500.25', description: 'Factura 17', concept: 'FAC' },
  };

  test.each<[string, OrderChanges]>([
    ['as it is', {}],
    [
      'separators in accounts',
      { 'from.address': '"00090016 00000000000017"', 'to.address': '"99900018-00000000000017"' },
    ],
    [
      'separators in tax ids',
      { 'from.owner.personId': '"30-71497973-2"', 'to.owner.personId': '" 20 21834641 4 "' },
    ],
    ['the amount as a number', { 'body.amount': '1500.25' }],
    ['the amount with an exponent', { 'body.amount': '1.50025e3' }],
    ['an originId that is a whole number', { originId: '4.711e3' }],
  ])('%s', (_, changes) => {
    expect(orderOf(changes)).toEqual({ ok: true, order: NORMAL, proof: null, warnings: [] });
  });

  test('no description is an empty one', () => {
    expect(orderOf({ 'body.description': null }).order.body.description).toBe('');
    expect(orderOf({ 'body.description': '""' }).order.body.description).toBe('');
  });

  test('a description is kept to the letter', () => {
    const text = ' "Ñandú" \\ 👩‍👩‍👧 \u2028 e\u0301 ';
    expect(orderOf({ 'body.description': JSON.stringify(text) }).order.body.description).toBe(text);
  });

  const parties = fc
    .uniqueArray(validAccount, { minLength: 2, maxLength: 2 })
    .chain(([from, to]) => fc.record({ from: fc.constant(from!), to: fc.constant(to!) }));
  const taxId = validTaxId(fc.constantFrom('20', '27', '30'));

  test('every order of valid parts is accepted, and its normal form is itself', () => {
    fc.assert(
      fc.property(
        parties,
        taxId,
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        ({ from, to }, id, originId) => {
          const { order } = orderOf({
            originId: String(originId),
            'from.address': `"${from}"`,
            'to.address': `"${to}"`,
            'to.owner.personId': `"${id}"`,
          });
          expect(order).toMatchObject({
            originId,
            from: { address: from },
            to: { address: to, owner: { personId: id } },
          });
          expect(validateOrder(order, DEFAULT_ORDER_LIMITS)).toEqual({
            ok: true,
            order,
            proof: null,
            warnings: [],
          });
        },
      ),
    );
  });
});

describe('check digits', () => {
  const WRONG = { 'to.address': '"9990001800000000000018"', 'from.owner.personId': '"20123456789"' };
  const TOLD = [
    { path: 'from.owner.personId', rule: 'has a wrong check digit (CUIT/CUIL)' },
    { path: 'to.address', rule: 'has a wrong check digit (CBU/CVU)' },
  ];

  test('strict: refused', () => expect(issuesOf(WRONG)).toEqual(TOLD));

  test('warn: accepted with warnings', () => {
    const { order, warnings } = orderOf(WRONG, { checkDigits: 'warn' });
    expect(warnings).toEqual(TOLD);
    expect(order.to.address).toBe('9990001800000000000018');
  });

  test('off: not checked', () => expect(orderOf(WRONG, { checkDigits: 'off' }).warnings).toEqual([]));

  test.each(['warn', 'off'] as const)(
    '%s: lengths, zeros and aliases are refused all the same',
    (checkDigits) => {
      const issues = issuesOf(
        {
          'from.address': `"${'0'.repeat(22)}"`,
          'to.address': '"mi.alias.banco"',
          'from.owner.personId': '"3071497973"',
        },
        { checkDigits },
      );
      expect(issues.map(({ path }) => path)).toEqual(['from.address', 'from.owner.personId', 'to.address']);
    },
  );

  test('an unknown prefix with a good digit is a warning', () => {
    fc.assert(
      fc.property(validTaxId(fc.constantFrom('10', '21', '99')), (id) => {
        const changes = { 'to.owner.personId': `"${id}"` };
        const rule = 'begins with a prefix that is not known for a CUIT or CUIL';
        expect(orderOf(changes).warnings).toEqual([{ path: 'to.owner.personId', rule }]);
        expect(orderOf(changes, { checkDigits: 'off' }).warnings).toEqual([]);
      }),
    );
  });
});

describe('limits of the operator', () => {
  test('AMOUNT_MAX, inclusive', () => {
    const limits = { amountMax: '1500.25' };
    expect(issuesOf({ 'body.amount': '"1500.25"' }, limits)).toEqual([]);
    expect(issuesOf({ 'body.amount': '1500.26' }, limits)).toEqual([
      { path: 'body.amount', rule: 'must be at most 1500.25 (AMOUNT_MAX)' },
    ]);
    // By value, not by text: "9" is less than "1500.25".
    expect(issuesOf({ 'body.amount': '"9"' }, limits)).toEqual([]);
  });

  test('a limit that cannot be read lets nothing through', () => {
    expect(() => judge(orderJson(), { amountMax: '1.500,25' })).toThrow('not an amount');
  });

  test('FROM_ACCOUNTS, compared after normalisation; the destination is free', () => {
    const limits = { fromAccounts: ['0009001600000000000017', '0009001600000000000024'] };
    expect(issuesOf({ 'from.address': '"00090016-00000000000024"' }, limits)).toEqual([]);
    expect(issuesOf({ 'from.address': '"0009001601234567890126"' }, limits)).toEqual([
      { path: 'from.address', rule: 'is not one of the accounts in FROM_ACCOUNTS' },
    ]);
    expect(issuesOf({}, { fromAccounts: [] })).toHaveLength(1);
  });

  test('CONCEPTS replace the nine', () => {
    expect(issuesOf({ 'body.concept': '"VAR"' })).toEqual([]);
    expect(issuesOf({ 'body.concept': '"XYZ"' }, { concepts: ['XYZ'] })).toEqual([]);
    expect(issuesOf({ 'body.concept': '"FAC"' }, { concepts: ['XYZ', 'VAR'] })).toEqual([
      { path: 'body.concept', rule: 'must be one of XYZ, VAR (CONCEPTS)' },
    ]);
  });

  test('DESCRIPTION_MAX counts characters, not their halves', () => {
    const of = (text: string) => ({ 'body.description': JSON.stringify(text) });
    expect(issuesOf(of('😀'.repeat(100)))).toEqual([]);
    expect(issuesOf(of('😀'.repeat(101)))).toHaveLength(1);
    expect(issuesOf(of(''), { descriptionMaxLength: 0 })).toEqual([]);
    expect(issuesOf(of('x'), { descriptionMaxLength: 0 })).toEqual([
      { path: 'body.description', rule: 'may have at most 0 characters (DESCRIPTION_MAX)' },
    ]);
  });

  test('ORIGIN_ID_MIN and ORIGIN_ID_MAX, inclusive', () => {
    const limits = { originIdMin: 100, originIdMax: 200 };
    expect(issuesOf({ originId: '100' }, limits)).toEqual([]);
    expect(issuesOf({ originId: '200' }, limits)).toEqual([]);
    expect(issuesOf({ originId: '99' }, limits)).toEqual([
      { path: 'originId', rule: 'must be at least 100 (ORIGIN_ID_MIN)' },
    ]);
    expect(issuesOf({ originId: '201' }, limits)).toEqual([
      { path: 'originId', rule: 'must be at most 200 (ORIGIN_ID_MAX)' },
    ]);
    expect(issuesOf({ originId: '9007199254740991' })).toEqual([]);
  });
});

describe('no personal value in errors', () => {
  /** Values no rule happens to hold: digits, or letters without a word in them. */
  const secret = fc.oneof(
    digitsOf(11),
    digitsOf(22),
    fc.stringMatching(/^[QXZJKW]{6,30}$/),
    fc.tuple(fc.stringMatching(/^[QXZJKW]{6}$/), digitsOf(8)).map((parts) => parts.join(' ')),
    fc.stringMatching(/^[qxzjkw]{6,12}@[qxzjkw]{6,9}$/),
    fc.stringMatching(/^[qxzjkw]{6}\.[qxzjkw]{6}$/),
  );
  const value = fc.oneof(
    secret,
    secret.map((text) => [text]),
    secret.map((text) => ({ value: text })),
    digitsOf(9).map((digits) => Number(`1${digits}.5`)),
  );
  /** As a name only what does not look like one; a word is taken for a name. */
  const key = secret.filter((text) => /[0-9]{4}|[ @.]/.test(text));
  const PATHS = [
    'originId',
    'from.addressType',
    'from.address',
    'from.owner',
    'from.owner.personIdType',
    'from.owner.personId',
    'to.address',
    'to.owner.personId',
    'to',
    'body',
    'body.currencyId',
    'body.amount',
    'body.description',
    'body.concept',
  ];
  const WINDOW = 6;

  function leaks(told: string, secrets: readonly string[]): string[] {
    // The one long number that rules name themselves.
    const text = told.replaceAll(String(Number.MAX_SAFE_INTEGER), '');
    return secrets.flatMap((whole) =>
      Array.from({ length: Math.max(0, whole.length - WINDOW + 1) }, (_, i) =>
        whole.slice(i, i + WINDOW),
      ).filter((part) => text.includes(part)),
    );
  }

  test('whatever value in whatever field', () => {
    const limits = fc.constantFrom<OrderLimits['checkDigits']>('strict', 'warn', 'off');
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...PATHS), value, { minKeys: 1 }),
        fc.dictionary(key, value),
        limits,
        (values, keys, checkDigits) => {
          // A field that is overwritten has no fields of its own.
          const changes = Object.entries(values)
            .filter(([path]) => !Object.keys(values).some((other) => path.startsWith(`${other}.`)))
            .map(([path, v]) => [path, JSON.stringify(v)] as const);
          const members = JSON.stringify(keys).slice(1, -1);
          const json = orderJson({
            ...Object.fromEntries(changes),
            ...(members === '' ? {} : { '+': members }),
          });
          const judged = judge(json, { checkDigits, originIdMin: 1000 });
          const told = judged.ok ? judged.warnings : judged.issues;
          const secrets = (JSON.stringify([values, keys]).match(/[^"[\]{}:,]+/g) ?? []).filter(
            (text) => !PATHS.includes(text),
          );
          expect(leaks(describeIssues(told), secrets)).toEqual([]);
          expect(leaks(JSON.stringify(told), secrets)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('the search itself finds a leak', () => {
    expect(leaks('from.address 0009001 is wrong', ['0009001600000000000017'])).toEqual(['000900', '009001']);
  });
});

describe('garbage', () => {
  const anything = fc.anything({
    withBigInt: true,
    withNullPrototype: true,
    withSparseArray: true,
    withDate: true,
  });

  test('is judged, never thrown at', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const judged = validateOrder(input, DEFAULT_ORDER_LIMITS);
        expect(judged.ok ? [] : judged.issues).not.toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('in each field of an order', () => {
    const order = fc.record(
      {
        originId: anything,
        from: fc.oneof(anything, fc.record({ addressType: anything, address: anything, owner: anything })),
        to: anything,
        body: fc.oneof(
          anything,
          fc.record({ currencyId: anything, amount: anything, description: anything, concept: anything }),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(order, (input) => {
        expect(validateOrder(input, DEFAULT_ORDER_LIMITS).ok).toBe(false);
      }),
    );
  });

  test('of a thousand levels', () => {
    const deep = `${'{"from":'.repeat(1000)}1${'}'.repeat(1000)}`;
    expect(judge(deep)).toMatchObject({ ok: false });
    expect(judge(`${'['.repeat(1000)}${']'.repeat(1000)}`)).toMatchObject({ ok: false });
  });

  test('leaves the input and every prototype as they were', () => {
    const input: unknown = JSON.parse(orderJson({ '+': '"__proto__":{"polluted":1}' }));
    const before = JSON.stringify(input);
    validateOrder(input, DEFAULT_ORDER_LIMITS);
    expect(JSON.stringify(input)).toBe(before);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
