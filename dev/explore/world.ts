import { apply } from '../../src/domain/transfer/apply';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import type { TransferEvent } from '../../src/domain/transfer/events';
import type { Step } from '../../src/domain/transfer/next-step';
import { factsOf } from '../../src/domain/transfer/facts';
import type { TransferFacts } from '../../src/domain/transfer/facts';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { linesOf, openedJournal } from './journal-model';
import type { ModelJournal } from './journal-model';

/** Age flags a transfer in every state alike, so only `standsStill` lets a transfer become old enough. */
export const settings = {
  ...DEFAULT_TRANSFER_SETTINGS,
  needsDeciders: false,
  attentionAfterActiveMs: 3_650 * 86_400_000,
  attentionAfterDelayedMs: 3_650 * 86_400_000,
};
export const ORDER_SHA256 = 'f'.repeat(64);

/** One transfer: its run, its journal, and the truth, which neither of them may know. */
export interface World {
  readonly nowMs: number;
  /** Null: no run drives it. */
  readonly run: TransferState | null;
  readonly journal: ModelJournal;
  /** The identity of the PostgreSQL server and timeline; a failover changes it. */
  readonly journalId: string;
  readonly isSendingStopped: boolean;
  readonly truth: Truth;
}

/** The facts that the invariants are checked against. */
export interface Truth {
  /** Creates sent to the bank. */
  readonly sent: number;
  /** A look-up has found a movement, and a run or the journal knows it. */
  readonly isFound: boolean;
  /** Movement ids received since operators last resolved a mismatch or had the order sent again. */
  readonly ids: readonly string[];
  /** Any id was received; by symmetry the first is always A. */
  readonly isIdReceived: boolean;
  /** Readable not-founds since the last create left. */
  readonly notFounds: number;
  /** Operators have accepted a `resend` that has not been sent yet, and have not decided otherwise since. */
  readonly isResendDue: boolean;
  /** What holds again if the last create turns out unsent; null: its answer is known. */
  readonly ifUnsent: Pick<Truth, 'notFounds' | 'isResendDue'> | null;
  /** A failover has lost rows of the journal. */
  readonly isLineLost: boolean;
  /** A decision of operators is among the lost rows. */
  readonly isDecisionLost: boolean;
  /**
   * The failover and the loss of the run together: nobody knows which rows the journal has lost (`setup --restored`
   * records this).
   */
  readonly isLossUnknown: boolean;
  /** Lost runs. Limited in each trace, like `rivals`, to keep the search small. */
  readonly lostRuns: number;
  readonly rivals: number;
  /** The worker of the last look-up was lost, so the answer may be recorded late. */
  readonly isLookupLost: boolean;
  /** Recorded ends. */
  readonly ends: number;
  /** A cancel has arrived. */
  readonly isCancelled: boolean;
}

const NOTHING_HAPPENED: Truth = {
  sent: 0,
  isFound: false,
  ids: [],
  isIdReceived: false,
  notFounds: 0,
  isResendDue: false,
  ifUnsent: null,
  isLineLost: false,
  isDecisionLost: false,
  isLossUnknown: false,
  lostRuns: 0,
  rivals: 0,
  isLookupLost: false,
  ends: 0,
  isCancelled: false,
};

/** A step of the machine, and the world before it. */
export interface StepTaken {
  readonly step: Step;
  readonly before: World;
}

/** The worlds of an event in order; a crash may happen between any two. */
export interface Course {
  readonly worlds: readonly World[];
  readonly stepsTaken: readonly StepTaken[];
}

export function newWorld(): World {
  const nowMs = 1_000_000;
  const world = {
    ...{ nowMs, run: initialState(4711, nowMs), journal: openedJournal(nowMs), journalId: 'pg-1' },
    ...{ isSendingStopped: false, truth: NOTHING_HAPPENED },
  };
  return dispatch(world, {
    ...{ kind: 'received', atMs: nowMs, orderSha256: ORDER_SHA256, amountValue: '1500.25', settings },
    ...{ facts: null, journalId: world.journalId },
  });
}

/** Applies an event to the run; without a run nothing changes. */
export const dispatch = (world: World, event: TransferEvent): World =>
  world.run === null ? world : { ...world, run: apply(world.run, event) };

/** The unanswered last request of the run, as the journal has it; null: none. */
export function unansweredLine({ run, journal }: World): ModelJournal['requests'][number] | null {
  if (run?.requests.isUnanswered !== true) return null;
  return journal.requests.find(({ number }) => number === run.requests.lastNumber) ?? null;
}

/** The answer to it that was recorded since; null: none. */
export const unreadAnswer = (world: World): CreateAnswer | LookupAnswer | null =>
  unansweredLine(world)?.answer?.value ?? null;

export const lastNumber = ({ requests }: ModelJournal): number => requests.at(-1)?.number ?? 0;

const foldedFacts = new WeakMap<ModelJournal, TransferFacts>();

/** The facts of a journal's rows. A journal value is immutable, so its facts are computed once. */
export function factsIn(journal: ModelJournal, readAtMs: number): TransferFacts {
  const known = foldedFacts.get(journal) ?? factsOf(linesOf(journal, 0));
  foldedFacts.set(journal, known);
  return { ...known, readAtMs };
}
