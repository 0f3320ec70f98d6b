import type { WorkflowStartOptions } from '@temporalio/client';
import { RawValue, defineSearchAttributeKey } from '@temporalio/common';
import { until } from '../../dev/giro-environment';
import { describeIssues } from '../../src/domain/order-validation';
import { BAD_ORDERS } from '../domain/bad-orders';
import { GOOD_ORIGIN_ID } from '../domain/order-json';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { failureOf, startRaw } from './raw-start';

const environment = useEnvironment();

const MUST_NOT = 'must not be set for a transfer';

async function expectNothingSent(originId: number): Promise<void> {
  const { env } = environment();
  expect(await env.journal.transfer(originId)).toBeNull();
  expect(env.bank.book.requests(String(originId))).toEqual([]);
}

interface BadStart {
  readonly name: string;
  readonly options: Partial<WorkflowStartOptions>;
  readonly path: string;
}

const BAD_STARTS: readonly BadStart[] = [
  {
    name: 'an execution time-out',
    options: { workflowExecutionTimeout: '1h' },
    path: 'workflowExecutionTimeout',
  },
  { name: 'a run time-out', options: { workflowRunTimeout: '1h' }, path: 'workflowRunTimeout' },
  { name: 'a retry policy', options: { retry: { maximumAttempts: 3 } }, path: 'retryPolicy' },
];

describe('a start that would endanger the transfer is refused before anything is written', () => {
  it.concurrent.each(BAD_STARTS)('$name', async ({ options, path }) => {
    const originId = nextOriginId();
    const run = await startRaw(environment(), {
      ...options,
      workflowId: `transfer-${originId}`,
      args: [orderOf(originId, 'any')],
    });
    const failure = await failureOf(run);
    expect(failure).toMatchObject({
      type: 'InvalidTransferOrder',
      nonRetryable: true,
      details: { issues: expect.arrayContaining([{ path, rule: MUST_NOT }]) },
    });
    expect(failure.message).toContain(`${path} ${MUST_NOT}`);
    await expectNothingSent(originId);
  });

  it.concurrent('a cron: each of its runs', async () => {
    const originId = nextOriginId();
    const workflowId = `transfer-${originId}`;
    const run = await startRaw(environment(), {
      workflowId,
      cronSchedule: '@every 1s',
      args: [orderOf(originId, 'any')],
    });
    const { env } = environment();
    const first = env.engine.workflow.getHandle(workflowId, run.firstExecutionRunId);
    const last = await until(
      async () => (await first.fetchHistory()).events?.at(-1)?.workflowExecutionFailedEventAttributes,
      (attributes) => attributes != null,
    );
    await run.terminate('test is over');
    expect(last?.failure).toMatchObject({
      message: `cronSchedule ${MUST_NOT}`,
      applicationFailureInfo: { type: 'InvalidTransferOrder', nonRetryable: true },
    });
    await expectNothingSent(originId);
  });

  it.concurrent('another workflow id', async () => {
    const originId = nextOriginId();
    const run = await startRaw(environment(), {
      workflowId: `payment-${originId}`,
      args: [orderOf(originId, 'any')],
    });
    const issues = [{ path: 'workflowId', rule: `must be transfer-${originId}` }];
    expect(await failureOf(run)).toEqual({
      type: 'InvalidTransferOrder',
      nonRetryable: true,
      message: describeIssues(issues),
      details: { issues },
    });
    await expectNothingSent(originId);
  });

  it.concurrent('no argument at all', async () => {
    const originId = nextOriginId();
    const run = await startRaw(environment(), { workflowId: `transfer-${originId}`, args: [] });
    expect(await failureOf(run)).toMatchObject({
      type: 'InvalidTransferOrder',
      nonRetryable: true,
      message: describeIssues([{ path: '', rule: 'must be a JSON object' }]),
    });
    await expectNothingSent(originId);
  });

  it.concurrent('an order that nests deeper than a JSON writer can follow', async () => {
    const originId = nextOriginId();
    const { from, ...rest } = orderOf(originId, 'any');
    const owner = { ...from.owner, personId: 'DEEP' };
    const deep = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    const text = JSON.stringify({ ...rest, from: { ...from, owner }, note: 'DEEP' });
    const run = await startRaw(environment(), {
      workflowId: `transfer-${originId}`,
      args: [jsonArgument(text.replaceAll('"DEEP"', deep))],
    });
    expect(await failureOf(run)).toMatchObject({
      type: 'InvalidTransferOrder',
      nonRetryable: true,
      message: describeIssues([
        { path: 'note', rule: 'is not a field of an order' },
        { path: 'from.owner.personId', rule: 'must be a string' },
      ]),
    });
    await expectNothingSent(originId);
  });

  it.concurrent(
    'a bad order: its run does not keep the search attributes that its start claimed',
    async () => {
      const originId = nextOriginId();
      const run = await startRaw(environment(), {
        workflowId: `transfer-${originId}`,
        args: [orderOf(originId, 'any', '0.00')],
        typedSearchAttributes: [
          { key: defineSearchAttributeKey('GiroStatus', 'KEYWORD'), value: 'FAILED' },
          { key: defineSearchAttributeKey('GiroNetworkId', 'KEYWORD'), value: 'OTHER' },
          { key: defineSearchAttributeKey('GiroNeedsAttention', 'BOOL'), value: true },
        ],
      });
      expect(await failureOf(run)).toMatchObject({ type: 'InvalidTransferOrder' });
      const { typedSearchAttributes } = await run.describe();
      const kept = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value] as const);
      expect(Object.fromEntries(kept.filter(([name]) => name.startsWith('Giro')))).toEqual({
        ...{ GiroStatus: 'received', GiroNeedsAttention: false },
        ...{ GiroOriginId: String(originId), GiroOpenedAt: expect.any(Date) },
      });
    },
  );

  it.concurrent('a bad order under bad options: everything is reported at once', async () => {
    const originId = nextOriginId();
    const run = await startRaw(environment(), {
      workflowId: `payment-${originId}`,
      workflowRunTimeout: '1h',
      args: [{ ...orderOf(originId, 'any', '0.00'), reference: 'x' }],
    });
    const { message } = await failureOf(run);
    for (const path of ['workflowId', 'workflowRunTimeout', 'reference', 'body.amount']) {
      expect(message).toContain(`${path} `);
    }
    await expectNothingSent(originId);
  });
});

