import fc from 'fast-check';
import { formatAmount } from '../../src/domain/money';
import type { SeenMovement } from '../../src/domain/transfer/answers';
import type { TransferResult, TransferResultStatus } from '../../src/domain/transfer/result';
import type {
  BankObservation,
  BookedTransfer,
  CompareContext,
  JournalEntry,
  RunState,
  StatementLine,
  StatementObservation,
} from '../../src/reconciliation/books';
import { digitsOf } from '../domain/made-up-numbers';

/** Made-up transfers whose books agree. */
export const AS_OF = '2026-03-12T09:00:00.000Z';
export const CONTEXT: CompareContext = {
  asOf: AS_OF,
  readAt: AS_OF,
  attentionAfterActiveMs: 15 * 60_000,
  attentionAfterDelayedMs: 24 * 3_600_000,
};
export const FILE_SHA256 = 'f'.repeat(64);

export const before = (ms: number): string => new Date(Date.parse(AS_OF) - ms).toISOString();
const after = (iso: string, ms: number): string => new Date(Date.parse(iso) + ms).toISOString();

/** Everything in which clean transfers may differ. All ids are different. */
interface Draw {
  readonly originId: number;
  readonly amountMinor: bigint;
  readonly from: string;
  readonly to: string;
  readonly openedAgoMs: number;
  readonly tookMs: number;
  readonly wasDelayed: boolean;
  readonly answers: 'yes' | 'not-asked';
  readonly decidedBy: 'bank' | 'operators';
  readonly engineForgot: boolean;
  readonly engineKnown: boolean;
  readonly statement: 'none' | 'covers' | 'of-another-time';
  readonly openAs: (typeof OPEN_LOOKS)[number];
}
const OPEN_LOOKS = [
  'CREATED',
  'IN_PROGRESS',
  'DELAYED',
  'ON_HOLD',
  'FINAL_JUST_NOW',
  'NOT_FOUND_YET',
  'NOTHING_YET',
] as const;

const draw: fc.Arbitrary<Draw> = fc.record({
  originId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }),
  amountMinor: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  from: digitsOf(22),
  to: digitsOf(22),
  openedAgoMs: fc.integer({ min: 3_600_000, max: 40 * 86_400_000 }),
  tookMs: fc.integer({ min: 0, max: 15 * 60_000 }),
  wasDelayed: fc.boolean(),
  answers: fc.constantFrom('yes', 'not-asked'),
  decidedBy: fc.constantFrom('bank', 'operators'),
  engineForgot: fc.boolean(),
  engineKnown: fc.boolean(),
  statement: fc.constantFrom('none', 'covers', 'of-another-time'),
  openAs: fc.constantFrom(...OPEN_LOOKS),
});

export const movementIdOf = (originId: number): string => `88${originId}`;
export const networkIdOf = (originId: number): string => `NET${String(originId).padStart(19, '0')}`;

export const seen = (originId: number, status: string, rest: Partial<SeenMovement> = {}): SeenMovement => ({
  status,
  movementId: movementIdOf(originId),
  network: 'COELSA',
  networkId: networkIdOf(originId),
  postingAt: null,
  completedAt: null,
  echo: 'match',
  echoFields: [],
  evidenceSha256: 'b'.repeat(64),
  ...rest,
});

const isTaken = (status: TransferResultStatus): boolean => status === 'COMPLETED' || status === 'FAILED';

function resultOf(d: Draw, status: TransferResultStatus, value: string): TransferResult {
  const taken = isTaken(status);
  return {
    originId: d.originId,
    status,
    movementId: taken ? movementIdOf(d.originId) : null,
    network: taken ? 'COELSA' : null,
    networkId: taken ? networkIdOf(d.originId) : null,
    amount: { currency: '032', value },
    annulmentId: status === 'FAILED' ? `annulment-${d.originId}` : null,
    decidedBy: status === 'WITHDRAWN' ? null : d.decidedBy,
    reason: null,
    orderSha256: 'a'.repeat(64),
  };
}

