import { isBankId } from '../domain/movement';
import type { Movement } from '../domain/movement';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { NotifiedDebit } from '../journal/statements/orphan-debits';
import type { SuspectedDebit } from '../journal/statements/suspected-debits';
import type { MovementIds } from '../journal/statements/transfers-of';
import { isDebitType } from './read-notification';

/** The ids by which the bank can be asked about a debit; the movement's own id is not among them. */
export type DebitKey = { readonly networkId: string } | { readonly originId: number };

export type DebitReply =
  | {
      readonly kind: 'movement';
      readonly movement: Movement;
      /** The movement's originId belongs to a transfer of ours. */
      readonly isOurs: boolean;
    }
  | { readonly kind: 'not-found' }
  /** No readable answer, or the transfer was asked about too recently; `afterMs` null: the usual pause. */
  | { readonly kind: 'no-answer'; readonly afterMs: number | null };

/**
 * The outcome of a held debit.
 *
 * - `confirmed`: the bank has confirmed it.
 * - `unknown`: every readable answer neither confirmed nor explained it (`SuspectedDebit.notFound`), `NOT_FOUND_MAX`
 *   times for each id.
 * - `other`: its only id belongs to a movement that is not a debit, or moved no money.
 * - `explained`: a transfer explains it, or the bank has confirmed it before.
 */
export const DEBIT_OUTCOMES = ['confirmed', 'unknown', 'other', 'explained'] as const;
export type DebitOutcome = (typeof DEBIT_OUTCOMES)[number];

