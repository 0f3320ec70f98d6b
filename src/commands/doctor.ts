import { ourBank } from '../bank/our-bank';
import { openBankConnection } from '../context/bank-connection';
import { answerCodes } from '../context';
import { DOCTOR_NEEDS, examine } from '../doctor/examine';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printJson, printLines } from './support/output';
import { loggerOf, runCommand, settingsOf } from '../program/run';

export const addDoctor: AddCommand = (parent, { io, end }) => {
  parent
    .command('doctor')
    .description(
      'check Temporal, search attributes, the recovery schedule, journal, what PostgreSQL may lose, emergency brake, encryption, proofs of unsent orders, the way to the bank, token and signature (by a look-up ' +
        'of an originId that does not exist), certificates and clocks; exit code 1 when something is wrong',
    )
    .option('--json', 'print a JSON array of {check, ok, detail, remedy}')
    .action(async ({ json = false }: { json?: boolean }) => {
      end(await runCommand(io, () => doctor(io, json)));
    });
};

async function doctor(io: CommandIo, json: boolean): Promise<ExitCode> {
  const { config, secrets, warnings } = settingsOf(io, DOCTOR_NEEDS);
  const logger = io.overrides?.logger ?? loggerOf(io, config.logging);
  for (const warning of warnings) logger.warn(warning);
  let tokenFailure: string | null = null;
  const connection = openBankConnection(config.bank, secrets.bank, logger, {
    failed: (word) => (tokenFailure = word),
  });
  try {
    const results = await examine(config, secrets, {
      connection,
      dialect: io.overrides?.dialect ?? ourBank,
      notFound: answerCodes(config.bank.notFound),
      lastTokenFailure: () => tokenFailure,
    });
    if (json) printJson(io, results);
    else
      printLines(
        io,
        results.map(
          ({ check, ok, detail, remedy }) =>
            `${!ok ? 'WRONG' : remedy === null ? 'ok   ' : 'WARN '}  ${check.padEnd(17)}  ${detail}${remedy === null ? '' : `: ${remedy}`}`,
        ),
      );
    return results.every(({ ok }) => ok) ? EXIT.done : EXIT.unexpected;
  } finally {
    await connection.close();
  }
}
