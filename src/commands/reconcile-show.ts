import { open } from 'node:fs/promises';
import { Option } from 'commander';
import { REPORT_FORMATS, formatReport } from '../reconciliation/reports/format-report';
import type { ReportFormat } from '../reconciliation/reports/format-report';
import { notAskedList } from '../reconciliation/reports/not-asked-list';
import { toSecond } from '../reconciliation/run-window';
import { instantArgument, LIMIT_DEFAULT, limitArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { reportAbsence } from './support/reconcile-progress';
import { note, noteMore, alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import type { RunSummary } from '../journal/statements/reconciliation-lists';

export const addReconcileList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('reconciliations and their outcomes, latest asOf first')
    .option('--limit <n>', `at most this many (default ${LIMIT_DEFAULT})`, limitArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ limit = LIMIT_DEFAULT, json = false }: { limit?: number; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const found = await journal.reconciliations({ limit: limit + 1 });
          const runs = found.slice(0, limit);
          if (json) printJson(io, runs);
          else printLines(io, runs.length === 0 ? ['no reconciliations'] : asTable(runs));
          if (found.length > limit) noteMore(io, limit);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

function asTable(runs: readonly RunSummary[]): string[] {
  return alignedTable(
    ['AS OF', 'STATE', 'TRANSFERS', 'BREAKS', 'OPENED', 'RESOLVED', 'NOT ASKED', 'STARTED AT', 'ENDED AT'],
    runs.map((run) => [
      run.asOf,
      run.state,
      run.endedAt === null ? `${run.checked} of ${run.transfers}` : String(run.transfers),
      ...[run.breaks, run.breaksOpened, run.breaksResolved, run.notAsked].map(orDash),
      run.startedAt,
      orDash(run.endedAt),
    ]),
  );
}

export const addReconcileShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('the report of a reconciliation')
    .argument('<as-of>', 'asOf of the reconciliation', instantArgument)
    .addOption(new Option('--format <format>', 'how').choices(REPORT_FORMATS).default('text'))
    .option('--json', 'the same as --format json')
    .option(
      '--not-asked',
      'instead of the report, everything that could not be checked, and why; not with --format html',
    )
    .option('--out <file>', 'write it to this file; default: print it')
    .action(async (asOf: string, { format: given, json = false, notAsked = false, out }: ShowOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const at = toSecond(Date.parse(asOf));
          const format = json ? 'json' : given;
          if (!notAsked) {
            const report = await journal.report(at);
            if (report === null) throw new InputError(await reportAbsence(journal, at));
            await write(io, out, [formatReport(report, format)]);
            return EXIT.done;
          }
          if (format === 'html') throw new InputError('--not-asked: as text, json or csv');
          if ((await journal.runProgress(at)) === null || (await journal.forgottenRun(at)) !== null)
            throw new InputError(await reportAbsence(journal, at));
          await write(io, out, notAskedList(journal, at, format));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

interface ShowOptions {
  readonly format: ReportFormat;
  readonly json?: boolean;
  readonly notAsked?: boolean;
  readonly out?: string;
}

async function write(
  io: CommandIo,
  out: string | undefined,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  if (out === undefined) {
    for await (const piece of pieces) io.stdout.write(piece);
    return;
  }
  // Opened before the pieces are read from the journal, so that an error of the journal is not reported as an error of
  // the file.
  const file = await open(out, 'w').catch(() => {
    throw new InputError('--out: the file cannot be written');
  });
  try {
    for await (const piece of pieces) await file.write(piece);
  } finally {
    await file.close();
  }
  note(io, `giro: written to ${out}`);
}
