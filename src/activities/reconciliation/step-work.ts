import type { Book } from '../../reconciliation/books';
import type { Break, FoundBreak } from '../../reconciliation/break';
import type { KnownBreak, Look } from '../../reconciliation/port';
import type { ControlTotals, NotAsked } from '../../reconciliation/report';
import type { Cursor } from '../../reconciliation/run-cursor';
import type { RunWindow } from '../../reconciliation/run-window';
import type { InquiryThrottle } from './inquiry-throttle';

export interface StepWork {
  readonly window: RunWindow;
  readonly cursor: Cursor;
  readonly throttle: InquiryThrottle;
}

/** What a step has found, before the lives of its breaks go on. */
export interface StepFindings {
  readonly totals: ControlTotals;
  readonly found: readonly FoundBreak[];
  readonly known: readonly KnownBreak[];
  readonly booksFor: (known: Break) => ReadonlySet<Book> | null;
  readonly looks: readonly Look[];
  readonly notAsked: readonly NotAsked[];
  readonly next: Cursor | null;
}
