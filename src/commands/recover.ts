import { transferRuns } from '../engine/transfer-runs';
import { recover } from '../recovery/recover';
import type { RecoveryFailureReason, RecoveryReport } from '../recovery/recover';
import type { AddCommand } from './command';
import { EXIT } from './exit-codes';
import { alignedTable, printJson, printLines } from './output';
import { runCommand, withContext } from './run-command';

const WHY: Record<RecoveryFailureReason, string> = {
  RUN_ENDED: 'its run completed, and the journal does not hold its end (restored? setup --restored)',
  ORDER_UNREADABLE: 'its order cannot be read: the key that sealed it is missing in CODEC_KEYS_FILE',
  ENGINE_REFUSED: 'the engine takes no run for it',
};

export const addRecover: AddCommand = (parent, { io, end }) => {
  parent
    .command('recover')
    .description(
      'start again the transfers that the journal has open and no run drives; nothing is sent twice',
    )
    .option('--dry-run', 'only say which')
    .option('--json', 'print one JSON object')
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal', 'temporal', 'recovery'], async ({ journal, temporal, recovery }) => {
          const report = await recover({
            ...{ journal, dryRun, startsMax: recovery.startsMax, checksMax: Infinity },
            runs: transferRuns(temporal.client, temporal.config.taskQueue),
          });
          if (json) printJson(io, report);
          else printLines(io, asLines(report, dryRun));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

function asLines(
  { checked, recovered, failed, failedInAll, more }: RecoveryReport,
  dryRun: boolean,
): string[] {
  const what = dryRun ? 'without a run' : 'started again';
  return [
    `open transfers looked at: ${checked}; ${what}: ${recovered.length}; not recovered: ${failedInAll}`,
    ...recovered.map((originId) => `${originId} ${what}`),
    ...(failed.length === 0
      ? []
      : alignedTable(
          ['NOT RECOVERED', 'WHY'],
          failed.map(({ originId, reason }) => [String(originId), WHY[reason]]),
        )),
    ...(more ? ['more may be waiting (RECOVERY_MAX_STARTS): the schedule goes on, or repeat'] : []),
  ];
}
