import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { REPORT_FORMATS, formatReport } from '../reconciliation/reports/format-report';
import type { ReportFormat } from '../reconciliation/reports/format-report';
import { toSecond } from '../reconciliation/run-window';
import { instantArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from './support/exit-codes';
import { InputError } from './support/failure';
import { note } from './support/output';
import { runCommand, withContext } from './support/run-command';

export const addReconcileShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('the report of a reconciliation')
    .argument('<as-of>', 'the moment it speaks of', instantArgument)
    .addOption(new Option('--format <format>', 'how').choices(REPORT_FORMATS).default('text'))
    .option('--json', 'the same as --format json')
    .option('--out <file>', 'write it there; default: print it')
    .action(
      async (
        asOf: string,
        { format, json = false, out }: { format: ReportFormat; json?: boolean; out?: string },
      ) => {
        const code = await runCommand(io, () =>
          withContext(io, ['journal'], async ({ journal }) => {
            const at = toSecond(Date.parse(asOf));
            const report = await journal.report(at);
            if (report === null) throw new InputError(await absence(journal, at));
            const text = formatReport(report, json ? 'json' : format);
            if (out === undefined) io.stdout.write(text);
            else {
              await writeFile(out, text).catch(() => {
                throw new InputError('--out: the file cannot be written');
              });
              note(io, `giro: written to ${out}`);
            }
            return EXIT.done;
          }),
        );
        end(code);
      },
    );
};

async function absence(
  journal: { runProgress(asOf: string): Promise<{ checked: number; total: number } | null> },
  asOf: string,
): Promise<string> {
  const progress = await journal.runProgress(asOf);
  return progress === null
    ? `there is no reconciliation as of ${asOf}`
    : `the reconciliation as of ${asOf} is under way: ${progress.checked} of ${progress.total} transfers`;
}
