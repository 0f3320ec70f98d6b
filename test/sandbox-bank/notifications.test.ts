import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank, SandboxRule } from '../../src/sandbox-bank';
import { call, create, query, until } from './client';

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly createAnswered: boolean;
}

let subscriber: Server;
let endpoint: string;
let seen: Seen[];
let answers: number[];
let createAnswered: boolean;

beforeAll(async () => {
  subscriber = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      seen.push({ headers: request.headers, text, json: JSON.parse(text) as unknown, createAnswered });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => subscriber.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}/webhooks/x`;
});
afterAll(() => new Promise((resolve) => subscriber.close(resolve)));
beforeEach(() => {
  [seen, answers, createAnswered] = [[], [], false];
});

async function withNotifyingBank(
  rule: SandboxRule,
  use: (bank: SandboxBank) => Promise<void>,
  subscription: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const bank = await startSandboxBank({ tls: false, rules: [rule] });
  try {
    const body = JSON.stringify([{ eventType: 'NEW_MONEY_MOVEMENT', endpoint, ...subscription }]);
    expect((await call(bank, '/sandbox/webhooks', { method: 'PUT', body })).status).toBe(200);
    await use(bank);
  } finally {
    await bank.close();
  }
}

const statuses = () => seen.map(({ json }) => (json.data ?? json).status as string);
const records = async (bank: SandboxBank) =>
  (await call(bank, '/sandbox/notifications', { method: 'GET' })).json as {
    attempts: { httpStatus: number | null }[];
    deliveredAt: string | null;
  }[];

async function play(bank: SandboxBank): Promise<void> {
  await create(bank);
  createAnswered = true;
  await query(bank);
}

test('once for each status, in an envelope, ids as JSON numbers and text', () =>
  withNotifyingBank({ states: ['CREATED', 'COMPLETED'] }, async (bank) => {
    await play(bank);
    await until(() => seen.length === 2);
    expect(statuses()).toEqual(['CREATED', 'COMPLETED']);
    expect(seen[0]?.text).toContain('"originId":4711');
    expect(seen[0]?.json).toMatchObject({
      type: 'NEW_MONEY_MOVEMENT',
      redeliveries: 0,
      data: { details: { type: 'DEBIT_TRANSFER_SENT_CVU' } },
    });
    expect(seen[0]?.createAnswered).toBe(true);
  }));

test('flat, with the network id alone', () =>
  withNotifyingBank(
    { states: ['COMPLETED'], notify: { shape: 'flat', ids: ['networkId'] } },
    async (bank) => {
      await create(bank);
      await until(() => seen.length === 1);
      expect(seen[0]?.json).toMatchObject({ event: 'NEW_MONEY_MOVEMENT', originId: null, movementId: null });
      expect(seen[0]?.json.networkId).toMatch(/^[A-Z0-9]{22}$/);
    },
  ));

test('early: before the answer of create', () =>
  withNotifyingBank({ states: ['COMPLETED'], notify: 'early' }, async (bank) => {
    await play(bank);
    await until(() => seen.length >= 1);
    expect(seen[0]?.createAnswered).toBe(false);
  }));

test('a delay of the rule, by the route too', () =>
  withNotifyingBank({}, async (bank) => {
    const put = (body: string) => call(bank, '/sandbox/rules', { method: 'PUT', body });
    expect((await put('[{"notify":{"delayMs":-1}}]')).json.problems).toMatchObject([
      { path: '[0].notify.delayMs' },
    ]);
    expect((await put('[{"notify":{"delayMs":300}}]')).status).toBe(200);
    const startedAtMs = performance.now();
    await create(bank);
    await until(() => seen.length === 1);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(299);
  }));

test('out of order: the first comes after the later ones', () =>
  withNotifyingBank({ states: ['CREATED', 'COMPLETED'], notify: { mode: 'out-of-order' } }, async (bank) => {
    await play(bank);
    await until(() => seen.length === 2);
    expect(statuses()).toEqual(['COMPLETED', 'CREATED']);
  }));

test('doubled, and lost', async () => {
  await withNotifyingBank({ states: ['COMPLETED'], notify: 'doubled' }, async (bank) => {
    await create(bank);
    await until(() => seen.length === 2);
    expect(seen[0]?.text).toBe(seen[1]?.text);
  });
  seen = [];
  await withNotifyingBank({ states: ['COMPLETED'], notify: 'lost' }, async (bank) => {
    await create(bank);
    expect(await records(bank)).toEqual([expect.objectContaining({ attempts: [], deliveredAt: null })]);
  });
  expect(seen).toEqual([]);
});

test('repeats until 200, counting', () =>
  withNotifyingBank({ states: ['COMPLETED'] }, async (bank) => {
    answers = [503, 500, 204];
    await create(bank);
    await until(() => seen.length === 4);
    expect(seen.map(({ json }) => json.redeliveries as number)).toEqual([0, 1, 2, 3]);
    let delivered: Awaited<ReturnType<typeof records>> = [];
    while (delivered[0]?.deliveredAt == null) delivered = await records(bank);
    expect(delivered[0].attempts.map(({ httpStatus }) => httpStatus)).toEqual([503, 500, 204, 200]);
  }));

test('signed by Standard Webhooks, wrongly by rule, and by an HMAC', async () => {
  const secretKey = `whsec_${randomBytes(32).toString('base64')}`;
  const verify = ({ headers, text }: Seen) =>
    new Webhook(secretKey).verify(text, headers as Record<string, string>);
  await withNotifyingBank(
    { states: ['COMPLETED'] },
    async (bank) => {
      await create(bank);
      await until(() => seen.length === 1);
      expect(() => verify(seen[0] as Seen)).not.toThrow();
    },
    { secretKey },
  );
  seen = [];
  await withNotifyingBank(
    { states: ['COMPLETED'], notify: 'wrong-signature' },
    async (bank) => {
      await create(bank);
      await until(() => seen.length === 1);
      expect(() => verify(seen[0] as Seen)).toThrow('No matching signature');
    },
    { secretKey },
  );
  seen = [];
  await withNotifyingBank(
    { states: ['COMPLETED'] },
    async (bank) => {
      await create(bank);
      await until(() => seen.length === 1);
      const { headers, text } = seen[0] as Seen;
      const digest = createHash('sha256').update(text).digest('hex');
      const content = `${String(headers['x-timestamp'])}\n${String(headers['x-nonce'])}\nPOST\n/webhooks/x\n${digest}`;
      expect(headers['x-signature']).toBe(createHmac('sha256', 'shared').update(content).digest('hex'));
    },
    { secretKey: 'shared', signature: 'hmac' },
  );
});

test('what the tester gives is sent as it is; without a subscription it is refused', () =>
  withNotifyingBank({}, async (bank) => {
    const send = (eventType: string) =>
      call(bank, '/sandbox/notifications', {
        body: JSON.stringify({ eventType, body: { type: 'CREDIT', amount: 1 } }),
      });
    expect((await send('OTHER')).status).toBe(404);
    expect((await send('NEW_MONEY_MOVEMENT')).status).toBe(200);
    await until(() => seen.length === 1);
    expect(seen[0]?.json).toEqual({ type: 'CREDIT', amount: 1 });
  }));

test('a rule with an unknown mode is refused', async () => {
  await expect(startSandboxBank({ tls: false, rules: [{ notify: 'sometimes' as never }] })).rejects.toThrow(
    'notify',
  );
});