export interface ConfirmOptions {
  readonly journal: Pick<
    Journal,
    'leaseSuspectedDebits' | 'confirmDebit' | 'dropSuspectedDebit' | 'askAgainAboutDebit'
  >;
  readonly ask: (key: DebitKey) => Promise<DebitReply>;
  /** Words of debits: `NotificationReading.debitTypes`. */
  readonly debitTypes: readonly string[];
  /** `POLL_ACTIVE`: the shortest pause between two inquiries about one movement. */
  readonly pollActiveMs: number;
  /** Called once for each resolved debit; ids only. */
  readonly onEnd: (outcome: DebitOutcome, debit: NotifiedDebit) => void;
  /**
   * A debit could not be processed, because the journal is unreachable or because of a bug. It is retried after its
   * lease.
   */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Answers for each id that neither confirm nor explain the debit, before it counts as unknown; for one id over some 50
 * minutes: the bank may notify before its look-up finds the movement.
 */
export const NOT_FOUND_MAX = 12;
const PAUSE_MAX_MS = 600_000;
/** A small batch, so that a flood of notifications does not make us ask faster than the bank answers. */
const BATCH_MAX = 10;
/** Longer than a batch of calls that all time out. */
const LEASE_MS = 300_000;

/**
 * Asks the bank about debits that nobody ordered, one after another. Only confirmed debits go into the books.
 *
 * @param isOver called before each debit; true: the rest is due again after its lease
 * @returns whether more may be due right now
 */
export async function confirmDebits(
  options: ConfirmOptions,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  const { journal, onFailed } = options;
  const due = await journal.leaseSuspectedDebits({ limit: BATCH_MAX, leaseMs: LEASE_MS });
  for (const debit of due) {
    if (isOver()) return false;
    try {
      await confirmOne(debit, options);
    } catch (error) {
      // The debit is due again after its lease; its failure does not hold up others.
      onFailed(error);
      if (error instanceof JournalUnavailable) return false;
    }
  }
  return due.length === BATCH_MAX;
}

async function confirmOne(debit: SuspectedDebit, options: ConfirmOptions): Promise<void> {
  const { journal, onEnd, pollActiveMs: pauseMs } = options;
  const end = await endOf(debit, options);
  if (end === null) return;
  const { deliveryKey } = debit;
  if (end.outcome !== 'confirmed') await journal.dropSuspectedDebit({ deliveryKey, pauseMs });
  else if (!(await journal.confirmDebit({ deliveryKey, ids: end.ids, pauseMs }))) return;
  onEnd(end.outcome, debit);
}

type DebitEnd =
  | { readonly outcome: 'confirmed'; readonly ids: MovementIds }
  | { readonly outcome: Exclude<DebitOutcome, 'confirmed'> };

/** Null: the bank is asked again. */
async function endOf(
  debit: SuspectedDebit,
  { journal, ask, debitTypes, pollActiveMs }: ConfirmOptions,
): Promise<DebitEnd | null> {
  if (!debit.isOrphan || debit.isConfirmed) return { outcome: 'explained' };
  const keys = keysOf(debit);
  const key = keys[(debit.asked - 1) % keys.length];
  if (key === undefined) return null;
  const reply = await ask(key);
  if (reply.kind === 'movement' && isOf(reply.movement, key)) {
    if (reply.isOurs) return { outcome: 'explained' };
    if (isNoDebit(reply.movement, debitTypes)) {
      // Another id of the notification may belong to a debit.
      if (keys.length === 1) return { outcome: 'other' };
    } else return { outcome: 'confirmed', ids: idsOf(reply.movement, key) };
  }
  // An answer about another movement, or about one that moved no money, says nothing about the other ids.
  const isAnswered = reply.kind !== 'no-answer';
  if (isAnswered && debit.notFound + 1 >= NOT_FOUND_MAX * keys.length) return { outcome: 'unknown' };
  const pauseMs = Math.min(pollActiveMs * 2 ** Math.min(debit.asked - 1, 10), PAUSE_MAX_MS);
  const afterMs = reply.kind === 'no-answer' ? (reply.afterMs ?? pauseMs) : pauseMs;
  await journal.askAgainAboutDebit({ deliveryKey: debit.deliveryKey, afterMs, wasNotFound: isAnswered });
  return null;
}

const keysOf = ({ networkIds, originIds }: NotifiedDebit): readonly DebitKey[] => [
  ...networkIds.map((networkId) => ({ networkId })),
  ...originIds.map((originId) => ({ originId })),
];

/** As in every look-up, an answer may be about something else. */
const isOf = (movement: Movement, key: DebitKey): boolean =>
  'networkId' in key
    ? movement.networkId === key.networkId
    : movement.originId !== null && Number(movement.originId) === key.originId;

/** If the bank does not report the kind, the movement may be a debit. A failed movement has moved no money. */
const isNoDebit = ({ type, status }: Movement, debitTypes: readonly string[]): boolean =>
  status === 'FAILED' || (type !== null && !isDebitType(type, debitTypes));

/** The originId of the inquiry, if it has one, and every id in the bank's answer. */
const idsOf = ({ id, originId, networkId }: Movement, key: DebitKey): MovementIds => ({
  originIds: [
    ...new Set([
      ...('originId' in key ? [key.originId] : []),
      ...(originId !== null && Number.isSafeInteger(Number(originId)) ? [Number(originId)] : []),
    ]),
  ],
  movementIds: id !== null && isBankId(id) ? [id] : [],
  networkIds: networkId !== null && isBankId(networkId) ? [networkId] : [],
});

/** Interval of the search for due debits; a newly held debit also starts one. */
const EVERY_MS = 5_000;

export interface Confirming {
  wake(): void;
  /** Ends after the current inquiry: a batch of inquiries that time out would outlast the worker's drain. */
  stop(): Promise<void>;
}

export function startConfirming(options: ConfirmOptions): Confirming {
  const ending = new AbortController();
  const isEnding = (): boolean => ending.signal.aborted;
  let isWanted = true;
  let wakeUp = (): void => undefined;
  const running = (async () => {
    while (!isEnding()) {
      isWanted = false;
      let isFull = false;
      try {
        isFull = await confirmDebits(options, isEnding);
      } catch (error) {
        options.onFailed(error);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isFull || isWanted ? 0 : EVERY_MS);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
        if (isEnding()) wakeUp();
      });
    }
  })();
  return {
    wake: () => {
      isWanted = true;
      wakeUp();
    },
    stop: () => {
      ending.abort();
      wakeUp();
      return running;
    },
  };
}
