import { createPrivateKey } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { Client as PgClient } from 'pg';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { withProof } from '../../src/domain/order';
import { validateOrder } from '../../src/domain/order-validation';
import { NO_ORDER_LIMITS } from '../../src/domain/order';
import { temporaryFiles } from '../config/temporary-files';
import { BILLING, PAYROLL, proofOf } from '../order-proofs/keys';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';
import { giro } from './support/memory-io';
import { freshOriginId, order, orderByReference } from './support/orders';

/** `transfer start --sign-key`: what the runs are started with. */

const files = temporaryFiles();
let connection: Connection;
let database: TestDatabase;
beforeAll(async () => {
  connection = await Connection.connect({ address: testServers().temporalAddress });
  database = await createTestDatabase();
  // The Temporal server is shared, and so are workflow ids.
  const owner = new PgClient({ connectionString: database.url });
  await owner.connect();
  await owner.query(`select setval('giro.origin_id', $1)`, [freshOriginId()]);
  await owner.end();
});
afterAll(async () => {
  files.remove();
  await connection.close();
  await database.drop();
});

const start = (input: unknown, ...options: readonly string[]) =>
  giro(['transfer', 'start', '-', '--json', ...options], {
    env: {
      TEMPORAL_ADDRESS: testServers().temporalAddress,
      DATABASE_URL: database.url,
      GIRO_TASK_QUEUE: `sign-${randomUUID()}`,
    },
    stdin: JSON.stringify(input),
  });

async function argumentOf(originId: number): Promise<unknown> {
  const handle = new Client({ connection }).workflow.getHandle(`transfer-${originId}`);
  const { events } = await handle.fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payload && defaultPayloadConverter.fromPayload(payload);
}

function normal(input: unknown) {
  const read = validateOrder(input, NO_ORDER_LIMITS);
  if (!read.ok) throw new Error('the test order is invalid');
  return read.order;
}

const jwk = (mode = 0o600) => files.write(`key-${mode}.jwk`, JSON.stringify(BILLING), mode);

test('an order is signed by a JWK, and so is one with a reference once it is bound', async () => {
  const originId = freshOriginId();
  expect(await start(order(originId), '--sign-key', jwk())).toMatchObject({ code: 0 });
  const signed = normal(order(originId));
  expect(await argumentOf(originId)).toEqual(withProof(signed, await proofOf(signed)));

  const byReference = orderByReference(`signed ${originId}`);
  const { code, stdout } = await start(byReference, '--sign-key', jwk());
  expect(code).toBe(0);
  const bound = (JSON.parse(stdout) as { readonly originId: number }).originId;
  const { reference: _, ...rest } = byReference;
  const signedToo = normal({ ...rest, originId: bound });
  expect(await argumentOf(bound)).toEqual(withProof(signedToo, await proofOf(signedToo)));
});

test('a PEM signs under the kid that is given; a proof that is there stays; without the option none is made', async () => {
  const key = createPrivateKey({ key: PAYROLL, format: 'jwk' });
  const pem = files.write('key.pem', key.export({ type: 'pkcs8', format: 'pem' }).toString());
  const [made, kept, bare] = [freshOriginId(), freshOriginId(), freshOriginId()];
  const proof = await proofOf(normal(order(kept)));
  await start([order(made), { ...order(kept), proof }], '--sign-key', pem, '--sign-kid', 'salaries');
  const signed = normal(order(made));
  expect(await argumentOf(made)).toMatchObject({
    proof: await proofOf(signed, { ...PAYROLL, kid: 'salaries' }),
  });
  expect(await argumentOf(kept)).toMatchObject({ proof });
  await start(order(bare));
  expect(await argumentOf(bare)).toEqual(normal(order(bare)));
});

test('a key that is open to others, or needs a kid, ends with 2; nothing is started', async () => {
  const originId = freshOriginId();
  const open = await start(order(originId), '--sign-key', jwk(0o644));
  expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('is open to others (mode 0644)') });
  const pem = files.write(
    'bare.pem',
    createPrivateKey({ key: BILLING, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  const nameless = await start(order(originId), '--sign-key', pem);
  expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining('give it with --sign-kid') });
  const proven = { ...orderByReference('proven'), proof: await proofOf(normal(order(originId))) };
  const early = await start(proven);
  expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('proof covers the originId') });
  await expect(argumentOf(originId)).rejects.toThrow();
});