function entryOf(d: Draw, status: TransferResultStatus | null): JournalEntry {
  const value = formatAmount(d.amountMinor);
  const openedAt = before(d.openedAgoMs);
  const finalAt = status === null ? null : after(openedAt, d.tookMs);
  const known = status === null ? !d.openAs.startsWith('NOT') : isTaken(status);
  return {
    originId: d.originId,
    openedAt,
    amount: { currency: '032', value },
    from: d.from,
    to: d.to,
    result: status === null ? null : resultOf(d, status, value),
    finalAt,
    movementId: known ? movementIdOf(d.originId) : null,
    networkId: known ? networkIdOf(d.originId) : null,
    movementIds: known ? [movementIdOf(d.originId)] : [],
    wasDelayed: d.wasDelayed,
    annulment:
      status !== 'FAILED' || finalAt === null
        ? null
        : {
            id: `annulment-${d.originId}`,
            movementId: movementIdOf(d.originId),
            amount: { currency: '032', value },
            bankStatus: 'FAILED',
            decidedBy: d.decidedBy,
            recordedAt: finalAt,
          },
    flags: status === null ? [{ reason: 'OPEN_TOO_LONG', since: openedAt }] : [],
    sends: status === 'WITHDRAWN' ? 0 : 1,
  };
}

function finalObservation(d: Draw, status: TransferResultStatus): BankObservation {
  if (d.answers === 'not-asked') return { kind: 'not-asked', reason: 'TOO_SOON' };
  const common = { source: 'asked', at: before(60_000) } as const;
  return isTaken(status)
    ? { kind: 'movement', movement: seen(d.originId, status), ...common }
    : { kind: 'not-found', ...common };
}

function openObservation(d: Draw): BankObservation {
  switch (d.openAs) {
    case 'NOTHING_YET':
      return { kind: 'not-asked', reason: 'NOTHING_RECORDED' };
    case 'NOT_FOUND_YET':
      return { kind: 'not-found', source: 'recorded', at: before(4_000) };
    case 'FINAL_JUST_NOW':
      return {
        kind: 'movement',
        movement: seen(d.originId, 'FAILED'),
        source: 'recorded',
        at: before(2_000),
      };
    case 'CREATED':
    case 'IN_PROGRESS':
    case 'DELAYED':
    case 'ON_HOLD':
      return {
        kind: 'movement',
        movement: seen(d.originId, d.openAs),
        source: 'recorded',
        at: before(700_000),
      };
  }
}

export const lineOf = (
  { originId, amount, to, openedAt }: JournalEntry,
  rest: Partial<StatementLine> = {},
): StatementLine => ({
  line: 2,
  originId,
  movementId: movementIdOf(originId),
  networkId: null,
  direction: 'debit',
  amount,
  bookedAt: openedAt,
  account: null,
  counterpartyAccount: to,
  ...rest,
});

/** For a FAILED transfer, half of the statements show debit and return, half neither: both are clean. */
function statementOf(d: Draw, entry: JournalEntry): StatementObservation | null {
  if (d.statement === 'none') return null;
  const covers = d.statement === 'covers';
  const debit = lineOf(entry);
  const back = lineOf(entry, { line: 3, direction: 'credit', counterpartyAccount: null });
  const ofFailed = d.wasDelayed ? [debit, back] : [];
  const status = entry.result?.status ?? null;
  const lines = !covers ? [] : status === 'COMPLETED' ? [debit] : status === 'FAILED' ? ofFailed : [];
  return { covers, completePeriod: null, sha256: FILE_SHA256, lines };
}

const runOf = (d: Draw, status: TransferResultStatus | null): RunState => {
  if (!d.engineKnown) return { kind: 'unknown' };
  if (status === null) return { kind: 'open', startedAt: before(d.openedAgoMs) };
  if (d.engineForgot) return { kind: 'missing' };
  return { kind: 'closed', how: 'completed', closedAt: before(d.openedAgoMs) };
};

const booksOf =
  (status: TransferResultStatus | null) =>
  (d: Draw): BookedTransfer => {
    const entry = entryOf(d, status);
    return {
      originId: d.originId,
      entry,
      bank: status === null ? openObservation(d) : finalObservation(d, status),
      run: runOf(d, status),
      statement: statementOf(d, entry),
      sameMovementId: [],
      sameNetworkId: [],
    };
  };

export const ENDS = ['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN', null] as const;
export type End = (typeof ENDS)[number];

export const cleanBooks = (...ends: readonly End[]): fc.Arbitrary<BookedTransfer> =>
  fc.oneof(...(ends.length === 0 ? ENDS : ends).map((end) => draw.map(booksOf(end))));
