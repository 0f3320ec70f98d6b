import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { RequestRecord } from '../../src/sandbox-bank';
import type { Call } from './client';
import { call, create, CREATE, failure, orderText, query, until, withBank } from './client';

const get = { method: 'GET' };
const put = (body: unknown): Call => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

test('requests are listed in order of arrival, with digest, workflow time and what was answered', async () => {
  await withBank([{ match: { originId: 4711 }, create: ['lost-answer'] }], async (bank) => {
    const giroTime = '2026-03-01T12:00:00.000Z';
    await failure(
      create(bank, {}, { headers: { 'content-type': 'application/json', 'x-giro-time': giroTime } }),
    );
    await query(bank);
    await call(bank, CREATE, { body: '{"originId":4711}' });
    await call(bank, '/v2/apibank/movements/other', { body: 'text' });
    await create(bank, { originId: '9007199254740993' });
    const all = (await call(bank, '/sandbox/requests', get)).json as RequestRecord[];
    expect(
      all.map(({ seq, service, originId, status, outcome }) => [seq, service, originId, status, outcome]),
    ).toEqual([
      [1, 'transfer-request', '4711', null, 'lost-answer'],
      [2, 'get-movement', '4711', 200, 'ok'],
      [3, 'transfer-request', '4711', 400, 'validation'],
      [4, 'unknown', null, 404, 'unknown-path'],
      [5, 'transfer-request', '9007199254740993', 200, 'ok'],
    ]);
    expect(all[0]).toMatchObject({
      giroTime,
      bodySha256: createHash('sha256').update(orderText()).digest('hex'),
    });
    expect(all[1]!.giroTime).toBeNull();
    for (const { at, finishedAt } of all) {
      expect(at).toBe(new Date(at).toISOString());
      expect(finishedAt! >= at).toBe(true);
    }
    const seqs = async (search: string) =>
      ((await call(bank, `/sandbox/requests?${search}`, get)).json as RequestRecord[]).map(({ seq }) => seq);
    expect(await seqs('originId=4711')).toEqual([1, 2, 3]);
    expect(await seqs('after=3')).toEqual([4, 5]);
    expect(await seqs('originId=1')).toEqual([]);
    expect((await call(bank, '/sandbox/requests?after=x', get)).status).toBe(400);
  });
});

test('movements over HTTP are those in the process', async () => {
  await withBank([], async (bank) => {
    await create(bank, { originId: '9007199254740993', amount: '0.10', description: 'a' });
    await create(bank, { originId: '2', amount: '20.00', description: 'b' });
    await query(bank, '2');
    const { json } = await call(bank, '/sandbox/movements', get);
    expect(json).toEqual(bank.book.movements());
    expect(json).toMatchObject([
      { originId: '9007199254740993', amount: '0.10', status: 'CREATED', creates: 1, queries: 0 },
      {
        originId: '2',
        amount: '20.00',
        currency: '032',
        status: 'IN_PROGRESS',
        from: { address: '0009001600000000000017', owner: { personId: '30714979732' } },
        to: { address: '9990001800000000000017' },
        network: 'COELSA',
        creates: 1,
        queries: 1,
      },
    ]);
    const one = await call(bank, '/sandbox/movements?originId=2', get);
    expect(one.json).toEqual([bank.book.movement('2')]);
    expect((await call(bank, '/sandbox/movements?originId=3', get)).json).toEqual([]);
  });
});

test('a movement can be given new states', async () => {
  await withBank([{ states: ['DELAYED'] }], async (bank) => {
    await create(bank);
    const states = (originId: string, body: unknown) =>
      call(bank, `/sandbox/movements/${originId}`, put(body));
    expect((await states('4711', { states: ['IN_PROGRESS', 'FAILED'] })).json.status).toBe('IN_PROGRESS');
    expect((await query(bank)).json.status).toBe('FAILED');
    expect((await states('1', { states: ['FAILED'] })).status).toBe(404);
    expect((await states('4711', { states: [] })).json.problems).toMatchObject([{ path: 'states' }]);
  });
});

test('a reset forgets movements and requests, and lets the originId be used anew', async () => {
  await withBank([], async (bank) => {
    const before = (await create(bank)).json.id as string;
    expect((await call(bank, '/sandbox/book', { method: 'DELETE', headers: {} })).status).toBe(204);
    expect((await call(bank, '/sandbox/movements', get)).json).toEqual([]);
    expect((await call(bank, '/sandbox/requests', get)).json).toEqual([]);
    expect((await query(bank)).status).toBe(404);
    expect((await create(bank)).json.id).not.toBe(before);
  });
});

test('an outage hits every service, takes nothing, uses up no step of a rule, and leaves the books open', async () => {
  await withBank([{ create: ['http-500'] }], async (bank) => {
    const outage = (mode: string) => call(bank, '/sandbox/outage', put({ mode }));
    await outage('http-503');
    expect((await create(bank)).status).toBe(503);
    expect((await query(bank)).status).toBe(503);
    await outage('reset');
    expect(await failure(create(bank))).toBe('ECONNRESET');
    await outage('hang');
    const giveUp = new AbortController();
    const held = failure(create(bank, {}, { signal: giveUp.signal }));
    await until(() => bank.book.requests()[3]?.outcome === 'outage-hang');
    expect((await call(bank, '/sandbox/outage', get)).json).toEqual({ mode: 'hang' });
    giveUp.abort();
    expect(await held).toBe('ABORT_ERR');
    const listed = (await call(bank, '/sandbox/requests?originId=4711', get)).json as RequestRecord[];
    expect(listed.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['outage-http-503', 503],
      ['outage-http-503', 503],
      ['outage-reset', null],
      ['outage-hang', null],
    ]);
    expect((await outage('fire')).json.message).toContain('http-503');
    await outage('none');
    expect(bank.book.movements()).toEqual([]);
    // The rule's first step is still to come.
    expect((await create(bank)).status).toBe(500);
    expect((await create(bank)).status).toBe(200);
    expect(bank.book.movement('4711')!.creates).toBe(5);
  });
});

test('a request whose body never arrives whole is in the books', async () => {
  await withBank([], async (bank) => {
    const socket = connect(bank.port, '127.0.0.1');
    socket.write(
      `POST ${CREATE} HTTP/1.1\r\nHost: bank\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"origin`,
    );
    await until(() => bank.book.requests().length === 1);
    expect(bank.book.requests()[0]).toMatchObject({
      service: 'transfer-request',
      outcome: 'pending',
      status: null,
    });
    socket.destroy();
    await until(() => bank.book.requests()[0]?.outcome === 'client-gone');
    expect(bank.book.requests()[0]).toMatchObject({
      originId: null,
      bodySha256: null,
      finishedAt: expect.any(String),
    });
  });
});

test('a body above the limit is refused and in the books', async () => {
  await withBank([], async (bank) => {
    const seen = await failure(call(bank, CREATE, { body: `"${'x'.repeat(2_000_000)}"` }));
    // Refused while it is still being sent: the client may see the answer or the closed connection.
    expect(['answered 413', 'EPIPE', 'ECONNRESET']).toContain(seen);
    expect(bank.book.requests()[0]!.outcome).toBe('unreadable-request');
  });
});
