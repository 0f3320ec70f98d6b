import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { bankClient, IN_NO_WORKFLOW, ORDER, TOKEN } from './fixtures';
import { otherBank } from './other-bank/dialect/other-bank';
import { startFront } from './other-bank/front';
import type { Front } from './other-bank/front';

let bank: SandboxBank;
let front: Front;
let client: ReturnType<typeof bankClient>;

beforeAll(async () => {
  bank = await startSandboxBank({ tls: false, token: TOKEN });
  front = await startFront(bank);
  client = bankClient({ baseUrl: front.baseUrl, dialect: otherBank });
});
afterAll(async () => {
  await client.close();
  await front.close();
  await bank.close();
});

test('its create is other bytes, and what comes back is the same movement', async () => {
  const body = client.createBody(ORDER);
  expect(body).toBe(
    '{"clave":4711,"centavos":10010,"divisa":"ARS","motivo":"FAC","leyenda":"Factura 17",' +
      '"origen":{"cuenta":"0009001600000000000017","cuit":30714979732},' +
      '"destino":{"cuenta":"9990001800000000000017","cuit":20218346414}}',
  );
  const created = await client.createTransfer(body, IN_NO_WORKFLOW);
  const inBook = bank.book.movement('4711');
  expect(created).toMatchObject({
    kind: 'answered',
    movement: {
      ...{ id: inBook?.id, status: 'CREATED', hasDetails: true, originId: '4711', amount: '100.10' },
      ...{ currency: '032', network: 'COELSA', networkId: inBook?.networkId, completedAt: null },
      postingAt: `${inBook?.createdAt.slice(0, 19)}.000Z`,
      destination: { address: ORDER.to.address, personIds: [ORDER.to.owner.personId] },
      source: { address: ORDER.from.address, personIds: [ORDER.from.owner.personId] },
    },
  });
});

test('it is found by either id, raw too; another is not found', async () => {
  const { networkId } = bank.book.movement('4711')!;
  expect(await client.getMovement({ originId: '4711' }, IN_NO_WORKFLOW)).toMatchObject({ kind: 'movement' });
  expect(await client.getMovement({ networkId }, IN_NO_WORKFLOW)).toMatchObject({ kind: 'movement' });
  expect(await client.getRawMovement({ originId: '4711' }, IN_NO_WORKFLOW)).toMatchObject({ kind: 'raw' });
  expect(await client.getMovement({ originId: '1' }, IN_NO_WORKFLOW)).toEqual({ kind: 'not-found' });
});

test('verifications and subscriptions', async () => {
  expect(await client.getVerification('r-1', IN_NO_WORKFLOW)).toMatchObject({
    kind: 'verification',
    verification: { requestId: 'r-1', status: 'Pendiente', statusDate: { at: expect.stringMatching(/Z$/) } },
  });
  expect(await client.listWebhooks()).toEqual({ kind: 'subscriptions', subscriptions: [] });
  expect(await client.unsubscribe('NEW_MONEY_MOVEMENT')).toMatchObject({
    kind: 'no-answer',
    error: { httpStatus: 404 },
  });
});
