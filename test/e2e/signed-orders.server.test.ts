import { createPrivateKey } from 'node:crypto';
import type { WorkflowFailedError } from '@temporalio/client';
import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { ourBank } from '../../src/bank/our-bank';
import { GiroClient } from '../../src/client';
import type { TransferOrder } from '../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import type { ProofFault } from '../../src/domain/transfer/answers';
import { transferRuns } from '../../src/engine/runs';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import { signOrder } from '../../src/order-proofs/order-proof';
import { recover } from '../../src/recovery/recover';
import { BILLING, PAYROLL, proofOf, signerOf } from '../order-proofs/keys';
import { quietRuntime } from '../support/quiet-runtime';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { useForeignWorker } from './foreign-worker';

/** With signed orders neither the administrator of Temporal nor the owner of the database can pay. */

quietRuntime({ core: 'ERROR' });

const SIGNERS: readonly OrderSigner[] = [signerOf(BILLING, { amountMax: '10000.00' })];
/** What the file of the signers says now; null: it is not set. */
let signers: readonly OrderSigner[] | null = SIGNERS;
beforeEach(() => (signers = SIGNERS));

const environment = useEnvironment({
  settings: { pollActiveMs: 300, pollDelayedMs: 300 },
  orderSigners: () => signers,
  rules: [
    { match: { description: 'completed' }, states: ['CREATED', 'COMPLETED'] },
    { match: { description: 'cut off' }, create: ['reset', 'ok'], states: ['COMPLETED'] },
    {
      match: { description: 'forgotten' },
      states: ['CREATED'],
      query: [{ fault: 'not-found', times: 'always' }],
    },
  ],
});

/** A backend service with the key of billing. */
const billing = (): GiroClient =>
  new GiroClient({
    ...{
      client: environment().env.engine,
      taskQueue: environment().taskQueue,
      journal: environment().env.journal,
    },
    signOrder: (order) =>
      signOrder(order, { kid: BILLING.kid, key: createPrivateKey({ key: BILLING, format: 'jwk' }) }),
  });

const setSending = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'for the test' });
/** What runs while nothing may be sent. */
async function whileStopped<T>(run: () => Promise<T>): Promise<T> {
  await setSending(true);
  try {
    return await run();
  } finally {
    await setSending(false);
  }
}

async function sql(text: string, values: readonly unknown[], role?: string): Promise<unknown[]> {
  const client = new Client({ connectionString: environment().databaseUrl });
  await client.connect();
  try {
    if (role !== undefined) await client.query(`set role ${role}`);
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const rowOf = (order: TransferOrder) => [
  ...[order.originId, orderFingerprint(order), JSON.stringify(order)],
  bodyFingerprint(ourBank.movements.createBody(order)),
];
/** A row that is consistent in itself, as a login with the rights of a worker can write it. */
const forge = (order: TransferOrder, proof: string | null) =>
  sql(
    `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, proof)
     values ($1, $2, $3, $4, $5)`,
    [...rowOf(order), proof],
    'giro_runtime',
  );

const startRuns = () => {
  const { env, taskQueue } = environment();
  const runs = transferRuns(env.engine, taskQueue);
  return recover({ journal: env.journal, runs, checksMax: 1_000, startsMax: 1_000 });
};

async function expectHeld(originId: number, code: ProofFault | 'ANOTHER_ORDER'): Promise<void> {
  const { env } = environment();
  const state = await until(
    () => stateOf(env, originId),
    ({ attentionReasons, lastError }) => attentionReasons.includes('ORDER_TAMPERED') && lastError !== null,
  );
  expect(state).toMatchObject({ lastError: { code }, sends: 0 });
  expect(auditRequests(env, originId)).toEqual([]);
}

const ended = (originId: number) => environment().env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });

it('an order that a service signs is paid, and its proof is kept; with a reference too', async () => {
  const originId = nextOriginId();
  await billing().startTransfer(orderOf(originId, 'completed'));
  expect(await ended(originId)).toMatchObject({ status: 'COMPLETED' });
  const proof = await proofOf(orderOf(originId, 'completed'));
  expect(await sql('select proof from giro.transfer where origin_id = $1', [originId])).toEqual([{ proof }]);

  const { originId: _, ...rest } = orderOf(originId, 'completed');
  const bound = await billing().startTransfer({ reference: `signed ${originId}`, ...rest });
  expect(await ended(bound.originId)).toMatchObject({ status: 'COMPLETED' });
});

