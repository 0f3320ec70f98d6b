import type { RunSummary } from '../journal/statements/reconciliation-lists';
import { countArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { alignedTable, note, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

export const addReconcileList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('reconciliations and how each ended, the latest moment first')
    .option('--limit <n>', `at most that many (default ${LIMIT_DEFAULT})`, countArgument(LIMIT_MAX))
    .option('--json', 'print a JSON array')
    .action(async ({ limit = LIMIT_DEFAULT, json = false }: { limit?: number; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const found = await journal.reconciliations({ limit: limit + 1 });
          const runs = found.slice(0, limit);
          if (json) printJson(io, runs);
          else printLines(io, runs.length === 0 ? ['no reconciliations'] : asTable(runs));
          if (found.length > limit) {
            note(io, `there are more than these ${limit}: --limit takes up to ${LIMIT_MAX}`);
          }
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
