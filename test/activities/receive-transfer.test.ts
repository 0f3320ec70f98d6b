import type { BankClient } from '../../src/bank/movements/port';
import { ourBank } from '../../src/bank/our-bank';
import { receiveTransfer } from '../../src/activities/receive-transfer';
import type { StartFacts } from '../../src/activities/start-options';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { validateOrder } from '../../src/domain/order-validation';
import { factsOf } from '../../src/domain/transfer/facts';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { BAD_ORDERS, workflowIdOf } from '../domain/bad-orders';
import { orderJson } from '../domain/order-json';
import { BILLING, PAYROLL, proofOf, signerOf } from '../order-proofs/keys';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import type { Journal } from '../../src/journal/journal';

/** Any call fails the test: nothing is written or sent for a refused order. */
function untouchable(name: string): never {
  return new Proxy({} as never, {
    get(_, method) {
      throw new Error(`${name}.${String(method)} was used`);
    },
  });
}

/** Only renders the body; any other call fails. */
const BANK: BankClient = { ...(untouchable('bank') as BankClient), createBody: ourBank.movements.createBody };

const receive = receiveTransfer({
  bank: BANK,
  journal: {
    ...(untouchable('journal') as Journal),
    // An order that only breaks a limit may be known from before the limit; the step asks the journal for that alone.
    openTransfer: ({ mayBeNew }) => {
      if (mayBeNew !== false) throw new Error('an order that is refused was to be written');
      return Promise.resolve({ kind: 'unknown' });
    },
  },
  settings: DEFAULT_TRANSFER_SETTINGS,
  orderLimits: DEFAULT_ORDER_LIMITS,
  orderSigners: () => null,
});

const startedAs = (workflowId: string): StartFacts => ({
  workflowId,
  hasExecutionTimeout: false,
  hasRunTimeout: false,
  hasCron: false,
  hasRetryPolicy: false,
});

test.each(BAD_ORDERS.map((row) => [row.name, row] as const))('nothing is written when %s', async (_, row) => {
  const received = await receive({ order: JSON.parse(row.json), start: startedAs(workflowIdOf(row)) });
  expect(received).toEqual({ kind: 'invalid', issues: row.issues });
});

test('start options and fields are reported together', async () => {
  const order: unknown = JSON.parse(orderJson({ 'body.concept': null }));
  const start = { ...startedAs('payment-1'), hasRunTimeout: true };
  expect(await receive({ order, start })).toEqual({
    kind: 'invalid',
    issues: [
      { path: 'workflowId', rule: 'must be transfer-4711' },
      { path: 'workflowRunTimeout', rule: 'must not be set for a transfer' },
      { path: 'body.concept', rule: 'is required' },
    ],
  });
});

test('a good order under another id is refused', async () => {
  const received = await receive({ order: JSON.parse(orderJson()), start: startedAs('transfer-4712') });
  expect(received).toEqual({
    kind: 'invalid',
    issues: [{ path: 'workflowId', rule: 'must be transfer-4711' }],
  });
});

test('a run that made requests writes its order again when a limit was tightened since', async () => {
  const known = { lastNumber: 3, sends: 1, tried: null };
  const resumed = receiveTransfer({
    bank: BANK,
    journal: {
      ...(untouchable('journal') as Journal),
      openTransfer: (opening) => {
        expect(opening).toMatchObject({ mayBeNew: true, known });
        return Promise.resolve({ kind: 'open', facts: null, journalId: '7/00000001' });
      },
    },
    settings: DEFAULT_TRANSFER_SETTINGS,
    orderSigners: () => null,
    orderLimits: { ...DEFAULT_ORDER_LIMITS, amountMax: '1.00' },
  });
  const order: unknown = JSON.parse(orderJson());
  expect(await resumed({ order, start: startedAs('transfer-4711'), known })).toMatchObject({ kind: 'open' });
});

