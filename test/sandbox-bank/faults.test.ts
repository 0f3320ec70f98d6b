import type { SandboxRule } from '../../src/sandbox-bank';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { Reply } from './client';
import { call, create, CREATE, failure, QUERY, query, until, withBank } from './client';

type Step = NonNullable<SandboxRule['create']>[number];
type QueryStep = NonNullable<SandboxRule['query']>[number];

/** What the client sees of one create, and how many movements there are then. */
async function onCreate(step: Step): Promise<{ seen: string; movements: number }> {
  let result = { seen: '', movements: -1 };
  await withBank([{ create: [step] }], async (bank) => {
    const seen = await failure(create(bank));
    result = { seen, movements: bank.book.movements().length };
    const [record] = bank.book.requests();
    expect(record).toMatchObject({
      outcome: typeof step === 'string' ? step : step.fault,
      status: seen.startsWith('answered') ? Number(seen.slice('answered '.length)) : null,
      originId: '4711',
      finishedAt: expect.any(String),
    });
    // After the end of the list: ok.
    expect((await create(bank)).status).toBe(200);
    expect(bank.book.movements()).toHaveLength(1);
  });
  return result;
}

test.each<[Step, string, number]>([
  ['lost-answer', 'ECONNRESET', 1],
  ['reset', 'ECONNRESET', 0],
  [{ fault: 'timeout-before', holdMs: 20 }, 'ECONNRESET', 0],
  [{ fault: 'timeout-after', holdMs: 20 }, 'ECONNRESET', 1],
  ['duplicate-error', 'answered 409', 0],
  [{ fault: 'duplicate-error', taken: true }, 'answered 409', 1],
  [{ fault: 'slow', delayMs: 10 }, 'answered 200', 1],
  ...[400, 401, 403, 409, 422, 429, 500, 502, 503, 504].map((code): [Step, string, number] => [
    `http-${code}`,
    `answered ${code}`,
    0,
  ]),
  [{ fault: 'http-500', taken: true }, 'answered 500', 1],
  [{ fault: 'http-204' }, 'answered 204', 0],
])('create: %j is seen as %s and leaves %i movements', async (step, seen, movements) => {
  expect(await onCreate(step)).toEqual({ seen, movements });
});

test('a reset is one on the wire; a lost answer is an orderly close', async () => {
  await withBank([{ create: ['reset', 'lost-answer'] }], async (bank) => {
    await expect(create(bank)).rejects.toMatchObject({ syscall: 'read', message: 'read ECONNRESET' });
    await expect(create(bank)).rejects.toMatchObject({ message: 'socket hang up' });
  });
});

test('the same over TLS', async () => {
  await withBank(
    [{ create: ['reset', 'lost-answer'] }],
    async (bank) => {
      await expect(create(bank)).rejects.toMatchObject({ syscall: 'read', message: 'read ECONNRESET' });
      await expect(create(bank)).rejects.toMatchObject({ message: 'socket hang up' });
      expect((await create(bank)).json.status).toBe('CREATED');
    },
    { tls: true },
  );
});

test('a held request stays open until the client gives up', async () => {
  await withBank([{ create: ['timeout-before', 'timeout-after'] }], async (bank) => {
    for (const movements of [0, 1]) {
      const giveUp = new AbortController();
      const held = failure(create(bank, {}, { signal: giveUp.signal }));
      await until(() => bank.book.requests()[movements]?.outcome.startsWith('timeout') === true);
      const record = bank.book.requests().at(-1)!;
      expect(record).toMatchObject({ status: null, finishedAt: null, bodySha256: expect.any(String) });
      expect(bank.book.movements()).toHaveLength(movements);
      giveUp.abort();
      expect(await held).toBe('ABORT_ERR');
      await until(() => record.finishedAt !== null);
      expect(record.status).toBeNull();
    }
  });
});

