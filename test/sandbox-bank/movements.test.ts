import type { SandboxRule } from '../../src/sandbox-bank';
import { call, create, CREATE, orderText, QUERY, query, withBank } from './client';

const statuses = async (rules: readonly SandboxRule[], queries: number): Promise<unknown[]> => {
  const seen: unknown[] = [];
  await withBank(rules, async (bank) => {
    seen.push((await create(bank)).json.status);
    for (let i = 0; i < queries; i++) seen.push((await query(bank)).json.status);
  });
  return seen;
};

test('states advance by get-movement and the last one stays', async () => {
  expect(await statuses([], 4)).toEqual(['CREATED', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
  expect(await statuses([{ states: ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'] }], 3)).toEqual([
    'CREATED',
    'DELAYED',
    'DELAYED',
    'COMPLETED',
  ]);
  expect(await statuses([{ states: ['COMPLETED'] }], 1)).toEqual(['COMPLETED', 'COMPLETED']);
  expect(await statuses([{ states: ['CREATED', 'en espera'] }], 1)).toEqual(['CREATED', 'en espera']);
});

test('a movement has the full shape of the reference', async () => {
  await withBank([{ states: ['COMPLETED'] }], async (bank) => {
    const { json, headers } = await create(bank, { description: 'Señal "ñ"' });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9]+$/),
      status: 'COMPLETED',
      counterparty: {
        personId: '20218346414',
        personIdType: 'CUI',
        personName: expect.any(String),
        accountRouting: { addressType: 'CBU', address: '9990001800000000000017' },
      },
      details: {
        type: 'DEBIT_TRANSFER_SENT_CVU',
        typeDescription: expect.any(String),
        originId: 4711,
        network: 'COELSA',
        networkId: expect.stringMatching(/^[A-Z0-9]{22}$/),
        postingDatetime: instant,
        completedDatetime: instant,
        amountCurrency: '032',
        amount: 1500.25,
        motiveCode: 'FAC',
        message: 'Señal "ñ"',
      },
      thisSubAccount: {
        owners: [
          {
            personId: '30714979732',
            personIdType: 'CUI',
            personName: expect.any(String),
            personType: 'COMPANY',
          },
        ],
        accountRouting: { addressType: 'CVU', address: '0009001600000000000017' },
      },
    });
  });
});

test.each([
  ['100.10', '9007199254740993'],
  ['0.29', '1'],
  ['9999999999999.99', '9223372036854775807'],
])('amount %s and originId %s go through as written, both ways', async (amount, originId) => {
  await withBank([], async (bank) => {
    for (const { text } of [await create(bank, { amount, originId }), await query(bank, originId)]) {
      expect(text).toContain(`"amount":${amount},`);
      expect(text).toContain(`"originId":${originId},`);
    }
    const raw = await call(bank, QUERY, { body: `{"originId":${originId},"getRawData":true}` });
    expect(raw.text).toContain(`"importe":${amount}}`);
    expect(bank.book.movement(originId)).toMatchObject({ originId, amount });
    expect(bank.book.requests(originId)).toHaveLength(3);
  });
});

test('movement ids are above what a double can hold, and unique', async () => {
  await withBank([], async (bank) => {
    const first = (await create(bank, { originId: '1' })).json.id as string;
    const second = (await create(bank, { originId: '2' })).json.id as string;
    expect(BigInt(first)).toBe(9007199254740993n);
    expect(BigInt(second)).toBe(BigInt(first) + 1n);
  });
});

test('a movement is found by originId, networkId and debinId; keys that disagree find nothing', async () => {
  await withBank([], async (bank) => {
    await create(bank, { originId: '1' });
    await create(bank, { originId: '2' });
    const { networkId, debinId } = bank.book.movement('1')!;
    const ask = (keys: object) => call(bank, QUERY, { body: JSON.stringify(keys) });
    expect((await ask({ networkId })).json.details.originId).toBe(1);
    expect((await ask({ debinId })).json.details.originId).toBe(1);
    expect((await ask({ originId: 1, networkId })).status).toBe(200);
    const disagreeing = await ask({ originId: 2, networkId });
    expect([disagreeing.status, disagreeing.json.code]).toEqual([404, 'MOVEMENT_NOT_FOUND']);
    expect((await ask({ originId: 3 })).status).toBe(404);
    // Asked by the network's id, it is still in the books of its originId.
    expect(bank.book.movement('1')!.queries).toBe(3);
  });
});

test('raw data has the network’s format, not the Movement’s', async () => {
  await withBank([{ states: ['CREATED', 'FAILED'] }], async (bank) => {
    const created = await create(bank);
    const { json } = await call(bank, QUERY, { body: '{"originId":4711,"getRawData":true}' });
    expect(json).toMatchObject({
      respuesta: { codigo: '55', descripcion: 'FAILED' },
      operacion: { id: created.json.details.networkId, importe: { moneda: '032', importe: 1500.25 } },
      debito: { cuit: '30714979732', cuenta: { cbu: '0009001600000000000017' } },
      credito: { cuit: '20218346414' },
    });
    expect(json).not.toHaveProperty('status');
  });
});

