import type { Movement } from '../domain/movement';
import type { Journal } from '../journal/journal';
import type { NotifiedDebit } from '../journal/statements/orphan-debits';
import type { SuspectedDebit } from '../journal/statements/suspected-debits';
import { isDebitType } from './read-notification';

/** By what the bank is asked about a debit: a movement's own id is none of its keys. */
export type DebitKey = { readonly networkId: string } | { readonly originId: number };

export type DebitReply =
  | { readonly kind: 'movement'; readonly movement: Movement }
  | { readonly kind: 'not-found' }
  /** No readable answer, or a transfer of ours was asked about a moment ago; `afterMs` null: as after any question. */
  | { readonly kind: 'no-answer'; readonly afterMs: number | null };

/**
 * What became of a debit that was held: `confirmed` by the bank; `unknown`: the bank knows no such movement; `other`:
 * its movement is no debit; `explained`: a transfer stands for it by now.
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
  /** `POLL_ACTIVE`: the shortest pause between two questions about one movement. */
  readonly pollActiveMs: number;
  /** Once for each that leaves; ids only. */
  readonly onEnd: (outcome: DebitOutcome, debit: NotifiedDebit) => void;
}

/** As many answers that it is not known, over an hour: the bank may notify a movement before it finds it. */
export const NOT_FOUND_MAX = 12;
const PAUSE_MAX_MS = 600_000;
/** Few, so that a flood of notifications asks the bank no faster than it answers. */
const BATCH_MAX = 10;
/** Longer than a batch of calls that all time out. */
const LEASE_MS = 300_000;

/**
 * Asks the bank about debits that nobody ordered, one after another. Only what it confirms goes into the books.
 *
 * @returns whether more may be due right now
 */
export async function confirmDebits(options: ConfirmOptions): Promise<boolean> {
  const { journal } = options;
  const due = await journal.leaseSuspectedDebits({ limit: BATCH_MAX, leaseMs: LEASE_MS });
  for (const debit of due) {
    const outcome = await outcomeOf(debit, options);
    if (outcome === null) continue;
    const isWritten =
      outcome === 'confirmed'
        ? await journal.confirmDebit(debit.deliveryKey)
        : (await journal.dropSuspectedDebit(debit.deliveryKey), true);
    if (isWritten) options.onEnd(outcome, debit);
  }
  return due.length === BATCH_MAX;
}

/** Null: the bank is asked again. */
async function outcomeOf(
  debit: SuspectedDebit,
  { journal, ask, debitTypes, pollActiveMs }: ConfirmOptions,
): Promise<DebitOutcome | null> {
  if (!debit.isOrphan) return 'explained';
  if (debit.isConfirmed) return 'confirmed';
  const keys = keysOf(debit);
  const key = keys[(debit.asked - 1) % keys.length];
  if (key === undefined) return null;
  const reply = await ask(key);
  if (reply.kind === 'movement' && isOf(reply.movement, key))
    return isNoDebit(reply.movement, debitTypes) ? 'other' : 'confirmed';
  // An answer about another movement says nothing of this one.
  const wasNotFound = reply.kind !== 'no-answer';
  if (wasNotFound && debit.notFound + 1 >= NOT_FOUND_MAX) return 'unknown';
  const pauseMs = Math.min(pollActiveMs * 2 ** Math.min(debit.asked - 1, 10), PAUSE_MAX_MS);
  const afterMs = reply.kind === 'no-answer' ? (reply.afterMs ?? pauseMs) : pauseMs;
  await journal.askAgainAboutDebit({ deliveryKey: debit.deliveryKey, afterMs, wasNotFound });
  return null;
}

const keysOf = ({ networkIds, originIds }: NotifiedDebit): readonly DebitKey[] => [
  ...networkIds.map((networkId) => ({ networkId })),
  ...originIds.map((originId) => ({ originId })),
];

/** An answer may be about something else, as anywhere. */
const isOf = (movement: Movement, key: DebitKey): boolean =>
  'networkId' in key
    ? movement.networkId === key.networkId
    : movement.originId !== null && Number(movement.originId) === key.originId;

/** One whose kind the bank does not tell may be a debit. */
const isNoDebit = ({ type }: Movement, debitTypes: readonly string[]): boolean =>
  type !== null && !isDebitType(type, debitTypes);

/** What is due is looked for this often, and when something was staged. */
const EVERY_MS = 5_000;

export interface Confirming {
  wake(): void;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

/** @param onFailed a round failed, because the journal is away or by a bug; the loop goes on */
export function startConfirming(
  options: ConfirmOptions & { readonly onFailed: (error: unknown) => void },
): Confirming {
  const ending = new AbortController();
  const isEnding = (): boolean => ending.signal.aborted;
  let isWanted = true;
  let wakeUp = (): void => undefined;
  const running = (async () => {
    while (!isEnding()) {
      isWanted = false;
      let isFull = false;
      try {
        isFull = await confirmDebits(options);
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