/** An argument as a client in another language writes it. */
const jsonArgument = (text: string): RawValue =>
  RawValue.fromPayload({
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(text),
  });

/** Texts of an order that tell of a person, an account or a payment; words of the rules themselves are none. */
function personalTexts(value: unknown): string[] {
  if (typeof value === 'string') return PERSONAL.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(PERSONAL.test(key) ? [key] : []),
    ...personalTexts(member),
  ]);
}
const PERSONAL = /\d{8}|Factura|Juan|alias\.banco|Siempreviva/;

describe('every bad order, started by a Temporal client', () => {
  it(`is refused with exactly the message of its row, without a value of it (${BAD_ORDERS.length} rows)`, async () => {
    expect(BAD_ORDERS.length).toBeGreaterThanOrEqual(40);
    const told = await Promise.all(
      BAD_ORDERS.map(async ({ name, json }) => {
        const originId = nextOriginId();
        const order: unknown = JSON.parse(
          json.replaceAll(`"originId":${GOOD_ORIGIN_ID},`, `"originId":${originId},`),
        );
        const run = await startRaw(environment(), { workflowId: `transfer-${originId}`, args: [order] });
        return { name, originId, order, failure: await failureOf(run) };
      }),
    );
    expect(told.map(({ name, failure }) => ({ name, ...failure }))).toEqual(
      BAD_ORDERS.map(({ name, issues }) => ({
        name,
        type: 'InvalidTransferOrder',
        nonRetryable: true,
        message: describeIssues(issues),
        details: { issues },
      })),
    );
    const leaks = told.flatMap(({ order, failure }) =>
      personalTexts(order).filter((text) => JSON.stringify(failure).includes(text)),
    );
    expect(leaks).toEqual([]);
    // The check above has something to find.
    expect(told.flatMap(({ order }) => personalTexts(order)).length).toBeGreaterThan(BAD_ORDERS.length);

    const { env } = environment();
    expect(env.bank.book.requests()).toEqual([]);
    expect(await env.journal.transfers({ status: null, needsAttention: false, limit: 100 })).toEqual([]);
  });
});
