import { isDecider } from '../domain/operator';
import {
  incidentIdArgument,
  textArgument,
  LIMIT_DEFAULT,
  limitArgument,
  operatorArgument,
} from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printJson, printLines, alignedTable, noteMore, orDash } from './support/output';
import { runCommand, withContext } from '../program/run';
import type { Incident } from '../journal/statements/incidents';

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
    .option('--limit <n>', `at most this many (default ${LIMIT_DEFAULT})`, limitArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ open = false, limit = LIMIT_DEFAULT, json = false }: ListOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const found = await journal.incidents({ open, limit: limit + 1 });
          const incidents = found.slice(0, limit);
          if (json) printJson(io, incidents);
          else printLines(io, incidents.length === 0 ? ['no incidents'] : incidentTable(incidents));
          if (found.length > limit) noteMore(io, limit);
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

const NOTE_MAX_LENGTH = 1_000;

interface AcknowledgeOptions {
  readonly operator: string;
  readonly note: string;
  readonly json?: boolean;
}

export const addIncidentAcknowledge: AddCommand = (parent, { io, end }) => {
  parent
    .command('acknowledge')
    .description('an operator has dealt with an incident: it stays recorded, but needs no more attention')
    .argument('<incident-id>', 'as `incident list` prints it', incidentIdArgument)
    .requiredOption('--operator <name>', 'who; one of DECIDERS if set', operatorArgument)
    .requiredOption('--note <text>', 'what was found and done; kept for ever', textArgument(NOTE_MAX_LENGTH))
    .option('--json', 'print a JSON object')
    .action(async (incidentId: string, options: AcknowledgeOptions) => {
      end(await runCommand(io, () => acknowledge(io, incidentId, options)));
    });
};

async function acknowledge(
  io: CommandIo,
  incidentId: string,
  { operator, note, json = false }: AcknowledgeOptions,
): Promise<ExitCode> {
  return withContext(io, ['journal', 'transferSettings'], async ({ journal, transferSettings }) => {
    if (!isDecider(transferSettings.deciders, operator)) {
      throw new InputError('--operator is not listed in DECIDERS');
    }
    const acknowledged = await journal.acknowledgeIncident({ incidentId, operator, note });
    if (acknowledged === null) throw new InputError(`no incident ${incidentId}`);
    const { incident, now } = acknowledged;
    if (!now) throw new InputError(`${incident.acknowledged?.operator ?? 'somebody'} acknowledged it before`);
    if (json) printJson(io, incident);
    else printLines(io, [`incident ${incident.id} of transfer ${incident.originId} is acknowledged`]);
    return EXIT.done;
  });
}