test('a slow answer comes not before its time, and what it does is done on arrival', async () => {
  await withBank([{ create: [{ fault: 'slow', delayMs: 120 }] }], async (bank) => {
    const startedAt = performance.now();
    const reply = create(bank);
    await until(() => bank.book.movements().length === 1);
    expect(bank.book.requests()[0]).toMatchObject({ finishedAt: null, status: null });
    expect((await reply).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
    expect(bank.book.requests()[0]).toMatchObject({ status: 200, movementStatus: 'CREATED' });
  });
});

test('a slow answer that the client did not wait for counts as none', async () => {
  await withBank([{ create: [{ fault: 'slow', delayMs: 150 }] }], async (bank) => {
    const giveUp = new AbortController();
    const reply = failure(create(bank, {}, { signal: giveUp.signal }));
    await until(() => bank.book.movements().length === 1);
    giveUp.abort();
    expect(await reply).toBe('ABORT_ERR');
    await until(() => bank.book.requests()[0]?.finishedAt !== null);
    expect(bank.book.requests()[0]).toMatchObject({ status: null, outcome: 'slow' });
  });
});

test('an HTTP fault carries code, body and headers of the rule; a redirect points back', async () => {
  const steps: Step[] = [
    { fault: 'http-422', code: 'ACCOUNT_CLOSED' },
    { fault: 'http-200', body: { statusCode: 12, amount: 1.5 } },
    { fault: 'http-429', headers: { 'retry-after': '7' } },
    'http-307',
    { fault: 'http-200', headers: { 'Content-Type': 'text/html' } },
  ];
  await withBank([{ create: steps }], async (bank) => {
    expect((await create(bank)).json.code).toBe('ACCOUNT_CLOSED');
    expect((await create(bank)).json).toEqual({ statusCode: 12, amount: 1.5 });
    expect((await create(bank)).headers['retry-after']).toBe('7');
    expect((await create(bank)).headers.location).toBe(CREATE);
    expect((await create(bank)).headers['content-type']).toBe('text/html');
    expect(bank.book.movements()).toEqual([]);
  });
});

const malformed = async (name: string): Promise<Reply> => {
  const bank = await startSandboxBank({
    tls: false,
    rules: [{ create: [`malformed:${name}` as 'malformed:html'] }],
  });
  try {
    const reply = await create(bank);
    expect([reply.status, bank.book.movements().length]).toEqual([200, 1]);
    return reply;
  } finally {
    await bank.close();
  }
};

test('malformed bodies are what their names say', async () => {
  expect(await malformed('html')).toMatchObject({
    text: expect.stringMatching(/^<!DOCTYPE/),
    headers: { 'content-type': 'text/html' },
  });
  expect((await malformed('empty')).text).toBe('');
  const truncated = (await malformed('truncated')).text;
  expect(truncated).toContain('"counterparty"');
  expect(() => JSON.parse(truncated) as unknown).toThrow(SyntaxError);
  expect(JSON.parse((await malformed('array')).text)).toMatchObject([{ status: 'CREATED' }]);
  expect((await malformed('null')).text).toBe('null');
  expect(typeof JSON.parse((await malformed('string')).text)).toBe('string');
  expect((await malformed('no-fields')).text).toBe('{}');
  expect(JSON.parse((await malformed('wrong-types')).text)).toMatchObject({ status: 7 });
  expect((await malformed('duplicate-keys')).text.match(/"status":/g)).toHaveLength(2);
  const { bytes } = await malformed('wrong-charset');
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow(
    'not valid for encoding utf-8',
  );
  expect((await malformed('fake-gzip')).headers).toMatchObject({ 'content-encoding': 'gzip' });
  expect((await malformed('huge')).bytes.length).toBeGreaterThan(8_000_000);
});

test('a body that is cut off ends before the length it promised', async () => {
  await withBank([{ create: ['malformed:cut-off'] }], async (bank) => {
    expect(await failure(create(bank))).toBe('ECONNRESET');
    expect(bank.book.movements()).toHaveLength(1);
    await until(() => bank.book.requests()[0]?.status === null);
  });
});

test('a malformed answer need not mean that the order was taken', async () => {
  await withBank([{ create: [{ fault: 'malformed:truncated', taken: false }] }], async (bank) => {
    expect((await create(bank)).text).toContain('"counterparty"');
    expect(bank.book.movements()).toEqual([]);
    expect((await query(bank)).status).toBe(404);
  });
});

test('faults of queries come in their order and leave the state where it is', async () => {
  const steps: QueryStep[] = [
    { fault: 'not-found', times: 2 },
    'http-503',
    'reset',
    'lost-answer',
    { fault: 'timeout-before', holdMs: 10 },
    'malformed:html',
    { fault: 'slow', delayMs: 5 },
  ];
  await withBank([{ query: steps }], async (bank) => {
    await create(bank);
    const seen: string[] = [];
    for (let i = 0; i < 7; i++) seen.push(await failure(query(bank)));
    expect(seen).toEqual([
      ...['answered 404', 'answered 404', 'answered 503'],
      ...['ECONNRESET', 'ECONNRESET', 'ECONNRESET', 'answered 200'],
    ]);
    expect(bank.book.movement('4711')!.status).toBe('CREATED');
    expect((await query(bank)).json.status).toBe('IN_PROGRESS');
    expect((await query(bank)).json.status).toBe('COMPLETED');
    expect(
      bank.book.requests('4711').map(({ outcome, movementStatus }) => [outcome, movementStatus]),
    ).toEqual([
      ['ok', 'CREATED'],
      ['not-found', null],
      ['not-found', null],
      ['http-503', null],
      ['reset', null],
      ['lost-answer', null],
      ['timeout-before', null],
      ['malformed:html', null],
      ['slow', 'IN_PROGRESS'],
      ['ok', 'COMPLETED'],
    ]);
  });
});

test('"always" goes on for ever', async () => {
  await withBank([{ query: ['ok', { fault: 'not-found', times: 'always' }] }], async (bank) => {
    await create(bank);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) seen.push((await query(bank)).status);
    expect(seen).toEqual([200, 404, 404, 404, 404]);
  });
});

