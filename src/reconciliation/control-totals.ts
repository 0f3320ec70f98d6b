import type { BankObservation, BookedTransfer, JournalEntry, RunState } from './books';
import type { ControlTotals } from './report';
import { NO_TALLY, mergeTallies, mergeTalliesBy, talliedBy, tallied } from './tally';

export const NO_TOTALS: ControlTotals = {
  transfers: NO_TALLY,
  journal: {},
  bank: {},
  engine: {},
  annulments: NO_TALLY,
  statement: {},
};

/**
 * Adds a transfer to the control totals: in journal, bank and engine under its status in that book, with the amount of
 * the order. An annulment and statement lines count with their own amounts.
 */
export function addToTotals(totals: ControlTotals, transfer: BookedTransfer): ControlTotals {
  const { entry, bank, run, statement } = transfer;
  const amount = entry?.amount ?? null;
  const annulment = entry?.annulment ?? null;
  return {
    transfers: tallied(totals.transfers, amount),
    journal: talliedBy(totals.journal, journalStatus(entry), amount),
    bank: talliedBy(totals.bank, bankStatus(bank), amount),
    engine: talliedBy(totals.engine, engineStatus(run), amount),
    annulments: annulment === null ? totals.annulments : tallied(totals.annulments, annulment.amount),
    statement: (statement?.lines ?? []).reduce(
      (sums, line) => talliedBy(sums, line.direction === 'debit' ? 'DEBIT' : 'CREDIT', line.amount),
      totals.statement,
    ),
  };
}

/** Merges the totals of two disjoint sets of transfers. */
export function mergeTotals(a: ControlTotals, b: ControlTotals): ControlTotals {
  return {
    transfers: mergeTallies(a.transfers, b.transfers),
    journal: mergeTalliesBy(a.journal, b.journal),
    bank: mergeTalliesBy(a.bank, b.bank),
    engine: mergeTalliesBy(a.engine, b.engine),
    annulments: mergeTallies(a.annulments, b.annulments),
    statement: mergeTalliesBy(a.statement, b.statement),
  };
}

function journalStatus(entry: JournalEntry | null): string {
  return entry === null ? 'NOT_IN_JOURNAL' : (entry.result?.status ?? 'OPEN');
}

function bankStatus(bank: BankObservation): string {
  switch (bank.kind) {
    case 'movement':
      return bank.movement.status;
    case 'not-found':
      return 'NOT_FOUND';
    case 'no-answer':
      return 'NO_ANSWER';
    case 'not-recorded':
      return 'NOT_RECORDED';
    case 'not-asked':
      return 'NOT_ASKED';
  }
}

function engineStatus(run: RunState): string {
  switch (run.kind) {
    case 'open':
      return 'OPEN';
    case 'closed':
      return run.how.toUpperCase().replace('-', '_');
    case 'missing':
      return 'MISSING';
    case 'unknown':
      return 'UNKNOWN';
  }
}
