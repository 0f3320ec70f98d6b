import { randomInt } from 'node:crypto';
import { ourBank } from '../../../src/bank/our-bank';
import type { TransferOrder } from '../../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../../src/domain/order-fingerprint';
import type {
  CreateAnswer,
  LookupAnswer,
  RequestError,
  SeenMovement,
} from '../../../src/domain/transfer/answers';
import { NOT_FOUND_CONFIRMATIONS } from '../../../src/domain/transfer/repeat';
import { WITHDRAWN_REASON } from '../../../src/domain/transfer/make-result';
import type { DecisionRecord, ProposedAction } from '../../../src/domain/transfer/decisions/decision';
import type { TransferFacts } from '../../../src/domain/transfer/facts';
import type { AttentionReason } from '../../../src/domain/transfer/flags';
import type { RequestKind } from '../../../src/domain/transfer/records';
import type { TransferResult } from '../../../src/domain/transfer/result';
import type { ClaimedRequest } from '../../../src/journal/statements/claim-request';
import type { TransferOpening } from '../../../src/journal/statements/open-transfer';
import type { Journal } from '../../../src/journal/journal';

/** Unique in a test file; far above the numbers of the sequence. */
let nextOriginId = randomInt(1_000_000_000, 2_000_000_000);
export const newOriginId = (): number => (nextOriginId += 1);

export function anOrder(originId: number, amount = '1500.25'): TransferOrder {
  const party = (address: string, personId: string) => ({
    addressType: 'CBU_CVU' as const,
    address,
    owner: { personIdType: 'CUI' as const, personId },
  });
  return {
    originId,
    from: party('0009001600000000000017', '30714979732'),
    to: party('9990001800000000000017', '20218346414'),
    body: { currencyId: '032', amount, description: 'Factura "17" ñandú', concept: 'FAC' },
  };
}

export function anOpening(originId: number, amount?: string): TransferOpening {
  const order = anOrder(originId, amount);
  return {
    order,
    orderSha256: orderFingerprint(order),
    bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
  };
}

/** Opens a new transfer and returns its originId. */
export async function openNew(journal: Journal): Promise<number> {
  const originId = newOriginId();
  await journal.openTransfer(anOpening(originId));
  return originId;
}

export const claim = (
  journal: Journal,
  originId: number,
  number: number,
  kind: RequestKind,
  runId = 'run-1',
): Promise<ClaimedRequest> => journal.claimRequest({ originId, number, kind, runId });

/** Claims a request and records its outcome. */
export async function ask(
  journal: Journal,
  originId: number,
  number: number,
  answer: CreateAnswer | LookupAnswer,
  digest = `digest-${number}`,
): Promise<void> {
  const lookup = answer.kind === 'movement' || answer.kind === 'not-found' || answer.kind === 'no-answer';
  const claimed = await claim(journal, originId, number, lookup ? 'lookup' : 'create');
  expect(claimed.kind).toBe('claimed');
  await journal.recordAnswer({ originId, number, answer, digest });
}

/** Twelve look-ups find nothing, from request `first` on: another create may follow. Returns its number. */
export async function askInVain(journal: Journal, originId: number, first: number): Promise<number> {
  await ask(journal, originId, first, { kind: 'not-found' });
  for (let number = first + 1; number < first + NOT_FOUND_CONFIRMATIONS; number += 1)
    expect((await claim(journal, originId, number, 'lookup')).kind).toBe('claimed');
  return first + NOT_FOUND_CONFIRMATIONS;
}

export const seen = (status: string, rest: Partial<SeenMovement> = {}): SeenMovement => ({
  status,
  movementId: '880011',
  network: 'COELSA',
  networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
  postingAt: '2026-01-05T10:00:00Z',
  completedAt: status === 'FAILED' || status === 'COMPLETED' ? '2026-01-05T10:00:09Z' : null,
  echo: 'match',
  echoFields: [],
  evidenceSha256: 'ab'.repeat(32),
  ...rest,
});

export const answered = (status: string, rest?: Partial<SeenMovement>): CreateAnswer => ({
  kind: 'answered',
  movement: seen(status, rest),
});
export const movement = (status: string, rest?: Partial<SeenMovement>): LookupAnswer => ({
  kind: 'movement',
  movement: seen(status, rest),
});
export const error = (code: RequestError['code']): RequestError => ({
  code,
  httpStatus: null,
  retryAfterMs: null,
});
export const NOT_SENT: CreateAnswer = { kind: 'not-sent', error: error('CONNECTION_REFUSED') };
export const UNKNOWN: CreateAnswer = { kind: 'unknown', error: error('TIMEOUT') };
export const REFUSED: CreateAnswer = { kind: 'refused', httpStatus: 422, code: 'E17' };

export function aResult<S extends TransferResult['status']>(
  originId: number,
  status: S,
  rest: Partial<TransferResult> = {},
): TransferResult & { readonly status: S } {
  return {
    originId,
    movementId: status === 'COMPLETED' || status === 'FAILED' ? '880011' : null,
    network: status === 'COMPLETED' || status === 'FAILED' ? 'COELSA' : null,
    networkId: status === 'COMPLETED' || status === 'FAILED' ? 'L4K7EGO5D3Z2J1V9QWERTY' : null,
    amount: { currency: '032', value: '1500.25' },
    annulmentId: null,
    decidedBy: status === 'WITHDRAWN' ? null : 'bank',
    reason: status === 'WITHDRAWN' ? WITHDRAWN_REASON : null,
    orderSha256: anOpening(originId).orderSha256,
    ...rest,
    status,
  };
}

/** What a run that starts now learns about an open transfer. */
export async function factsOn(journal: Journal, originId: number): Promise<TransferFacts> {
  const opened = await journal.openTransfer({ ...anOpening(originId), mayBeNew: false });
  if (opened.kind !== 'open' || opened.facts === null)
    throw new Error(`transfer ${originId} is ${opened.kind}`);
  return opened.facts;
}

let lastDecision = 0;

/**
 * A row of the record of decisions. `operators`: everybody who has decided it so far, the last one just now. `flags`:
 * the flags at the decision.
 */
export function aDecision(
  outcome: DecisionRecord['outcome'],
  action: DecisionRecord['action'],
  operators: readonly string[],
  flags: readonly AttentionReason[] = [],
  /** Default: the operator had seen every recorded answer. */
  afterNumber = 1_000_000,
): DecisionRecord {
  lastDecision += 1;
  return {
    id: `run-1/${lastDecision}`,
    ...{ outcome, action, operator: operators.at(-1) ?? null, operators },
    reason: 'bank letter 17',
    bankStatus: null,
    ...{ flags, afterNumber },
  };
}

/** Two operators propose and accept. An acceptance of `resend` needs the last number that is claimed, at most. */
export async function accept(
  journal: Journal,
  originId: number,
  action: ProposedAction,
  flags: readonly AttentionReason[] = [],
  afterNumber?: number,
): Promise<void> {
  for (const record of [
    aDecision('proposed', action, ['ana'], flags, afterNumber),
    aDecision('accepted', action, ['ana', 'luis'], flags, afterNumber),
  ]) {
    expect(await journal.recordDecision(originId, record)).toEqual({ recorded: true });
  }
}
