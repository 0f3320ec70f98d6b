import { isDecider } from '../domain/operator';
import { incidentIdArgument, operatorArgument, textArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

const NOTE_MAX_LENGTH = 1_000;

interface AcknowledgeOptions {
  readonly operator: string;
  readonly note: string;
  readonly json?: boolean;
}

export const addIncidentAcknowledge: AddCommand = (parent, { io, end }) => {
  parent
    .command('acknowledge')
    .description('an operator has dealt with an incident: it stays, and needs attention no more')
    .argument('<incident-id>', 'as `incident list` prints it', incidentIdArgument)
    .requiredOption('--operator <name>', 'who; one of DECIDERS when it is set', operatorArgument)
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
      throw new InputError('--operator is none of DECIDERS');
    }
    const acknowledged = await journal.acknowledgeIncident({ incidentId, operator, note });
    if (acknowledged === null) throw new InputError(`there is no incident ${incidentId}`);
    const { incident, now } = acknowledged;
    if (!now) throw new InputError(`${incident.acknowledged?.operator ?? 'somebody'} acknowledged it before`);
    if (json) printJson(io, incident);
    else printLines(io, [`incident ${incident.id} of transfer ${incident.originId} is acknowledged`]);
    return EXIT.done;
  });
}
