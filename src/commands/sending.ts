import { GiroClient } from '../client/giro-client';
import { TransferNotFoundError } from '../client/errors';
import type { Context } from '../context';
import type { SendingState } from '../journal/statements/sending';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { inParallel } from '../activities/in-parallel';
import type { CommandIo } from '../program/io';
import { operatorArgument, osUser, reasonArgument } from './support/arguments';
import { note, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

interface ChangeOptions {
  readonly reason: string;
  readonly operator?: string;
  readonly json?: boolean;
}

export const addSendingStop: AddCommand = (parent, { io, end }) => {
  withChangeOptions(
    parent.command('stop').description('hold back every create; look-ups and withdrawals continue'),
  ).action(async ({ reason, operator = osUser(), json = false }: ChangeOptions) => {
    const code = await runCommand(io, () =>
      withContext(io, ['journal'], async ({ journal }) => {
        const state = await journal.setSending({ stopped: true, operator, reason });
        const waiting = await journal.countUnsent();
        print(io, { ...state, waiting, createsInFlight: await journal.createsInFlight() }, json);
        return exitCodeOf(io, state, true);
      }),
    );
    end(code);
  });
};

export const addSendingGo: AddCommand = (parent, { io, end }) => {
  withChangeOptions(
    parent.command('go').description('let creates leave again; waiting transfers are notified'),
  ).action(async ({ reason, operator = osUser(), json = false }: ChangeOptions) => {
    const code = await runCommand(io, async () => {
      const { state, waiting, unsent } = await withContext(io, ['journal'], async ({ journal }) => ({
        waiting: await journal.countUnsent(),
        state: await journal.setSending({ stopped: false, operator, reason }),
        unsent: await journal.unsentTransfers({ limit: HINTS_MAX }),
      }));
      print(io, { ...state, waiting, createsInFlight: null }, json);
      if (unsent.length > 0) await hintThem(io, unsent);
      return exitCodeOf(io, state, false);
    });
    end(code);
  });
};

export const addSendingShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('whether creates are sent, and since when they are held back')
    .option('--json', 'print one JSON object')
    .action(async ({ json = false }: { json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const createsInFlight = await journal.createsInFlight();
          const waiting = await journal.countUnsent();
          print(io, { ...(await journal.sendingState()), waiting, createsInFlight }, json);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

/** One sentence, for `setup` and for people. */
export function sendingSentence({ stopped, since, operator, reason }: SendingState): string {
  if (since === null) return 'sending: on';
  const change = `since ${since} by ${String(operator)}: ${String(reason)}`;
  return stopped ? `sending: STOPPED ${change}` : `sending: on, ${change}`;
}

function withChangeOptions(command: ReturnType<Parameters<AddCommand>[0]['command']>) {
  return command
    .requiredOption('--reason <text>', 'why; without personal data', reasonArgument)
    .option('--operator <name>', 'who; default: the login of this system', operatorArgument)
    .option('--json', 'print one JSON object');
}

/** Somebody may have changed the brake back at the same time: then the request had no effect. */
function exitCodeOf(io: CommandIo, { stopped }: SendingState, wanted: boolean): ExitCode {
  if (stopped === wanted) return EXIT.done;
  note(io, 'somebody changed it at the same time: check the state, and repeat');
  return EXIT.unexpected;
}

function print(
  io: CommandIo,
  record: SendingState & { readonly waiting: number; readonly createsInFlight: number | null },
  json: boolean,
): void {
  if (json) {
    printJson(io, record);
    return;
  }
  const { waiting, createsInFlight } = record;
  printLines(io, [
    sendingSentence(record),
    `open transfers not sent yet: ${waiting}`,
    ...(createsInFlight === null || createsInFlight === 0
      ? []
      : [
          `creates claimed earlier and still without an answer, which may reach the bank: ${createsInFlight}`,
        ]),
  ]);
}

/** Most transfers that get a hint. The others check the brake again within five minutes. */
const HINTS_MAX = 1_000;
const HINTS_AT_ONCE = 20;

/** Optional: the brake is off, whether or not Temporal is reachable. */
async function hintThem(io: CommandIo, originIds: readonly number[]): Promise<void> {
  const failure = await runCommand(io, () =>
    withContext(io, ['temporal'], async ({ temporal }: Context<'temporal'>) => {
      const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
      await inParallel(originIds, HINTS_AT_ONCE, async (originId) => {
        try {
          await giro.hintTransfer(originId, { source: 'sending go', eventId: String(originId) });
        } catch (error) {
          if (!(error instanceof TransferNotFoundError)) throw error;
        }
      });
      return EXIT.done;
    }),
  );
  if (failure !== EXIT.done)
    note(io, 'not all transfers could be notified: they check the brake again within five minutes');
}