test('wrong and missing echo fields, from one answer until another', async () => {
  const echo: NonNullable<SandboxRule['echo']> = [
    { set: { 'details.amount': 1, id: '7' }, until: 2 },
    { set: { 'counterparty.accountRouting.address': null, 'extra.deep': [1] }, from: 3, until: 3 },
    { omit: ['details'], from: 4 },
  ];
  await withBank([{ echo }], async (bank) => {
    const { id } = bank.book.movement('4711') ?? { id: '' };
    expect(id).toBe('');
    expect((await create(bank)).json).toMatchObject({ id: '7', details: { amount: 1 } });
    // A fault gives no movement, so it does not count.
    expect((await call(bank, QUERY, { body: '{"originId":1}' })).status).toBe(404);
    expect((await query(bank)).json).toMatchObject({ id: '7', details: { amount: 1 } });
    expect((await query(bank)).json).toMatchObject({
      id: bank.book.movement('4711')!.id,
      details: { amount: 1500.25 },
      counterparty: { accountRouting: { address: null, addressType: 'CBU' } },
      extra: { deep: [1] },
    });
    const last = (await query(bank)).json;
    expect(last).not.toHaveProperty('details');
    expect(last).toMatchObject({ status: 'COMPLETED', counterparty: { personId: '20218346414' } });
    // The books keep what the bank knows.
    expect(bank.book.movement('4711')!.amount).toBe('1500.25');
  });
});

test('owners as one object, and fixed ids', async () => {
  const rule: SandboxRule = { owners: 'object', id: '9007199254740999', networkId: 'REPEATED0000000000000A' };
  await withBank([rule], async (bank) => {
    const first = (await create(bank, { originId: '1' })).json;
    expect(first.thisSubAccount.owners).toMatchObject({ personId: '30714979732' });
    const second = (await create(bank, { originId: '2' })).json;
    for (const { id, details } of [first, second])
      expect([id, details.networkId]).toEqual([rule.id, rule.networkId]);
    const { json } = await call(bank, QUERY, { body: `{"networkId":"${rule.networkId!}"}` });
    expect(json.details.originId).toBe(1);
  });
});
