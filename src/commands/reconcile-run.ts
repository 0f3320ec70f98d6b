import { endOfReconciliation, startReconciliation } from '../engine/reconciliation-runs';
import type { Context } from '../context';
import type { Outcome } from '../reconciliation/report';
import { toSecond } from '../reconciliation/run-window';
import { formatReport } from '../reconciliation/reports/format-report';
import { instantArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { handOverHead } from '../program/hand-over-head';
import { importStatement } from './import-statement';
import type { CommandIo } from '../program/io';
import { note } from './support/output';
import { reportAbsence, watchReconciliation } from './support/reconcile-progress';
import { runCommand, withContext } from '../program/run';

interface RunOptions {
  readonly asOf?: string;
  readonly from?: string;
  readonly to?: string;
  readonly statement?: string;
  readonly mapping?: string;
  readonly json?: boolean;
}

export const addReconcileRun: AddCommand = (parent, { io, end }) => {
  parent
    .command('run')
    .description('compare journal, bank and engine now; exit 3 if they differ or could not all be checked')
    .option(
      '--as-of <time>',
      'compare as of this time; the same time again gives the same report',
      instantArgument,
    )
    .option(
      '--from <time>',
      'check transfers opened from this time on; default: the last three local days, and all open transfers',
      instantArgument,
    )
    .option(
      '--to <time>',
      'check transfers opened up to and including this second; default: --as-of',
      instantArgument,
    )
    .option('--statement <file>', "the bank's statement, CSV; with --mapping")
    .option('--mapping <file>', 'how the statement is read, JSON (docs/reconciliation.md)')
    .option('--json', 'print the report as JSON')
    .action(async (options: RunOptions) => {
      end(
        await runCommand(io, () =>
          withContext(io, ['journal', 'temporal', 'orderLimits', 'reconciliation'], (context) =>
            run(io, context, options),
          ),
        ),
      );
    });
};

async function run(
  io: CommandIo,
  {
    journal,
    temporal,
    orderLimits,
    reconciliation,
    logger,
  }: Context<'journal' | 'temporal' | 'orderLimits' | 'reconciliation'>,
  { asOf: given, from, to, statement, mapping, json = false }: RunOptions,
): Promise<ExitCode> {
  if ((statement === undefined) !== (mapping === undefined)) {
    throw new InputError('--statement and --mapping belong together');
  }
  const asOf = toSecond(given === undefined ? Date.now() : Date.parse(given));
  const known = await journal.runProgress(asOf);
  const noteExisting = (): void => {
    if ((statement ?? from ?? to) === undefined) return;
    note(io, `giro: a reconciliation as of ${asOf} exists already: its window and statement apply`);
  };
  if (known !== null) noteExisting();
  if (known?.ended !== true) {
    const statementId =
      known !== null || statement === undefined || mapping === undefined
        ? null
        : await importStatement(io, logger, journal, {
            ...{ file: statement, mappingFile: mapping, fromAccounts: orderLimits.fromAccounts },
          });
    const { client, config } = temporal;
    const input = { asOf, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const started = await startReconciliation(client, config.taskQueue, {
      ...input,
      ...(statementId === null ? {} : { statementId }),
    });
    // Started by somebody else since, or waiting for a worker: the journal does not have it yet.
    if (known === null && !started) noteExisting();
    const progress = watchReconciliation(io, logger, journal, asOf);
    try {
      const refusal = await endOfReconciliation(client, asOf);
      if (refusal !== null) throw new InputError(refusal);
    } finally {
      await progress.stop();
    }
  }
  const report = await journal.report(asOf);
  if (report === null) throw new InputError(await reportAbsence(journal, asOf));
  if (reconciliation.headCommand !== null) await handOverHead(reconciliation.headCommand, report, logger);
  io.stdout.write(formatReport(report, json ? 'json' : 'text'));
  return exitOf(report.outcome);
}

const exitOf = (outcome: Outcome): ExitCode => (outcome === 'CLEAN' ? EXIT.done : EXIT.notCompleted);
