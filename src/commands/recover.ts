import { transferRuns, verificationRuns } from '../engine/runs';
import type { FullRecoveryReport } from '../recovery/recover-verifications';
import { recover } from '../recovery/recover';
import type { RecoveryFailureReason } from '../recovery/recover';
import { recoverVerifications } from '../recovery/recover-verifications';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { alignedTable, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

const WHY: Record<RecoveryFailureReason, string> = {
  RUN_ENDED:
    'its run completed, but the journal has no result: the schedule asks the bank about it within minutes. Were commits lost? See docs/runbooks/restore-from-backup.md',
  ORDER_UNREADABLE: 'its order does not open: its key is missing in CODEC_KEYS_FILE, or the row was altered',
  ENGINE_REFUSED: 'the engine refuses to start its run',
  STRANDED:
    'its run is open, but nothing will continue it, and a signal did not help: terminate the run, and recovery starts another. See docs/runbooks/lost-run.md',
  UNEXPECTED: 'an error of this transfer alone: check the logs of the engine and of PostgreSQL',
};

export const addRecover: AddCommand = (parent, { io, end }) => {
  parent
    .command('recover')
    .description(
      'start lost runs of open transfers and verifications again, and hint stranded ones; nothing is sent twice',
    )
    .option('--dry-run', 'only say which')
    .option('--json', 'print one JSON object')
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal', 'temporal', 'recovery'], async ({ journal, temporal, recovery }) => {
          const { taskQueue } = temporal.config;
          const bounds = { journal, dryRun, startsMax: recovery.startsMax, checksMax: Infinity };
          const transfers = await recover({ ...bounds, runs: transferRuns(temporal.client, taskQueue) });
          const verifications = await recoverVerifications({
            ...bounds,
            runs: verificationRuns(temporal.client, taskQueue),
          });
          const report = { ...transfers, verifications };
          if (json) printJson(io, report);
          else printLines(io, asLines(report, dryRun));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

function asLines(
  { checked, recovered, failed, failedInAll, more, verifications }: FullRecoveryReport,
  dryRun: boolean,
): string[] {
  const what = dryRun ? 'without a run' : 'started again';
  return [
    `open transfers checked: ${checked}; ${what}: ${recovered.length}; not recovered: ${failedInAll}`,
    ...recovered.map((originId) => `${originId} ${what}`),
    ...(failed.length === 0
      ? []
      : alignedTable(
          ['NOT RECOVERED', 'WHY'],
          failed.map(({ originId, reason }) => [String(originId), WHY[reason]]),
        )),
    `open verifications checked: ${verifications.checked}; ${what}: ${verifications.recovered.length}; not recovered: ${verifications.refusedInAll}`,
    ...verifications.recovered.map((requestId) => `${requestId} ${what}`),
    ...verifications.refused.map((requestId) => `${requestId}: ${WHY.ENGINE_REFUSED}, or another error`),
    ...(more || verifications.more
      ? ['more may be waiting (RECOVERY_MAX_STARTS): the schedule continues, or repeat the command']
      : []),
  ];
}
