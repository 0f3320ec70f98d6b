import type { Turn } from '../journal/statements/open-transfers';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import { RunRefused } from './port';
import type { TransferRuns } from './port';
import { recoverLeastRecentlyChecked } from './least-recently-checked';

/** Open transfers that one scheduled recovery checks (contract 4.8): all of 100,000 are checked within 20 minutes. */
export const CHECKS_PER_MINUTE = 5_000;

/**
 * Recovery reads the history of an idle run only after so long without a request. That is longer than the default
 * cadence of DELAYED, so few histories are read.
 */
const QUIET_MS = 15 * 60_000;

/** Why a transfer was not recovered. */
export type RecoveryFailureReason =
  /**
   * Its run completed, but the journal lacks the end: commits were lost, or somebody wrote to the journal. The login may
   * not record the loss (`recordLoss`), so the recovery of a worker starts the run.
   */
  | 'RUN_ENDED'
  /** The order in the journal does not open: its key is missing, or the row was altered. */
  | 'ORDER_UNREADABLE'
  | 'ENGINE_REFUSED'
  /** Its run is open, nothing will continue it, and a signal has not helped. */
  | 'STRANDED'
  /** An error of Temporal or the journal about this transfer alone: tried again later. */
  | 'UNEXPECTED';

export interface RecoveryFailure {
  readonly originId: number;
  readonly reason: RecoveryFailureReason;
}

export interface RecoveryReport {
  /** Open transfers that were checked. */
  readonly checked: number;
  /** originIds whose runs were started again or hinted, or would be in a dry run. */
  readonly recovered: readonly number[];
  /** The first hundred. */
  readonly failed: readonly RecoveryFailure[];
  readonly failedInAll: number;
  /** A limit was reached: the others wait for the next recovery. */
  readonly more: boolean;
}

export interface RecoveryOptions {
  readonly journal: Pick<
    Journal,
    'leastRecentlyCheckedTransfers' | 'markTransfersChecked' | 'unfinishedTransfer'
  >;
  readonly runs: TransferRuns;
  /**
   * Records that the journal has lost requests of this transfer, so that a new run asks the bank and sends nothing.
   * Without a record, nobody would know of the loss once Temporal has forgotten the completed run. Absent: the login may
   * not record it.
   */
  readonly recordLoss?: (originId: number) => Promise<void>;
  readonly checksMax: number;
  readonly startsMax: number;
  /** Only checks: nothing is started, hinted or marked. */
  readonly dryRun?: boolean;
  /** Default: `QUIET_MS`. */
  readonly quietAfterMs?: number;
  /** Called between steps; true: the rest is left to the next recovery. */
  readonly isOver?: () => boolean;
}

/**
 * Starts a run for each transfer that is open in the journal and has no run. The run continues from the journal's rows
 * (`src/domain/transfer/after-receipt.ts`). A stranded run, which is open but which nothing will continue, is hinted; if
 * a signal has not helped, it is reported (docs/runbooks/lost-run.md). Each recovery continues after the last transfer
 * of the one before, so every open transfer gets its turn. Two concurrent recoveries are harmless: Temporal runs only
 * one workflow of an id.
 */
export async function recover(options: RecoveryOptions): Promise<RecoveryReport> {
  const { journal, runs, checksMax, startsMax, dryRun = false, isOver = () => false } = options;
  const { checked, recovered, failed, failedInAll, more } = await recoverLeastRecentlyChecked<
    Turn,
    RecoveryFailureReason
  >({
    page: (place) => journal.leastRecentlyCheckedTransfers(place),
    recoverOne: (turn) => recoverOne(turn, options),
    isOutage: (error) => error instanceof JournalUnavailable || runs.isAway(error),
    mark: dryRun ? null : (turns) => journal.markTransfersChecked(turns.map(({ originId }) => originId)),
    ...{ checksMax, startsMax, isOver },
  });
  return {
    ...{ checked, failedInAll, more },
    recovered: recovered.map(({ originId }) => originId),
    failed: failed.map(({ turn, reason }) => ({ originId: turn.originId, reason })),
  };
}

async function recoverOne(
  { originId, quietMs }: Turn,
  options: RecoveryOptions,
): Promise<'left' | 'recovered' | RecoveryFailureReason> {
  const { journal, runs, recordLoss, dryRun = false, quietAfterMs = QUIET_MS } = options;
  const state = await runs.observe(originId);
  if (state === 'open') return 'left';
  if (state === 'idle') return quietMs > quietAfterMs ? hintStranded(originId, runs, dryRun) : 'left';
  try {
    // The transfer may have ended since the page was read, so ask the journal again.
    const transfer = await journal.unfinishedTransfer(originId);
    if (transfer === null) return 'left';
    const isLossNew = state === 'ended' && !transfer.isDoubted;
    if (isLossNew && recordLoss === undefined) return 'RUN_ENDED';
    if (isLossNew && !dryRun) await recordLoss?.(originId);
    if (transfer.order === null) return 'ORDER_UNREADABLE';
    if (dryRun) return 'recovered';
    return (await runs.start(transfer.order, { afterEnd: state === 'ended' })) ? 'recovered' : 'left';
  } catch (error) {
    if (error instanceof RunRefused) return 'ENGINE_REFUSED';
    throw error;
  }
}

/** An error concerns only this run: a login that may not read histories still recovers lost runs. */
async function hintStranded(
  originId: number,
  runs: TransferRuns,
  dryRun: boolean,
): Promise<'left' | 'recovered' | RecoveryFailureReason> {
  try {
    const outcome = await runs.hintStranded(originId, { dryRun });
    return ({ waits: 'left', hinted: 'recovered', stranded: 'STRANDED' } as const)[outcome];
  } catch {
    return 'UNEXPECTED';
  }
}
