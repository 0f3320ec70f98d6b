import { apply } from '../../src/domain/transfer/apply';
import type { TransferEvent } from '../../src/domain/transfer/events';
import type { Step } from '../../src/domain/transfer/next-step';
import { factsOf } from '../../src/domain/transfer/facts';
import type { TransferFacts } from '../../src/domain/transfer/facts';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { linesOf, openedJournal } from './journal-model';
import type { ModelJournal } from './journal-model';

/** Age flags a transfer in every state alike, so it is checked only where nothing else happens (`standsStill`). */
export const settings = {
  ...DEFAULT_TRANSFER_SETTINGS,
  needsDeciders: false,
  attentionAfterActiveMs: 3_650 * 86_400_000,
  attentionAfterDelayedMs: 3_650 * 86_400_000,
};
export const ORDER_SHA256 = 'f'.repeat(64);

/** One transfer: its run, its journal, and the truth, which neither may know. */
export interface World {
  readonly nowMs: number;
  /** Null: no run drives it. */
  readonly run: TransferState | null;
  readonly journal: ModelJournal;
  /** Which PostgreSQL it is; a failover makes it another. */
  readonly journalId: string;
  readonly isSendingStopped: boolean;
  readonly truth: Truth;
}

/** What the invariants are judged by. */
export interface Truth {
  /** Creates that left for the bank. */
  readonly sent: number;
  /** A look-up has found a movement, and a run or the journal knows it. */
  readonly isFound: boolean;
  /** Movement ids received since operators last looked at a mismatch or had it sent again. */
  readonly ids: readonly string[];
  /** Any id was received; by symmetry the first is always A. */
  readonly isIdReceived: boolean;
  /** Readable not-founds since the last create left. */
  readonly notFounds: number;
  /** Operators have accepted a `resend`, it has not left yet, and they have not decided otherwise since. */
  readonly isResendDue: boolean;
  /** A failover has taken lines from the journal. */
  readonly isLineLost: boolean;
  /** An operators' decision among them. */
  readonly isDecisionLost: boolean;
  /** After a failover the run was lost too: nobody knows what the journal lost (`setup --restored` records it). */
  readonly isLossUnknown: boolean;
  /** Runs that were lost, and look-ups that another one made: limited in each trace, to keep the search small. */
  readonly lostRuns: number;
  readonly rivals: number;
  /** Ends that were written down. */
  readonly ends: number;
  /** A cancel has come. */
  readonly isCancelled: boolean;
}

const NOTHING_HAPPENED: Truth = {
  sent: 0,
  isFound: false,
  ids: [],
  isIdReceived: false,
  notFounds: 0,
  isResendDue: false,
  isLineLost: false,
  isDecisionLost: false,
  isLossUnknown: false,
  lostRuns: 0,
  rivals: 0,
  ends: 0,
  isCancelled: false,
};

/** A step of the machine, and the world before it. */
export interface StepTaken {
  readonly step: Step;
  readonly before: World;
}

/** Worlds in the order in which they came to be: a crash may fall between any two. */
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

export const lastNumber = ({ requests }: ModelJournal): number => requests.at(-1)?.number ?? 0;

const foldedFacts = new WeakMap<ModelJournal, TransferFacts>();

/** What the journal's lines say. A journal never changes, so each is folded once. */
export function factsIn(journal: ModelJournal, readAtMs: number): TransferFacts {
  const known = foldedFacts.get(journal) ?? factsOf(linesOf(journal, 0));
  foldedFacts.set(journal, known);
  return { ...known, readAtMs };
}
