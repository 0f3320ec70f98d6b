import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { startGiroEnvironment, stateOf, until } from '../../dev/giro-environment';
import { Scope } from '../../dev/scope';
import { startTemporalServer } from '../../dev/temporal-server';
import type { TemporalServer } from '../../dev/temporal-server';
import type { KeyRing } from '../../src/codec/key-ring';
import { addSearchAttributes, checkSearchAttributes } from '../../src/engine/search-attributes';
import { freshKeyRing } from '../codec/key-rings';
import { createTestDatabase } from '../support/journal-database';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { bundleWorkflows } from '../support/workflow-bundle';
import { nextOriginId } from './environment';

/** What lies on the disks of the Temporal server and in the journal after transfers with canaries as personal data. */
interface Canaries {
  readonly fromAccount: string;
  readonly toAccount: string;
  readonly payer: string;
  readonly payee: string;
  readonly description: string;
  readonly reason: string;
  readonly hint: string;
  /** Of an order that is refused: a step's failure names it, and the run's. */
  readonly field: string;
}

/** What the bank reports of a held transfer in place of its accounts and tax ids: sealed in the journal, or nowhere. */
const REPORTED = { account: '4320001001000313873006', person: '20509776742' } as const;

const CLEAR: Canaries = {
  fromAccount: '0009001600000000000017',
  toAccount: '9990001800000000000017',
  payer: '30714979732',
  payee: '20218346414',
  description: 'canary-clear-description',
  reason: 'canary-clear-reason',
  hint: 'canary-clear-hint',
  field: 'canary-clear-field',
};
const SEALED: Canaries = {
  fromAccount: '0110599520000001235579',
  toAccount: '2850590940090418135201',
  payer: '30500010912',
  payee: '27286598834',
  description: 'canary-sealed-description',
  reason: 'canary-sealed-reason',
  hint: 'canary-sealed-hint',
  field: 'canary-sealed-field',
};

/** Of the persons that the sandbox bank makes up for verifications: in no store, as keys or not, but sealed in the journal. */
const PERSON = /Nadie Inventada|De Ñandubay/;
/** Of a decision that is refused: no part of it is kept. */
const REFUSED = 'canary-of-a-refused-decision';

const scope = new Scope();
let server: TemporalServer;

beforeAll(async () => {
  quietRuntime();
  server = scope.own(await startTemporalServer({ ui: false, onDisk: true, log: () => undefined }), (it) =>
    it.stop(),
  );
  const connection = await Connection.connect({ address: server.address });
  const { missing } = await checkSearchAttributes(connection, 'default');
  await addSearchAttributes(connection, 'default', missing);
  await connection.close();
});
afterAll(() => scope.release());

/**
 * One transfer that FAILED with its annulment, one that operators decided about and whose other decision was refused, an
 * order that is refused by a step's failure, a verification, and a reconciliation of all that; the journal's rows as text.
 */