it('an administrator of Temporal who starts a transfer without a key pays nothing', async () => {
  const { env, taskQueue } = environment();
  const order = orderOf(nextOriginId(), 'completed');
  const others = await proofOf({ ...order, originId: order.originId + 1 });
  for (const [argument, rule] of [
    [order, 'is required (ORDER_SIGNERS_FILE)'],
    [{ ...order, proof: others }, 'is not a signature of this order by the key that it names'],
    [{ ...order, proof: await proofOf(order, PAYROLL) }, 'names a key that is not in ORDER_SIGNERS_FILE'],
  ] as const) {
    const run = env.engine.workflow.execute('transfer', {
      ...{ taskQueue, workflowId: `transfer-${order.originId}`, args: [argument] },
    });
    const error = await run.then(
      () => null,
      (failure: unknown) => failure,
    );
    expect((error as WorkflowFailedError).cause).toMatchObject({
      type: 'InvalidTransferOrder',
      message: `proof ${rule}`,
    });
  }
  expect(auditRequests(env, order.originId)).toEqual([]);
  expect(await env.journal.orderSha256(order.originId)).toBeNull();
});

describe('an administrator of Temporal who schedules the create from a workflow of his own', () => {
  const schedule = useForeignWorker(environment);
  const request = async (originId: number, number: number) => ({
    ...{ originId, number, runId: 'his own', lateMs: 0, returning: false, isRetry: false },
    workflowTime: new Date().toISOString(),
    journalId: ((await sql('select giro.journal_id() as id', [])) as { id: string }[])[0]?.id,
  });
  const NOTHING_LEFT = { kind: 'repeat-denied' };

  /** Sent once; its run is gone, so that nobody else claims numbers. */
  async function sentOnce(description: string): Promise<number> {
    const { env } = environment();
    const originId = nextOriginId();
    await billing().startTransfer(orderOf(originId, description));
    await until(
      () => stateOf(env, originId),
      ({ sends, phase }) => sends === 1 && phase !== 'sending',
    );
    await env.transfer(originId).terminate('out of the way');
    // A look-up of that run may still claim a number. A worker that stops waits for it.
    await environment().worker.stop();
    environment().worker = await env.startWorker();
    return originId;
  }

  const lastNumber = async (originId: number): Promise<number> => {
    const rows = await sql('select max(number) as last from giro.request where origin_id = $1', [originId]);
    return (rows as { last: number }[])[0]?.last ?? 0;
  };

  it('right after the first one, and until twelve look-ups have found nothing, sends nothing', async () => {
    const { env } = environment();
    const originId = await sentOnce('cut off');
    const first = (await lastNumber(originId)) + 1;
    expect(await schedule('createTransfer', await request(originId, first))).toEqual(NOTHING_LEFT);
    for (let number = first; ; number += 1) {
      const found = await sql('select giro.not_found_after($1, 1)::integer as count', [originId]);
      if ((found as { count: number }[])[0]?.count === 11) break;
      await schedule('lookUpMovement', await request(originId, number));
    }
    const next = (await lastNumber(originId)) + 1;
    expect(await schedule('createTransfer', await request(originId, next))).toEqual(NOTHING_LEFT);
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
    // The recovered run continues as usual: it looks up, and repeats the create once that is permitted.
    await startRuns();
    expect(await ended(originId)).toMatchObject({ status: 'COMPLETED' });
    expect(creates(auditRequests(env, originId))).toHaveLength(2);
  });

  it('sends nothing at all after the bank has taken the order', async () => {
    const { env } = environment();
    const originId = await sentOnce('forgotten');
    for (let look = 0; look < 12; look += 1)
      await schedule('lookUpMovement', await request(originId, (await lastNumber(originId)) + 1));
    const next = await request(originId, (await lastNumber(originId)) + 1);
    expect(await schedule('createTransfer', next)).toEqual(NOTHING_LEFT);
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });
});

it('a service does not pay beyond the limit of its key', async () => {
  const order = orderOf(nextOriginId(), 'completed', '10000.01');
  await billing().startTransfer(order);
  await expect(ended(order.originId)).rejects.toThrow(
    'proof is of a key that may not order this amount (amountMax)',
  );
  expect(auditRequests(environment().env, order.originId)).toEqual([]);
});

it('a forged row that recovery starts is not sent: without a proof, with one of another order or of no listed key', async () => {
  const [bare, replayed, stolen] = [nextOriginId(), nextOriginId(), nextOriginId()].map((id) =>
    orderOf(id, 'completed'),
  );
  if (bare === undefined || replayed === undefined || stolen === undefined)
    throw new Error('fewer than three orders');
  await forge(bare, null);
  await forge(replayed, await proofOf(bare));
  await forge(stolen, await proofOf(stolen, PAYROLL));
  await startRuns();
  await expectHeld(bare.originId, 'PROOF_MISSING');
  await expectHeld(replayed.originId, 'PROOF_WRONG');
  await expectHeld(stolen.originId, 'PROOF_KEY_UNKNOWN');
});

