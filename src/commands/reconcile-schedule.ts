import {
  RECONCILIATION_SCHEDULE,
  reconciliationSchedule,
  scheduleReconciliation,
} from '../engine/reconciliation-runs';
import type { ReconciliationSchedule } from '../engine/reconciliation-runs';
import { textArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import { alignedFields, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

const CRON_MAX_LENGTH = 100;

export const addReconcileSchedule: AddCommand = (parent, { io, end }) => {
  parent
    .command('schedule')
    .description('reconcile on a schedule; without --cron: print the state of the schedule')
    .option(
      '--cron <spec>',
      "when, by America/Argentina/Buenos_Aires: '0 6 * * *' is daily at six",
      textArgument(CRON_MAX_LENGTH),
    )
    .option('--json', 'print a JSON object')
    .action(async ({ cron, json = false }: { cron?: string; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['temporal'], async ({ temporal: { client, config } }) => {
          if (cron !== undefined) {
            await scheduleReconciliation(client, config.taskQueue, cron).catch((error: unknown) => {
              // Temporal's client reports a refused argument as a TypeError.
              if (error instanceof TypeError) throw new InputError(`--cron: ${error.message}`);
              throw error;
            });
          }
          const schedule = await reconciliationSchedule(client);
          if (json) printJson(io, schedule);
          else printLines(io, schedule === null ? [NONE] : asLines(schedule));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

const NONE = 'there is no schedule; create one with --cron';

function asLines({
  cron,
  timezone,
  paused,
  next,
  recent,
  missed,
  skipped,
}: ReconciliationSchedule): string[] {
  return alignedFields([
    ['schedule', RECONCILIATION_SCHEDULE],
    ['cron', `${cron} (${timezone})`],
    ['paused', paused ? 'yes' : 'no'],
    ['next', next.join(', ') || '-'],
    ['last', recent.join(', ') || '-'],
    ['missed', `${missed} (the engine was away for longer than two hours)`],
    ['left out', `${skipped} (one was in progress)`],
  ]);
}
