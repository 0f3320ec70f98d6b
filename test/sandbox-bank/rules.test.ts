import type { SandboxRule } from '../../src/sandbox-bank';
import { DEFAULT_RULES, SandboxRulesInvalid, startSandboxBank } from '../../src/sandbox-bank';
import type { OrderFields } from './client';
import { call, create, failure, query, withBank } from './client';

const marked = (match: SandboxRule['match']): SandboxRule => ({
  ...(match === undefined ? {} : { match }),
  states: ['MATCHED'],
});

test.each<[SandboxRule['match'], OrderFields, OrderFields]>([
  [{ amount: '1500.25' }, { amount: '1500.25' }, { amount: '1500.26' }],
  [{ amount: '1500.250' }, { amount: '1500.25' }, { amount: '150.25' }],
  [{ amount: '7' }, { amount: '7.00' }, { amount: '7.01' }],
  [{ account: '0009001600000000000024' }, { from: '0009001600000000000024' }, {}],
  [{ account: '0009001600000000000024' }, { to: '0009001600000000000024' }, {}],
  [{ from: '0009001600000000000024' }, { from: '0009001600000000000024' }, { to: '0009001600000000000024' }],
  [{ to: '0009001600000000000024' }, { to: '0009001600000000000024' }, { from: '0009001600000000000024' }],
  [{ originId: 17 }, { originId: '17' }, { originId: '170' }],
  [{ originId: '9007199254740993' }, { originId: '9007199254740993' }, { originId: '9007199254740992' }],
  [{ originId: { min: 10, max: 20 } }, { originId: '20' }, { originId: '21' }],
  [{ originId: { min: 10 } }, { originId: '10' }, { originId: '9' }],
  [{ originId: { max: '10' } }, { originId: '10' }, { originId: '11' }],
  [{ description: 'exact' }, { description: 'exact' }, { description: 'exactly' }],
  [{ description: { prefix: 'pre' } }, { description: 'prefix' }, { description: 'a prefix' }],
  [{ amount: '5', originId: 17 }, { amount: '5.00', originId: '17' }, { amount: '5.00' }],
])('match %j: %j and not %j', async (match, matching, other) => {
  await withBank([marked(match)], async (bank) => {
    expect((await create(bank, matching)).json.status).toBe('MATCHED');
    expect((await create(bank, { originId: '99', ...other })).json.status).toBe('CREATED');
  });
});

test('the first rule that matches wins; one without criteria takes the rest', async () => {
  const rules: SandboxRule[] = [
    { match: { amount: '1' }, states: ['FIRST'] },
    { match: { originId: 2 }, states: ['SECOND'] },
    { states: ['REST'] },
  ];
  await withBank(rules, async (bank) => {
    const status = async (fields: OrderFields): Promise<unknown> => (await create(bank, fields)).json.status;
    expect(await status({ originId: '1', amount: '1.00' })).toBe('FIRST');
    expect(await status({ originId: '2' })).toBe('SECOND');
    expect(await status({ originId: '3' })).toBe('REST');
  });
});