const waitsToBeSent = (originId: number) =>
  until(
    () => stateOf(environment().env, originId),
    ({ phase }) => phase === 'sending',
  );

/** As `giro sending go` does, so that the transfer need not wait for its next attempt. */
const hint = (originId: number) =>
  environment().env.giro.hintTransfer(originId, { source: 'sending go', eventId: String(originId) });

describe('the owner of the database, who takes triggers away and writes every hash that he can', () => {
  const rewrite = async (originId: number, to: TransferOrder, proof: string) => {
    await sql('alter table giro.transfer disable trigger append_only', []);
    await sql(
      `update giro.transfer set order_sha256 = $2, order_json = $3, create_body_sha256 = $4, proof = $5
       where origin_id = $1`,
      [originId, ...rowOf(to).slice(1), proof],
    );
    await sql('alter table giro.transfer enable always trigger append_only', []);
  };
  const whileWaiting = async (order: TransferOrder, change: () => Promise<void>) => {
    await whileStopped(async () => {
      await billing().startTransfer(order);
      await waitsToBeSent(order.originId);
      await change();
    });
    await hint(order.originId);
  };

  it('does not change an amount before it is sent', async () => {
    const order = orderOf(nextOriginId(), 'completed');
    await whileWaiting(order, async () => {
      const more = orderOf(order.originId, 'completed', '9999.00');
      await rewrite(order.originId, more, await proofOf(order));
    });
    await expectHeld(order.originId, 'PROOF_WRONG');
  });

  it("does not have another transfer's signed order sent again in its place", async () => {
    const paid = orderOf(nextOriginId(), 'completed');
    await billing().startTransfer(paid);
    await ended(paid.originId);
    const order = orderOf(nextOriginId(), 'completed');
    await whileWaiting(order, async () => rewrite(order.originId, paid, await proofOf(paid)));
    await expectHeld(order.originId, 'ANOTHER_ORDER');
    expect(creates(auditRequests(environment().env, paid.originId))).toHaveLength(1);
  });
});

it('recovery hands the proof on: a signed order whose run was lost before its create is paid', async () => {
  const order = orderOf(nextOriginId(), 'completed');
  const { env } = environment();
  await whileStopped(async () => {
    await billing().startTransfer(order);
    await waitsToBeSent(order.originId);
    await env.transfer(order.originId).terminate('lost, for the test');
  });
  await startRuns();
  expect(await ended(order.originId)).toMatchObject({ status: 'COMPLETED' });
});

it('switched on over an unsigned order that waits, it is held; a proof that came while it was off counts', async () => {
  const { env } = environment();
  signers = null;
  const [unsigned, signed] = [orderOf(nextOriginId(), 'completed'), orderOf(nextOriginId(), 'completed')];
  await whileStopped(async () => {
    await env.giro.startTransfer(unsigned);
    await billing().startTransfer(signed);
    for (const { originId } of [unsigned, signed]) await waitsToBeSent(originId);
    signers = SIGNERS;
  });
  for (const { originId } of [unsigned, signed]) await hint(originId);
  expect(await ended(signed.originId)).toMatchObject({ status: 'COMPLETED' });
  await expectHeld(unsigned.originId, 'PROOF_MISSING');
  // The same order again, now signed: the journal keeps what came with its receipt.
  await env.transfer(unsigned.originId).terminate('to start it with a proof');
  await billing().startTransfer(unsigned);
  await until(
    () => stateOf(env, unsigned.originId),
    ({ phase }) => phase === 'held' || phase === 'sending',
  );
  await env.giro.decide(unsigned.originId, { action: 'resume', operator: 'ana', reason: 'judge it again' });
  await expectHeld(unsigned.originId, 'PROOF_MISSING');
  await env.giro.cancelTransfer(unsigned.originId);
  expect(await ended(unsigned.originId)).toMatchObject({ status: 'WITHDRAWN' });
});

it('a key that is taken out of the file stops what it has signed and nobody has sent', async () => {
  const order = orderOf(nextOriginId(), 'completed');
  const { env } = environment();
  await whileStopped(async () => {
    await billing().startTransfer(order);
    await waitsToBeSent(order.originId);
    signers = [signerOf(PAYROLL)];
  });
  await hint(order.originId);
  await expectHeld(order.originId, 'PROOF_KEY_UNKNOWN');
  // Judged again with the key in its place.
  signers = SIGNERS;
  await env.giro.decide(order.originId, { action: 'resume', operator: 'ana', reason: 'the key is good' });
  expect(await ended(order.originId)).toMatchObject({ status: 'COMPLETED' });
});
