import { createPrivateKey } from 'node:crypto';
import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { watchTransfers } from '../../src/activities/watch-transfers';
import { verifyBooks } from '../../src/audit/verify-books';
import type { AuditReport } from '../../src/audit/verify-books';
import { ourBank } from '../../src/bank/our-bank';
import { GiroClient } from '../../src/client';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import { transferRuns } from '../../src/engine/runs';
import { signOrder } from '../../src/order-proofs/order-proof';
import { recover } from '../../src/recovery/recover';
import { createLogger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { recordReport } from '../journal/support/report-runs';
import { BILLING, signerOf } from '../order-proofs/keys';
import { makeKey } from '../../dev/made-ssh-keys';
import { quietRuntime } from '../support/quiet-runtime';
import { untilAnswered } from '../support/until-answered';
import { auditRequests } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { useForeignWorker } from './foreign-worker';
import { sendDecision } from './send-decision';

/**
 * Everything on: signed orders, signed decisions, a chain of reports whose head is kept elsewhere. An administrator of
 * Temporal, the owner of the database and one operator try to pay, to decide alone, and to rewrite: each is refused,
 * with a line in the worker's log, or found by `audit verify`.
 */

quietRuntime({ core: 'ERROR' });

const ORDERS = [signerOf(BILLING)];
const ana = makeKey();
const luis = makeKey('ecdsa-sha2-nistp256');
const read = readAllowedSigners(`ana ${ana.type} ${ana.base64}\nluis ${luis.type} ${luis.base64}\n`);
const DECIDERS = read.ok ? read.signers : [];

const environment = useEnvironment({
  ...{ orderSigners: () => ORDERS, decisionSigners: () => DECIDERS },
  settings: { pollActiveMs: 300, pollDelayedMs: 300 },
  rules: [
    {
      match: { description: 'wrong amount' },
      ...{ states: ['CREATED', 'FAILED'], echo: [{ set: { 'details.amount': 1 } }] },
    },
  ],
});

let log = '';
beforeAll(async () => {
  const logger = createLogger({ level: 'info', destination: { write: (line: string) => (log += line) } });
  const { env, worker } = environment();
  await worker.stop();
  const observer = watchTransfers(logger, createMetrics().transfers);
  environment().worker = await env.startWorker({ change: (parts) => ({ ...parts, observer }) });
});

const linesOf = (originId: number): Record<string, unknown>[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['originId'] === originId);

/** As the owner, whom no trigger stops; `with triggers` as any login. */
async function sql(
  text: string,
  values: readonly unknown[] = [],
  how: 'without triggers' | 'with triggers' = 'without triggers',
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: environment().databaseUrl });
  await client.connect();
  try {
    if (how === 'without triggers') await client.query('set session_replication_role = replica');
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** A backend service, which has a key. */
const billing = () =>
  new GiroClient({
    ...{ client: environment().env.engine, taskQueue: environment().taskQueue },
    signOrder: (order) =>
      signOrder(order, { kid: BILLING.kid, key: createPrivateKey({ key: BILLING, format: 'jwk' }) }),
  });

async function held(): Promise<number> {
  const originId = nextOriginId();
  await billing().startTransfer(orderOf(originId, 'wrong amount'));
  await until(
    () => stateOf(environment().env, originId),
    ({ phase }) => phase === 'held',
  );
  return originId;
}

const decide = (originId: number, decision: object): Promise<string> =>
  sendDecision(environment().env.transfer(originId), decision).then(
    () => 'taken up',
    (error: unknown) => String((error as { cause?: Error }).cause?.message),
  );

const verify = (expect: string): Promise<AuditReport> =>
  verifyBooks({
    ...{ journal: environment().env.journal, from: null, expect },
    means: {
      createBody: ourBank.movements.createBody,
      ...{ orderSigners: ORDERS, decisionSigners: DECIDERS, signedSinceMs: null },
    },
  });

describe('an administrator of Temporal', () => {
  it('does not pay: the order is refused, and the log says why', async () => {
    const { env, taskQueue } = environment();
    const order = orderOf(nextOriginId(), 'completed');
    const run = env.engine.workflow.execute('transfer', {
      ...{ taskQueue, workflowId: `transfer-${order.originId}`, args: [order] },
    });
    await expect(run).rejects.toMatchObject({ cause: { type: 'InvalidTransferOrder' } });
    expect(linesOf(order.originId)).toMatchObject([
      { msg: 'an order is refused', fields: ['proof is required (ORDER_SIGNERS_FILE)'] },
    ]);
    expect(auditRequests(env, order.originId)).toEqual([]);
  });

  it('is not two operators, by their names or by a signature of each about another transfer', async () => {
    const [originId, other] = [await held(), await held()];
    const decision = { action: 'accept-failed', reason: 'so be it' } as const;
    for (const operator of ['ana', 'luis'])
      expect(await decide(originId, { ...decision, operator })).toMatch(/sign/);
    const { env } = environment();
    const { line, decision: asked } = await untilAnswered(() =>
      env.giro.decisionToSign(other, { ...decision, operator: 'ana' }),
    );
    const moved = { ...asked, originId, signature: ana.sign(line) };
    expect(await decide(originId, moved)).toMatch(/signature is wrong/);
    expect(linesOf(originId)).toContainEqual(
      expect.objectContaining({
        ...{
          msg: 'a decision does not count: its signature is not accepted',
          step: 'decide',
          operator: 'ana',
        },
        reason: expect.stringContaining('the signature is wrong') as string,
      }),
    );
    expect(await sql('select seq from giro.decision where origin_id = $1', [originId])).toEqual([]);
  });
});

describe('an administrator of Temporal who schedules activities from a workflow of his own', () => {
  const schedule = useForeignWorker(environment);
  const request = async (originId: number, number: number) => ({
    ...{ originId, number, runId: 'his own', lateMs: 0, returning: false, isRetry: false },
    workflowTime: new Date().toISOString(),
    journalId: (await sql('select giro.journal_id() as id'))[0]?.['id'],
  });

  it('clears no hold of what was never sent: neither the create nor the next run takes his flags for the truth', async () => {
    const { env, taskQueue } = environment();
    const originId = nextOriginId();
    const brake = (stopped: boolean) => env.journal.setSending({ stopped, operator: 'ana', reason: 'test' });
    await brake(true);
    await billing().startTransfer(orderOf(originId, 'completed'));
    await until(
      () => stateOf(env, originId),
      ({ phase }) => phase === 'sending',
    );
    await env.transfer(originId).terminate('out of the way');
    // As a worker whose limits forbid it has left it; they are lifted by now.
    await env.journal.recordFlags(originId, ['ORDER_TAMPERED']);
    // Only now, because the terminated run may still be trying to send its create.
    await brake(false);

    await schedule('recordFlags', { originId, reasons: [], conflict: null });
    const sent = await schedule('createTransfer', await request(originId, 1));
    expect(sent).toEqual({ kind: 'repeat-denied' });
    await recover({
      ...{ journal: env.journal, runs: transferRuns(env.engine, taskQueue), checksMax: 100, startsMax: 100 },
    });
    const state = await until(
      () => stateOf(env, originId),
      ({ phase }) => phase === 'held',
    );
    expect(state.attentionReasons).toEqual(['ORDER_TAMPERED']);
    expect(auditRequests(env, originId)).toEqual([]);
    expect((await env.journal.transfer(originId))?.attentionReasons).toEqual(['ORDER_TAMPERED']);
  });

  it('withdraws nothing that may have been sent', async () => {
    const originId = await held();
    const rows = await sql('select max(number) as last from giro.request where origin_id = $1', [originId]);
    const number = Number(rows[0]?.['last']) + 1;
    const asked = await schedule('withdrawTransfer', { originId, number, runId: 'his own' });
    expect((asked as { kind: string }).kind).toMatch(/^(too-late|out-of-order)$/);
    expect(await stateOf(environment().env, originId)).toMatchObject({ phase: 'held' });
    expect(
      await sql(`select number from giro.request where origin_id = $1 and kind = 'withdrawal'`, [originId]),
    ).toEqual([]);
  });
});

it('one operator does not decide alone, under two names with one key', async () => {
  const originId = await held();
  const { env } = environment();
  const signed = async (operator: string) => {
    const { line, decision } = await untilAnswered(() =>
      env.giro.decisionToSign(originId, { action: 'accept-failed', operator, reason: 'so be it' }),
    );
    return { ...decision, signature: ana.sign(line) };
  };
  expect(await decide(originId, await signed('ana'))).toBe('taken up');
  expect(await decide(originId, await signed('eva'))).toMatch(/key/);
  expect(await decide(originId, await signed('luis'))).toMatch(/not listed/);
  expect(await stateOf(env, originId)).toMatchObject({ phase: 'held' });
  expect(await sql('select operator from giro.decision where origin_id = $1', [originId])).toEqual([
    { operator: 'ana' },
  ]);
});

describe('the owner of the database', () => {
  it('does not pay by a row of his own, however consistent', async () => {
    const { env, taskQueue } = environment();
    const order = orderOf(nextOriginId(), 'completed', '9999999.00');
    await sql(
      `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256) values ($1, $2, $3, $4)`,
      [
        ...[order.originId, orderFingerprint(order), JSON.stringify(order)],
        bodyFingerprint(ourBank.movements.createBody(order)),
      ],
      'with triggers',
    );
    await recover({
      ...{ journal: env.journal, runs: transferRuns(env.engine, taskQueue), checksMax: 100, startsMax: 100 },
    });
    await until(
      () => Promise.resolve(linesOf(order.originId)),
      (lines) => lines.some(({ msg }) => msg === 'transfer needs attention'),
    );
    expect(linesOf(order.originId)).toContainEqual(
      expect.objectContaining({ msg: 'transfer needs attention', reasons: ['ORDER_TAMPERED'] }),
    );
    expect(auditRequests(env, order.originId)).toEqual([]);
  });

  it('does not rewrite what was paid: the proof, the chain and the kept head reveal it', async () => {
    const { env } = environment();
    const originId = nextOriginId();
    await billing().startTransfer(orderOf(originId, 'completed'));
    await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
    const { sha256: head } = await recordReport(env.journal);
    // The row of his own has no proof, and is counted.
    expect(await verify(head)).toMatchObject({ outcome: 'OK', unsigned: { orders: 1 } });

    const more = orderOf(originId, 'completed', '9.00');
    await sql('alter table giro.transfer disable trigger append_only');
    await sql('alter table giro.result disable trigger append_only');
    await sql(
      `update giro.transfer set order_json = $2, order_sha256 = $3, create_body_sha256 = $4 where origin_id = $1`,
      [
        ...[originId, JSON.stringify(more), orderFingerprint(more)],
        bodyFingerprint(ourBank.movements.createBody(more)),
      ],
    );
    await sql(
      `update giro.result set result = result || jsonb_build_object('orderSha256', $2::text,
         'amount', jsonb_build_object('currency', '032', 'value', '9.00')) where origin_id = $1`,
      [originId, orderFingerprint(more)],
    );
    expect(await verify(head)).toMatchObject({
      outcome: 'DIFFERS',
      byRule: { 'order-proof': 1, 'chain-hash': 1 },
      first: { rule: 'order-proof', originId },
    });
  });
});