async function playTransfers(canaries: Canaries, keyRing: KeyRing | null): Promise<string> {
  const taskQueue = `giro-raw-${randomUUID()}`;
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const workflowBundlePath =
    keyRing === null
      ? testServers().workflowBundlePath
      : await bundleWorkflows(join(server.folder, 'encrypted.js'), { encrypted: true });
  const env = scope.own(
    await startGiroEnvironment({
      ...{ temporalAddress: server.address, databaseUrl: database.url, workflowBundlePath },
      taskQueue,
      settings: { pollActiveMs: 500 },
      callTimeoutMs: 60_000,
      orderLimits: { checkDigits: 'off' },
      ...(keyRing === null ? {} : { keyRing }),
      rules: [
        { match: { amount: '1.00' }, states: ['CREATED', 'FAILED'] },
        { kind: 'verification', match: {}, statuses: ['Aprobado'], person: 'natural' },
        {
          match: { amount: '4.00' },
          states: ['COMPLETED'],
          echo: [
            {
              set: {
                'counterparty.accountRouting.address': REPORTED.account,
                'counterparty.personId': REPORTED.person,
                'details.amount': 999,
              },
            },
          ],
        },
        { match: { amount: '2.00' }, states: ['EN_DUDA'] },
      ],
    }),
    (it) => it.close(),
  );
  const worker = await env.startWorker();
  const [failing, odd, held] = [nextOriginId(), nextOriginId(), nextOriginId()];
  await env.giro.startTransfer(orderOf(held, '4.00', canaries));
  await env.giro.startTransfer(orderOf(failing, '1.00', canaries));
  await env.giro.startTransfer(orderOf(odd, '2.00', canaries));
  await until(
    () => stateOf(env, odd),
    ({ attentionReasons }) => attentionReasons.includes('STATUS_UNKNOWN'),
  );
  await env.giro.hintTransfer(odd, { source: canaries.hint, eventId: '1' });
  await env.giro.decide(odd, { action: 'resume', operator: 'ana', reason: canaries.reason });
  const wrong = { action: 'resend', operator: 'ana', reason: REFUSED } as const;
  await expect(env.giro.decide(odd, wrong)).rejects.toThrow('decision refused');
  env.bank.book.restate(String(odd), ['COMPLETED']);
  const bad = { ...orderOf(nextOriginId(), '3.00', canaries), [canaries.field]: 1 };
  const refused = await env.engine.workflow.start('transfer', {
    ...{ workflowId: `transfer-${bad.originId}`, taskQueue, args: [bad] },
  });
  await expect(refused.result()).rejects.toThrow();
  const requestId = randomUUID();
  await env.giro.trackVerification(requestId);
  expect(await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 })).toMatchObject({
    outcome: 'approved',
  });
  expect(await env.giro.waitForTransfer(failing, { timeoutMs: 300_000 })).toMatchObject({ status: 'FAILED' });
  expect(await env.giro.waitForTransfer(odd, { timeoutMs: 300_000 })).toMatchObject({ status: 'COMPLETED' });
  const { doubtfulAnswer } = await stateOf(env, held);
  expect(doubtfulAnswer?.reported).toEqual({ amount: '999.00', currency: '032' });
  expect((await env.journal.differingValues(held))?.content).toMatchObject(
    keyRing === null
      ? { kind: 'not-kept' }
      : { kind: 'opened', values: [{ reported: [REPORTED.account] }, { reported: [REPORTED.person] }] },
  );
  const asOf = new Date().toISOString();
  const books = await env.engine.workflow.execute('reconciliation', {
    ...{ workflowId: `reconcile-${asOf}-${taskQueue}`, taskQueue, args: [{ asOf }] },
  });
  expect(books).toMatchObject({ outcome: expect.any(String) as string });
  await worker.stop();
  return rowsOf(database.url);
}

const orderOf = (originId: number, amount: string, canaries: Canaries) => ({
  originId,
  from: {
    ...{ addressType: 'CBU_CVU', address: canaries.fromAccount },
    owner: { personIdType: 'CUI', personId: canaries.payer },
  },
  to: {
    ...{ addressType: 'CBU_CVU', address: canaries.toAccount },
    owner: { personIdType: 'CUI', personId: canaries.payee },
  },
  body: { currencyId: '032', amount, description: canaries.description, concept: 'FAC' },
});

/** Every row of every table of the journal, as PostgreSQL writes it. */
async function rowsOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'giro' order by 1`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from giro.${name} t`);
      texts.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** The files of the server's database, byte for byte: not through the server. */
async function filesOfServer(): Promise<string> {
  const names = (await readdir(server.folder)).filter((name) => name.startsWith('temporal.db'));
  expect(names).toContain('temporal.db');
  return (await Promise.all(names.map((name) => readFile(join(server.folder, name), 'latin1')))).join('\n');
}

const found = (text: string, canaries: Canaries): string[] =>
  Object.entries(canaries)
    .filter(([, canary]) => text.includes(String(canary)))
    .map(([name]) => name)
    .sort();

test('with a key ring nothing of an order lies readable in either store; without one all of it does', async () => {
  const clearRows = await playTransfers(CLEAR, null);
  const sealedRows = await playTransfers(SEALED, freshKeyRing('k1'));
  await server.halt();
  const files = await filesOfServer();

  expect(found(files, CLEAR)).toEqual(Object.keys(CLEAR).sort());
  // A hint leaves nothing in the journal, nor does an order that is refused.
  expect(found(clearRows, CLEAR)).toEqual(
    Object.keys(CLEAR)
      .filter((name) => name !== 'hint' && name !== 'field')
      .sort(),
  );
  expect(found(files, SEALED)).toEqual([]);
  // Why an operator decided stays readable in the journal, whatever becomes of the keys.
  expect(found(sealedRows, SEALED)).toEqual(['reason']);
  expect(sealedRows).toContain('annulment ');
  for (const rows of [clearRows, sealedRows]) {
    expect(rows).toMatch(/^reconciliation/m);
    expect(rows).toMatch(/^verification/m);
  }
  expect(sealedRows).toMatch(/^differing_values \(\d+,\d+,k1:/m);
  expect(clearRows).not.toMatch(/^differing_values/m);
  for (const store of [files, Buffer.from(files, 'latin1').toString('utf8'), clearRows, sealedRows]) {
    expect(store.match(PERSON)).toBeNull();
    expect(store).not.toContain(REFUSED);
    for (const value of Object.values(REPORTED)) expect(store).not.toContain(value);
  }
});
