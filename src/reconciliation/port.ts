import type { TransferOrder } from '../domain/order';
import type { LookupAnswer } from '../domain/transfer/answers';
import type { JournalEntry, RunState, StatementLine } from './books';
import type { Break, BreakState } from './break';
import type { BreakChange } from './break-life';
import type { ControlTotals, NotAsked, Outcome, Report } from './report';
import type { RunWindow } from './run-window';
import type { Cursor } from './run-cursor';

/** What a reconciliation asks of the engine, and what it has it do. */
export interface ReconciliationEngine {
  /** By describe: exact at once. `unknown`: the engine could not be asked. */
  look(originId: number): Promise<RunState>;
  /** originIds of the transfer runs that started in the window, by the engine's index; `token` null: there is no more. */
  started(page: {
    readonly from: string;
    readonly to: string;
    readonly token: string | null;
  }): Promise<{ readonly originIds: readonly number[]; readonly token: string | null }>;
  /** Has the run ask the bank as soon as it may. Does not throw: the next reconciliation would hint again. */
  hint(originId: number, eventId: string): Promise<void>;
  /** Starts a lost run again, by the rules of recovery. Does not throw: recovery does the same each minute. */
  restart(originId: number, order: TransferOrder): Promise<void>;
}

export interface TimePage {
  readonly asOf: string;
  readonly statementId: number;
  /** `openedAt` as the journal writes it, to the microsecond. */
  readonly after: { readonly openedAt: string; readonly originId: number } | null;
  readonly limit: number;
}

export interface OrdinalLine extends StatementLine {
  readonly ordinal: number;
}
export interface UnmatchedDebit extends OrdinalLine {
  /** False: its counterparty is sealed with a key that is not in the ring. */
  readonly isReadable: boolean;
}
export interface MatchedLine {
  readonly originId: number;
  readonly line: StatementLine;
  /** False: its counterparty is sealed with a key that is not in the ring. */
  readonly isReadable: boolean;
}
export interface SuggestibleTransfer {
  readonly originId: number;
  readonly order: TransferOrder;
  readonly openedAt: string;
}

export type OpenedRun =
  | { readonly kind: 'open'; readonly window: RunWindow; readonly total: number }
  | { readonly kind: 'ended'; readonly report: ReportHead };

/** A report without its breaks: as large whatever was found. */
export type ReportHead = Omit<Report, 'breaks'>;

/** A transfer of a run's list. */
export interface RunTransfer {
  readonly originId: number;
  /** Null: its order cannot be opened with the keys at hand. */
  readonly entry: JournalEntry | null;
  readonly order: TransferOrder | null;
  /** The last readable answer to its own run; null: none. */
  readonly recorded: RecordedAnswer | null;
  /** Of an ended one: the readable answer to a question of this very run; null: not asked yet. */
  readonly askedInRun: RecordedAnswer | null;
  readonly lastRequest: LastRequest | null;
  /** A create of it may have reached the bank: only then is there anything to ask about. */
  readonly mayBeAtBank: boolean;
  /** Older than the window, and an earlier run has asked the bank and found it in order, or COMPLETED 30 days ago. */
  readonly isConfirmed: boolean;
  /** By the journal's clock. */
  readonly openedAgoMs: number;
  readonly sameMovementId: readonly number[];
  readonly sameNetworkId: readonly number[];
}

export interface RecordedAnswer {
  readonly answer: LookupAnswer;
  /** ISO UTC. */
  readonly at: string;
  /** No request about the transfer, of its run or of a check, has begun or ended since. */
  readonly isLast: boolean;
}

export interface LastRequest {
  readonly number: number;
  /** Since it ended, by the journal's clock; one without an answer is taken to have just begun. */
  readonly agoMs: number;
  readonly answered: boolean;
  /** The bank's word that its cadence follows. */
  readonly bankStatus: string | null;
  readonly retryAfterMs: number | null;
}

export interface StepOutcome {
  readonly totals: ControlTotals;
  readonly notAskedCount: number;
  /** The first of them. */
  readonly notAsked: readonly NotAsked[];
  readonly opened: number;
  readonly resolved: number;
  readonly checked: number;
  /** Where the next step goes on; null: the run is through. */
  readonly next: Cursor | null;
  /** The bank gave no answers, or its rate no turn: the next step has short give-up limits. */
  readonly isBankAway: boolean;
}

export interface NewStep {
  readonly asOf: string;
  readonly step: number;
  readonly outcome: StepOutcome;
  readonly looks: readonly Look[];
  /** All that it could not look at. */
  readonly notAsked: readonly NotAsked[];
  readonly breaks: readonly WrittenBreak[];
  /** As the report of this run tells them. */
  readonly seen: readonly Break[];
}

export interface Look {
  readonly originId: number;
  readonly look: 'asked' | 'recorded' | 'not-asked';
  readonly evidenceSha256: string | null;
  readonly heardAt: string | null;
  readonly settled: boolean;
}

export interface KnownBreak {
  readonly version: number;
  readonly break: Break;
}

export interface WrittenBreak {
  /** Follows the one that was read; 1: it is new. */
  readonly version: number;
  readonly break: Break;
  readonly change: BreakChange | null;
  /** Null: an operator's command. */
  readonly asOf: string | null;
}

export interface BreakHistoryLine {
  readonly kind: BreakChange['kind'];
  readonly state: BreakState;
  readonly at: string;
  readonly asOf: string | null;
  readonly operator: string | null;
  readonly note: string | null;
}

export interface BreakFilter {
  /** Open and acknowledged ones alone. */
  readonly unresolved: boolean;
  readonly class: string | null;
  /** First seen before; ISO UTC. */
  readonly firstSeenBefore: string | null;
  readonly after: { readonly firstSeen: string; readonly key: string } | null;
  readonly limit: number;
}

/** `after`: the last one of the page before; null: from the first. */
export interface NotAskedPage {
  readonly asOf: string;
  readonly after: Pick<NotAsked, 'originId' | 'book'> | null;
  readonly limit: number;
}

/** A run in a list. Times are ISO UTC. */
export interface RunSummary {
  readonly asOf: string;
  readonly from: string;
  readonly to: string;
  /** `UNDER_WAY`: it has no report; it is at work, or was stopped. */
  readonly state: Outcome | 'UNDER_WAY';
  /** Those it had to look at, and those it has looked at so far. */
  readonly transfers: number;
  readonly checked: number;
  /** Not resolved, as the run left them; null like the other counts: it has no report. */
  readonly breaks: number | null;
  readonly breaksOpened: number | null;
  readonly breaksResolved: number | null;
  readonly notAsked: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

export interface RunProgress {
  readonly total: number;
  readonly checked: number;
  readonly ended: boolean;
}

export interface BoundPage {
  readonly from: string;
  readonly to: string;
  readonly after: number;
  readonly limit: number;
}
