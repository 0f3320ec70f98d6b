import type { BankLimiter } from '../../bank/limiter/limiter';
import type { BankClient } from '../../bank/movements/port';
import type { TransferSettings } from '../../domain/transfer/settings';
import type { Book } from '../../reconciliation/books';
import type { Break, FoundBreak } from '../../reconciliation/break';
import type { KnownBreak } from '../../reconciliation/break-life';
import type { CheckedTransfer } from '../../journal/statements/reconciliation-runs';
import type { ReconciliationEngine } from '../../reconciliation/port';
import type { ControlTotals, NotAsked, ReportHead } from '../../reconciliation/report';
import type { Cursor } from '../../reconciliation/run-cursor';
import type { RunWindow } from '../../reconciliation/run-window';
import type { InquiryContext } from '../inquire';
import type { InquiryThrottle } from './inquiry-throttle';
import type { Journal } from '../../journal/journal';

export interface ReconciliationContext {
  readonly bank: Pick<BankClient, 'getMovement'>;
  readonly journal: InquiryContext['journal'] &
    Pick<
      Journal,
      | 'boundWithoutTransfer'
      | 'endRun'
      | 'forgetLines'
      | 'forgetRun'
      | 'hasAllLines'
      | 'inquiriesOf'
      | 'knownBreaks'
      | 'linesOf'
      | 'listTimeOfStatement'
      | 'markForgotten'
      | 'missingInJournal'
      | 'nextToForget'
      | 'noteEmptied'
      | 'openRun'
      | 'openedRun'
      | 'orphanDebits'
      | 'suspectedDebits'
      | 'orphanDebitsOf'
      | 'recordMatches'
      | 'recordStep'
      | 'runPage'
      | 'runStep'
      | 'runSteps'
      | 'seenTallies'
      | 'sendingState'
      | 'statement'
      | 'statementPage'
      | 'suggestible'
      | 'transfersOfLines'
      | 'unknownOriginIds'
      | 'unmatchedDebits'
      | 'unseenOrphans'
    >;
  readonly engine: ReconciliationEngine;
  readonly settings: TransferSettings;
  /** Shared with all requests of this worker. */
  readonly limiter: Pick<BankLimiter, 'admit'>;
  /** `RECONCILE_KEEP`: how long the details of runs are kept. */
  readonly keepMs: number;
  /** Called after each run that has ended, for the log. */
  readonly onEnd?: (report: ReportHead) => void;
  /** Called at least once for each recorded report, to keep the head outside the journal. Never rejects. */
  readonly onRecorded?: (report: ReportHead) => Promise<void>;
  /** Called when details older than `keepMs` could not be deleted. */
  readonly onKept?: (error: unknown) => void;
}

export interface StepWork {
  readonly window: RunWindow;
  readonly cursor: Cursor;
  readonly throttle: InquiryThrottle;
}

/** What a step found, before it changes the state of breaks. */
export interface StepResult {
  readonly totals: ControlTotals;
  readonly found: readonly FoundBreak[];
  readonly known: readonly KnownBreak[];
  readonly booksFor: (known: Break) => ReadonlySet<Book> | null;
  readonly checked: readonly CheckedTransfer[];
  readonly notAsked: readonly NotAsked[];
  readonly next: Cursor | null;
}
