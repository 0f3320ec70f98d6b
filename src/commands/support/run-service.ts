import type { Need } from '../../config/settings';
import type { Context } from '../../context';
import { createLogger } from '../../telemetry/logger';
import { EXIT } from './exit-codes';
import type { ExitCode } from './exit-codes';
import { exitCodeOf, isExpected } from './failure';
import type { CommandIo } from './io';
import { withContext } from './run-command';
import type { EveryCommand } from './run-command';

/**
 * The exit code of a command that runs until it is told to stop. Its stderr is a log from the first line to the last,
 * so what went wrong is a log line too.
 */
export async function runService<const N extends Need>(
  io: CommandIo,
  needs: readonly N[],
  body: (context: Context<N | EveryCommand>) => Promise<void>,
): Promise<ExitCode> {
  try {
    await withContext(io, needs, body);
    return EXIT.done;
  } catch (error) {
    const { logDestination } = io;
    const logger =
      io.overrides?.logger ??
      createLogger({ level: 'info', ...(logDestination === null ? {} : { destination: logDestination }) });
    const exitCode = exitCodeOf(error);
    if (isExpected(error)) logger.fatal({ exitCode }, error.message);
    else logger.fatal({ exitCode, err: error }, 'ended by an unexpected error');
    return exitCode;
  }
}