test('an order that the journal has goes on when a limit was tightened since', async () => {
  const facts = factsOf({
    ...{ readAtMs: 2, openedAtMs: 1, polls: 3, lastPolledAtMs: 2, decisions: [], flags: [], doubts: [] },
    requests: [{ number: 3, kind: 'lookup', claimedAtMs: 2, answer: null }],
  });
  const known = receiveTransfer({
    bank: BANK,
    journal: {
      ...(untouchable('journal') as Journal),
      openTransfer: ({ mayBeNew }) => {
        expect(mayBeNew).toBe(false);
        return Promise.resolve({ kind: 'open', facts, journalId: '7/00000001' });
      },
    },
    settings: DEFAULT_TRANSFER_SETTINGS,
    orderSigners: () => null,
    orderLimits: { ...DEFAULT_ORDER_LIMITS, amountMax: '1.00', concepts: ['VAR'] },
  });
  const received = await known({ order: JSON.parse(orderJson()), start: startedAs('transfer-4711') });
  expect(received).toMatchObject({ kind: 'open', journalId: '7/00000001', facts: { lastNumber: 3 } });
});

describe('where orders are signed', () => {
  const read = validateOrder(JSON.parse(orderJson()), DEFAULT_ORDER_LIMITS);
  if (!read.ok) throw new Error('the test order is invalid');
  const { order } = read;
  const start = startedAs('transfer-4711');
  /** `known`: the journal has the order. */
  const steps = (isKnown: boolean, limits: Partial<OrderSigner> = {}) => {
    const kept: unknown[] = [];
    const receiveSigned = receiveTransfer({
      bank: BANK,
      journal: {
        ...(untouchable('journal') as Journal),
        openTransfer: ({ mayBeNew, proof }) => {
          kept.push(proof);
          return Promise.resolve(
            isKnown || mayBeNew === true
              ? { kind: 'open', facts: null, journalId: '7/00000001' }
              : { kind: 'unknown' },
          );
        },
      },
      settings: DEFAULT_TRANSFER_SETTINGS,
      orderSigners: () => [signerOf(BILLING, limits)],
      orderLimits: DEFAULT_ORDER_LIMITS,
    });
    return { receiveSigned, kept };
  };

  test('a good proof is kept with the order', async () => {
    const proof = await proofOf(order);
    const { receiveSigned, kept } = steps(false);
    expect(await receiveSigned({ order: { ...order, proof }, start })).toMatchObject({ kind: 'open' });
    expect(kept).toEqual([proof]);
  });

  test.each<[string, Promise<string> | undefined, Partial<OrderSigner>, string]>([
    ['no proof', undefined, {}, 'is required (ORDER_SIGNERS_FILE)'],
    ['an unknown key', proofOf(order, PAYROLL), {}, 'names a key that is not in ORDER_SIGNERS_FILE'],
    [
      "another order's proof",
      proofOf({ ...order, originId: 4712 }),
      {},
      'is not a signature of this order by the key that it names',
    ],
    [
      'a key whose limit it is over',
      proofOf(order),
      { amountMax: '1500.24' },
      'is of a key that may not order this amount (amountMax)',
    ],
    [
      'a retired key',
      proofOf(order),
      { notAfter: '2020-01-01T00:00:00.000Z' },
      'is of a key that was retired before the order was received (notAfter)',
    ],
  ])('a new order with %s is refused by field and rule', async (_, proof, limits, rule) => {
    const signed = { ...order, proof: await proof };
    const { receiveSigned } = steps(false, limits);
    expect(await receiveSigned({ order: signed, start })).toEqual({
      kind: 'invalid',
      issues: [{ path: 'proof', rule }],
    });
    // An order that the journal has is held before its create, where its stored proof is verified.
    expect(await steps(true, limits).receiveSigned({ order: signed, start })).toMatchObject({ kind: 'open' });
  });

  test('other errors are reported too', async () => {
    const { receiveSigned } = steps(false);
    const tampered = { ...order, body: { ...order.body, concept: 'ZZZ' } };
    expect(await receiveSigned({ order: tampered, start })).toMatchObject({
      issues: [{ path: 'body.concept' }, { path: 'proof' }],
    });
  });
});
