import type { Turn } from '../journal/open-transfers';
import { RunRefused } from './port';
import type { RecoveryJournal, TransferRuns } from './port';

/** Open transfers looked at by one recovery of the schedule: 100,000 open ones are all seen within 20 minutes. */
export const CHECKS_PER_MINUTE = 5_000;

/** Read from the journal at a time. */
const PAGE = 500;
/** Asked of the engine at once: a describe takes it milliseconds. */
const AT_ONCE = 20;
/** Failures told one by one; the rest is counted. */
const FAILURES_MAX = 100;

/** Why a transfer without a run was not started again. */
export type RecoveryFailureReason =
  /** Its run completed, and the journal does not hold its end: it was restored from a backup, or was written to. */
  | 'RUN_ENDED'
  /** The order in the journal cannot be read: the key that it was sealed with is missing. */
  | 'ORDER_UNREADABLE'
  | 'ENGINE_REFUSED';

export interface RecoveryFailure {
  readonly originId: number;
  readonly reason: RecoveryFailureReason;
}

export interface RecoveryReport {
  /** Open transfers looked at. */
  readonly checked: number;
  /** originIds that were started again, or would be in a dry run. */
  readonly recovered: readonly number[];
  /** The first hundred. */
  readonly failed: readonly RecoveryFailure[];
  readonly failedInAll: number;
  /** A bound was met: others wait for the next recovery. */
  readonly more: boolean;
}

export interface RecoveryOptions {
  readonly journal: RecoveryJournal;
  readonly runs: TransferRuns;
  readonly checksMax: number;
  readonly startsMax: number;
  /** Looks only: nothing is started or marked. */
  readonly dryRun?: boolean;
  /** Asked between steps; true: the rest is left to the next recovery. */
  readonly isOver?: () => boolean;
}

/**
 * Starts a run for each transfer that the journal has open and no run drives; the run goes on from what the journal
 * holds (`src/domain/transfer/after-receipt.ts`). Those whose last look is longest ago come first, so that every open
 * transfer is met in turn. Two recoveries at once do no harm: the engine starts one run of an id.
 */
export async function recover(options: RecoveryOptions): Promise<RecoveryReport> {
  const { journal, checksMax, startsMax, dryRun = false, isOver = () => false } = options;
  const tally = { checked: 0, recovered: [] as number[], failed: [] as RecoveryFailure[], failedInAll: 0 };
  const report = (more: boolean): RecoveryReport => ({ ...tally, more });
  let after: Turn | null = null;
  let notSince: string | null = null;
  for (;;) {
    const page = await journal.openTransfersInTurn({ after, notSince, limit: PAGE });
    notSince ??= page.takenAt;
    if (page.turns.length === 0) return report(false);
    after = page.turns.at(-1) ?? null;
    for (let i = 0; i < page.turns.length; i += AT_ONCE) {
      const room = Math.min(AT_ONCE, checksMax - tally.checked, startsMax - tally.recovered.length);
      if (room <= 0 || isOver()) return report(true);
      // Fewer than a full step are taken only at a bound, which ends this recovery.
      const step = page.turns.slice(i, i + room).map(({ originId }) => originId);
      const outcomes = await Promise.all(step.map((originId) => recoverOne(originId, options)));
      outcomes.forEach((outcome, at) => {
        const originId = step[at] as number;
        tally.checked += 1;
        if (outcome === 'recovered') tally.recovered.push(originId);
        else if (outcome !== 'left') {
          tally.failedInAll += 1;
          if (tally.failed.length < FAILURES_MAX) tally.failed.push({ originId, reason: outcome });
        }
      });
      if (!dryRun) await journal.markLookedAt(step);
      if (room < Math.min(AT_ONCE, page.turns.length - i)) return report(true);
    }
  }
}

async function recoverOne(
  originId: number,
  { journal, runs, dryRun = false }: RecoveryOptions,
): Promise<'left' | 'recovered' | RecoveryFailureReason> {
  const state = await runs.look(originId);
  if (state === 'open') return 'left';
  try {
    // It may have ended since the page was read; and the journal says it last.
    const transfer = await journal.unfinishedTransfer(originId);
    if (transfer === null) return 'left';
    if (state === 'ended' && !transfer.restored) return 'RUN_ENDED';
    if (transfer.order === null) return 'ORDER_UNREADABLE';
    if (dryRun) return 'recovered';
    return (await runs.start(transfer.order, { afterEnd: state === 'ended' })) ? 'recovered' : 'left';
  } catch (error) {
    if (error instanceof RunRefused) return 'ENGINE_REFUSED';
    throw error;
  }
}
