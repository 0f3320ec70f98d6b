import type { Incident } from '../journal/statements/incidents';
import { countArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

interface ListOptions {
  readonly open?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

export const addIncidentList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('final states that the bank contradicted later, newest first')
    .option('--open', 'only those that nobody has acknowledged')
    .option('--limit <n>', `at most that many (default ${LIMIT_DEFAULT})`, countArgument(LIMIT_MAX))
    .option('--json', 'print a JSON array')
    .action(async ({ open = false, limit = LIMIT_DEFAULT, json = false }: ListOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const incidents = await journal.incidents({ open, limit });
          if (json) printJson(io, incidents);
          else printLines(io, incidents.length === 0 ? ['no incidents'] : incidentTable(incidents));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

export function incidentTable(incidents: readonly Incident[]): string[] {
  return alignedTable(
    ['INCIDENT', 'ORIGIN ID', 'AT', 'ENDED', 'BANK NOW', 'FACT', 'ACKNOWLEDGED'],
    incidents.map(({ id, originId, at, finalStatus, bankStatus, fact, acknowledged }) => [
      id,
      String(originId),
      at,
      finalStatus,
      orDash(bankStatus),
      fact,
      acknowledged === null ? '-' : `${acknowledged.at} by ${acknowledged.operator}: ${acknowledged.note}`,
    ]),
  );
}
