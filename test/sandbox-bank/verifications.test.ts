import { request } from 'node:https';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank, SandboxBankOptions } from '../../src/sandbox-bank';

const PATH = '/external/kyc-kyb/api-get-identity-verification-request';

interface Answered {
  readonly status: number;
  readonly allow: string | undefined;
  readonly json: Record<string, unknown>;
}

let bank: SandboxBank;

function call(method: string, path: string, body?: unknown): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${bank.baseUrl}${path}`,
      { method, ca: bank.caPem ?? undefined, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => {
          const json = JSON.parse(text) as Record<string, unknown>;
          resolve({ status: answer.statusCode ?? 0, allow: answer.headers.allow, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const ask = (requestId: string, method = 'GET') =>
  call(method, `${PATH}?requestId=${encodeURIComponent(requestId)}`);

async function open(options: SandboxBankOptions = {}): Promise<void> {
  bank = await startSandboxBank(options);
}
afterEach(() => bank.close());

test('statuses advance with each answer, faults leave them where they are', async () => {
  await open({
    rules: [
      {
        kind: 'verification',
        match: { requestId: { prefix: 'k-' } },
        statuses: ['Pendiente', 'Rechazado'],
        query: ['ok', 'http-503', 'not-found', 'ok'],
      },
    ],
  });
  const seen = [];
  for (let i = 0; i < 5; i++) {
    const { status, json } = await ask('k-1');
    seen.push([status, json['status'] ?? json['code']]);
  }
  expect(seen).toEqual([
    [200, 'Pendiente'],
    [503, 'NETWORK_NOT_AVAILABLE'],
    [404, 'VERIFICATION_NOT_FOUND'],
    [200, 'Rechazado'],
    [200, 'Rechazado'],
  ]);
  expect(bank.book.verifications.record('k-1')).toMatchObject({
    status: 'Rechazado',
    queries: 5,
    answers: 3,
  });
  expect(bank.book.verificationRequests('k-1').map(({ movementStatus }) => movementStatus)).toEqual([
    'Pendiente',
    null,
    null,
    'Rechazado',
    'Rechazado',
  ]);
});

test('without a rule: Pendiente twice, then Aprobado; an id counts as it is after decoding', async () => {
  await open({ rules: [] });
  const id = 'a&b=c/ñ%20 +1';
  const words = [];
  for (let i = 0; i < 3; i++) words.push((await ask(id)).json['status']);
  expect(words).toEqual(['Pendiente', 'Pendiente', 'Aprobado']);
  expect((await ask(id)).json['requestId']).toBe(id);
});

test.each([
  ['GET', 'POST'],
  ['POST', 'GET'],
] as const)('a bank that takes %s answers %s with 405', async (taken, other) => {
  await open({ verificationMethod: taken, rules: [] });
  expect(await ask('1', other)).toMatchObject({ status: 405, allow: taken });
  expect(await ask('1', taken)).toMatchObject({ status: 200 });
  expect(
    bank.book.requests().map(({ service, outcome, requestId }) => [service, outcome, requestId]),
  ).toEqual([
    ['get-verification', 'wrong-method', '1'],
    ['get-verification', 'ok', '1'],
  ]);
});

test.each(['', '?requestId=', '?requestId=1&requestId=2'])(
  'no single requestId in "%s": 400',
  async (query) => {
    await open();
    expect(await call('GET', `${PATH}${query}`)).toMatchObject({ status: 400, json: { code: 'VALIDATION' } });
  },
);

test('companies come with owner and controller, natural persons without; the dates have no zone', async () => {
  await open({
    rules: [
      { kind: 'verification', match: { requestId: 'natural' }, person: 'natural' },
      { kind: 'verification', echo: [{ set: { account: { id: 1 } }, omit: ['requesterPerson'] }] },
    ],
  });
  const legal = (await ask('legal')).json;
  expect(legal).toMatchObject({
    account: { id: 1 },
    requestedPerson: {
      type: 'Jurídica',
      legalIdNumber: null,
      owners: [{ type: 'Humana', ownershipPercentage: 60.5, documentData: { State: expect.any(String) } }],
      controllers: [{ rol: 'Presidente' }],
    },
  });
  expect(legal).not.toHaveProperty('requesterPerson');
  expect(legal['requestedDate']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  expect(legal['statusDate']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/);
  expect((await ask('natural')).json).toMatchObject({
    requestedPerson: { type: 'Humana', taxNumber: 27361705039, owners: [], controllers: [] },
  });
});

test('a changed field of a person is in the answers of its rule only', async () => {
  await open({
    rules: [
      {
        kind: 'verification',
        match: { requestId: 'changed' },
        echo: [{ set: { 'requestedPerson.phone': 'none' }, omit: ['requestedPerson.email'], until: 1 }],
      },
    ],
  });
  const person = async (requestId: string) => (await ask(requestId)).json['requestedPerson'];
  const usual = await person('another');
  expect(usual).toMatchObject({ phone: '+54 11 5555 0101', email: null });
  expect(await person('changed')).toMatchObject({ phone: 'none' });
  expect(await person('changed')).toEqual(usual);
  expect(await person('another')).toEqual(usual);
});

test('its own side: rules of both kinds, books, new statuses', async () => {
  await open();
  const rules = [{ states: ['FAILED'] }, { kind: 'verification', statuses: ['Pendiente'] }];
  expect(await call('PUT', '/sandbox/rules', rules)).toMatchObject({ status: 200, json: rules });
  expect(await call('PUT', '/sandbox/rules', [{ kind: 'verification', statuses: [] }])).toMatchObject({
    status: 400,
    json: { problems: [{ path: '[0].statuses' }] },
  });
  await ask('x');
  expect(await call('PUT', '/sandbox/verifications/x', { statuses: ['Rechazado'] })).toMatchObject({
    status: 200,
  });
  expect((await ask('x')).json['status']).toBe('Rechazado');
  expect((await call('GET', '/sandbox/verifications?requestId=x')).json).toEqual([
    { requestId: 'x', status: 'Rechazado', person: 'legal', queries: 2, answers: 2 },
  ]);
  expect((await call('GET', '/sandbox/requests?requestId=x')).json).toHaveLength(2);
  expect(await call('PUT', '/sandbox/verifications/y', { statuses: ['a'] })).toMatchObject({ status: 404 });
});

test.each([
  ['sandbox-approved-1', 'Aprobado'],
  ['sandbox-unknown', undefined],
])('the default rules: %s', async (requestId, status) => {
  await open();
  expect((await ask(requestId)).json['status']).toBe(status);
});
