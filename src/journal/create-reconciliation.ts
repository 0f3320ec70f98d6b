import type { KeyRing } from '../codec/key-ring';
import type { ReconciliationJournal, StatementJournal } from '../reconciliation/port';
import type { Database } from './database';
import type { OrderCipher } from './order-cipher';
import * as statements from './statements/bank-statements';
import * as breaks from './statements/breaks';
import * as lists from './statements/reconciliation-lists';
import * as runs from './statements/reconciliation-runs';
import * as forget from './statements/forget-reconciliations';
import { seenTallies } from './statements/seen-tallies';
import { runPage } from './statements/run-transfers';

/** The part of the journal that reconciliations work with. */
export const createReconciliation = (
  database: Database,
  cipher: OrderCipher,
  ring: KeyRing | null,
): ReconciliationJournal & StatementJournal => ({
  openRun: (window) => runs.openRun(database, window),
  openedRun: (asOf) => runs.openedRun(database, asOf),
  runPage: (page) => runPage(database, cipher, page),
  runStep: (asOf, step) => runs.runStep(database, asOf, step),
  recordStep: (step) => runs.recordStep(database, step),
  runSteps: (asOf) => runs.runSteps(database, asOf),
  seenTallies: (asOf) => seenTallies(database, asOf),
  markForgotten: (keepMs) => forget.markForgotten(database, keepMs),
  nextToForget: () => forget.nextToForget(database),
  forgetRun: (of) => forget.forgetRun(database, of),
  noteEmptied: (asOf) => forget.noteEmptied(database, asOf),
  forgetLines: (of) => forget.forgetLines(database, of),
  forgottenRun: (asOf) => forget.forgottenRun(database, asOf),
  endRun: (asOf, report) => runs.endRun(database, asOf, report),
  report: (asOf) => runs.report(database, asOf),
  runProgress: (asOf) => runs.runProgress(database, asOf),
  notAsked: (page) => lists.notAsked(database, page),
  reconciliations: (filter) => lists.reconciliations(database, filter),
  knownBreaks: (of) => breaks.knownBreaks(database, of),
  missingInJournal: (page) => breaks.missingInJournal(database, page),
  unseenOrphans: (page) => breaks.unseenOrphans(database, page),
  breaks: (filter) => breaks.breaks(database, filter),
  breakHistory: (key) => breaks.breakHistory(database, key),
  changeBreak: (change) => breaks.changeBreak(database, change),
  unknownOriginIds: (originIds) => breaks.unknownOriginIds(database, originIds),
  boundWithoutTransfer: (page) => breaks.boundWithoutTransfer(database, page),
  beginStatement: () => statements.beginStatement(database),
  addLines: (statementId, lines) => statements.addLines(database, ring, statementId, lines),
  endStatement: (statementId, summary) => statements.endStatement(database, statementId, summary),
  statement: (statementId) => statements.statement(database, statementId),
  hasAllLines: (statementId) => statements.hasAllLines(database, statementId),
  statementPage: (page) => statements.statementPage(database, ring, page),
  transfersOfLines: (lines) => statements.transfersOfLines(database, lines),
  recordMatches: (asOf, matches) => statements.recordMatches(database, asOf, matches),
  listTimeOfStatement: (page) => statements.listTimeOfStatement(database, page),
  unmatchedDebits: (page) => statements.unmatchedDebits(database, ring, page),
  linesOf: (asOf, statementId, originIds) =>
    statements.linesOf(database, ring, { asOf, statementId, originIds }),
  suggestible: (of) => statements.suggestible(database, cipher, of),
});