const put = (body: unknown) => ({
  method: 'PUT',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

test('PUT /sandbox/rules replaces all for new originIds; GET gives them back as they were', async () => {
  await withBank([{ states: ['OLD'] }], async (bank) => {
    await create(bank, { originId: '1' });
    const text = '[{"states":["NEW"],"echo":[{"set":{"details.amount":100.10,"id":9007199254740993}}]}]';
    expect((await call(bank, '/sandbox/rules', put(text))).status).toBe(200);
    expect((await call(bank, '/sandbox/rules', { method: 'GET' })).text).toBe(text);
    expect((await create(bank, { originId: '1' })).json.status).toBe('OLD');
    const created = await create(bank, { originId: '2' });
    expect(created.json.status).toBe('NEW');
    // Numbers of a rule reach the answer with their own literal.
    expect(created.text).toContain('"amount":100.10,');
    expect(created.text).toContain('"id":9007199254740993,');
    expect((await call(bank, '/sandbox/rules', put('[]'))).status).toBe(200);
    expect((await create(bank, { originId: '3' })).json.status).toBe('CREATED');
  });
});

test('an echo that changes a part of a value leaves the value of its rule as it is', async () => {
  const rules = [
    {
      echo: [
        { set: { counterparty: { personId: '1', personName: 'A' } } },
        { set: { 'counterparty.personId': '2' }, omit: ['counterparty.personName'], until: 1 },
      ],
    },
  ];
  await withBank([], async (bank) => {
    await call(bank, '/sandbox/rules', put(rules));
    expect((await create(bank)).json.counterparty).toEqual({ personId: '2' });
    expect((await query(bank)).json.counterparty).toEqual({ personId: '1', personName: 'A' });
    expect((await call(bank, '/sandbox/rules', { method: 'GET' })).json).toEqual(rules);
  });
});

const WRONG = [
  { states: [] },
  { match: { amount: '1.005', account: '123', originId: { min: 5, max: 1 } } },
  { create: ['explode', { fault: 'slow' }, { fault: 'reset', taken: true }, 'not-found'] },
  { query: ['timeout-after', { fault: 'ok', times: 0 }, { fault: 'ok', code: 'X' }] },
  { query: [{ fault: 'http-500', times: 'always' }, 'ok'] },
  { echo: [{ set: {} }, { omit: ['details..amount'], from: 2, until: 1 }] },
  { state: ['COMPLETED'] },
  { duplicates: 'both', owners: 1, id: 'abc' },
  { create: [{ fault: 'http-503', headers: { 'no name': '1', 'x-line': 'a\nb', 'Content-Length': '3' } }] },
];

const PLACES = [
  '[0].states',
  '[1].match.amount',
  '[1].match.account',
  '[1].match.originId',
  '[2].create[0].fault',
  '[2].create[1].delayMs',
  '[2].create[2].taken',
  '[2].create[3].fault',
  '[3].query[0].fault',
  '[3].query[1].times',
  '[3].query[2].code',
  '[4].query[0].times',
  '[5].echo[0]',
  '[5].echo[1].omit[0]',
  '[5].echo[1]',
  '[6]',
  '[7].duplicates',
  '[7].owners',
  '[7].id',
  '[8].create[0].headers.no name',
  '[8].create[0].headers.x-line',
  '[8].create[0].headers.content-length',
];

test('bad rules are refused as a whole, every problem by its place', async () => {
  await withBank([{ states: ['KEPT'] }], async (bank) => {
    const { status, json } = await call(bank, '/sandbox/rules', put(WRONG));
    expect([status, json.code]).toEqual([400, 'VALIDATION']);
    const problems = json.problems as readonly { readonly path: string }[];
    expect(problems.map(({ path }) => path)).toEqual(PLACES);
    for (const path of PLACES) expect(json.message).toContain(`${path}: `);
    expect(json.message).toMatch(
      /"explode" is not a fault of create: ok, slow, .*timeout-after.*malformed:<html\|/,
    );
    expect(json.message).toContain('Unrecognized key: "state"');
    expect((await create(bank)).json.status).toBe('KEPT');
    for (const body of ['{}', 'null', '{"rules":[]}', '[1]', 'nonsense', ''])
      expect((await call(bank, '/sandbox/rules', put(body))).status).toBe(400);
  });
});

test('bad rules at start: the same problems, and nothing serves', async () => {
  const error = await startSandboxBank({ rules: WRONG as never }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SandboxRulesInvalid);
  expect((error as SandboxRulesInvalid).problems.map(({ path }) => path)).toEqual(PLACES);
});

test('names of the default scenarios do not begin with one another', () => {
  const names = DEFAULT_RULES.map(({ name }) => name ?? '');
  for (const name of names) expect(names.filter((other) => other.startsWith(name))).toEqual([name]);
});

test.each([
  ['completed', ['COMPLETED']],
  ['failed', ['CREATED', 'FAILED']],
  ['late-failure', ['CREATED', 'DELAYED', 'FAILED']],
  ['unknown-status', ['CREATED', 'ON_HOLD', 'COMPLETED']],
  ['reversed', ['CREATED', 'COMPLETED', 'FAILED']],
])('default scenario sandbox:%s, with text behind it', async (name, states) => {
  await withBank(DEFAULT_RULES, async (bank) => {
    const seen = [(await create(bank, { description: `sandbox:${name} Factura 17` })).json.status];
    while (seen.length < states.length) seen.push((await query(bank)).json.status);
    expect(seen).toEqual(states);
  });
});

test('default scenarios with faults', async () => {
  await withBank(DEFAULT_RULES, async (bank) => {
    const first = (originId: string, name: string) =>
      failure(create(bank, { originId, description: `sandbox:${name}` }));
    const ask = (originId: string) => failure(query(bank, originId));
    expect([await first('1', 'refused'), await ask('1')]).toEqual(['answered 422', 'answered 404']);
    expect([await first('2', 'lost-answer'), await ask('2')]).toEqual(['ECONNRESET', 'answered 200']);
    expect([await first('3', 'error-but-taken'), await ask('3')]).toEqual(['answered 500', 'answered 200']);
    expect([await first('4', 'vanished'), await ask('4'), await ask('4')]).toEqual([
      ...['answered 200', 'answered 200', 'answered 404'],
    ]);
    expect([await first('5', 'flaky'), await ask('5'), await ask('5')]).toEqual([
      ...['answered 200', 'answered 500', 'ECONNRESET'],
    ]);
    expect([await first('6', 'duplicate-error'), await first('6', 'duplicate-error')]).toEqual([
      ...['ECONNRESET', 'answered 409'],
    ]);
  });
});