test('a repeated originId is answered with the first movement, whatever the second order says', async () => {
  await withBank([], async (bank) => {
    const first = await create(bank, { amount: '10.00' });
    await query(bank);
    const again = await create(bank, { amount: '99.00' });
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ id: first.json.id, status: 'IN_PROGRESS', details: { amount: 10 } });
    // A repeat does not move the state on.
    expect((await query(bank)).json.status).toBe('COMPLETED');
    expect(bank.book.movements()).toHaveLength(1);
    expect(bank.book.movement('4711')).toMatchObject({ amount: '10.00', creates: 2, queries: 2 });
    expect(bank.book.requests().map(({ outcome }) => outcome)).toEqual([
      'ok',
      'ok',
      'duplicate-original',
      'ok',
    ]);
  });
});

test('… or with an error, by rule', async () => {
  await withBank([{ duplicates: 'error' }], async (bank) => {
    expect((await create(bank)).status).toBe(200);
    const again = await create(bank);
    expect([again.status, again.json.code]).toEqual([409, 'DUPLICATE_ORIGIN_ID']);
    expect(bank.book.movements()).toHaveLength(1);
  });
});

test('the same originId many times at once makes one movement', async () => {
  await withBank([{ create: [{ fault: 'slow', delayMs: 20 }] }], async (bank) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(bank)));
    expect(new Set(replies.map(({ json }): unknown => json.id))).toHaveProperty('size', 1);
    expect(bank.book.movements()).toHaveLength(1);
    expect(bank.book.movement('4711')!.creates).toBe(20);
  });
});

const wrongOrders: [string, string, string][] = [
  ['amount as text', orderText({ amount: '"1500.25"' }), 'body.amount'],
  ['amount with one decimal', orderText({ amount: '1500.2' }), 'body.amount'],
  ['amount with an exponent', orderText({ amount: '1.50025e3' }), 'body.amount'],
  ['amount zero', orderText({ amount: '0.00' }), 'body.amount'],
  ['amount negative', orderText({ amount: '-1.00' }), 'body.amount'],
  ['originId as text', orderText({ originId: '"4711"' }), 'originId'],
  ['originId with an exponent', orderText({ originId: '4.711e3' }), 'originId'],
  ['originId with decimals', orderText({ originId: '4711.0' }), 'originId'],
  ['account of 21 digits', orderText({ to: '999000180000000000001' }), 'to.address'],
  ['field missing', orderText().replace(',"concept":"FAC"', ''), 'body.concept'],
  ['originId missing', orderText().replace('"originId":4711,', ''), 'originId'],
  ['field added', orderText().replace('{"originId"', '{"more":1,"originId"'), 'more'],
  ['another currency', orderText().replace('"032"', '"840"'), 'body.currencyId'],
  ['a key twice', orderText().replace('{"originId"', '{"originId":1,"originId"'), 'not JSON'],
  ['no JSON', 'originId=4711', 'not JSON'],
  ['nothing', '', 'not JSON'],
  ['an array', `[${orderText()}]`, 'expected object'],
];

test.each(wrongOrders)('create refuses: %s', async (_name, body, named) => {
  await withBank([], async (bank) => {
    const { status, json } = await call(bank, CREATE, { body });
    expect([status, json.code]).toEqual([400, 'VALIDATION']);
    expect(json.message).toContain(named);
    expect(json.message).not.toContain('9990001800000000000017');
    expect(bank.book.movements()).toEqual([]);
    expect(bank.book.requests()).toMatchObject([{ outcome: 'validation', status: 400 }]);
  });
});

test('create names every wrong field at once, and wants JSON in UTF-8', async () => {
  await withBank([], async (bank) => {
    const body = orderText({ amount: '1', originId: '0.5', from: '1' });
    const { message } = (await call(bank, CREATE, { body })).json;
    for (const path of ['originId', 'from.address', 'body.amount']) expect(message).toContain(`${path}: `);
    const typed = async (type: string | null, bytes: string | Buffer = orderText()) =>
      (await call(bank, CREATE, { body: bytes, headers: type === null ? {} : { 'content-type': type } }))
        .status;
    expect(await typed('text/plain')).toBe(400);
    expect(await typed(null)).toBe(400);
    expect(await typed('application/json; charset=latin1')).toBe(400);
    expect(await typed('application/json', Buffer.from(orderText({ description: 'ñ' }), 'latin1'))).toBe(400);
    expect(await typed('application/json; charset=UTF-8')).toBe(200);
  });
});

test.each([
  '{}',
  '{"getRawData":true}',
  '{"originId":"1"}',
  '{"originId":1,"more":1}',
  '{"originId":1.5}',
  '7',
])('get-movement refuses %s', async (body) => {
  await withBank([], async (bank) => {
    const { status, json } = await call(bank, QUERY, { body });
    expect([status, json.code]).toEqual([400, 'VALIDATION']);
  });
});
