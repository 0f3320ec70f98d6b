import { GiroClient } from '../client/giro-client';
import { TransferNotFoundError } from '../client/errors';
import type { Journal } from '../journal/journal';
import type { SendingState } from '../journal/statements/sending';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { inParallel } from '../activities/in-parallel';
import type { CommandIo } from '../program/io';
import { operatorArgument, osUser, reasonArgument } from './support/arguments';
import { note, printJson, printLines } from './support/output';
import { startProgress } from './support/progress';
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
    const code = await runCommand(io, () =>
      withContext(io, ['journal'], async ({ journal }) => {
        const waiting = await journal.countUnsent();
        const state = await journal.setSending({ stopped: false, operator, reason });
        print(io, { ...state, waiting, createsInFlight: null }, json);
        await notifyWaiting(io, journal);
        return exitCodeOf(io, state, false);
      }),
    );
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

const PAGE = 200;
const HINTS_AT_ONCE = 20;

/** A failure does not change the brake, which is off already: each waiting transfer checks the brake by itself. */
async function notifyWaiting(io: CommandIo, journal: Journal): Promise<void> {
  const code = await runCommand(io, async () => {
    const total = await journal.countUnsent();
    if (total === 0) return EXIT.done;
    return withContext(io, ['temporal'], async ({ temporal, logger }) => {
      const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
      const progress = startProgress(io, logger, { doing: 'notifying', total, isEstimate: true });
      const failure = await hintAll(giro, journal, (outcome) => progress.step(outcome));
      progress.end();
      if (failure !== null) throw failure.error;
      return EXIT.done;
    });
  });
  if (code !== EXIT.done)
    note(io, 'not all transfers could be notified: they check the brake again within five minutes');
}

/** Returns the first failure. Stops early after a page whose hints all failed: Temporal is lost. */
async function hintAll(
  giro: GiroClient,
  journal: Pick<Journal, 'unsentTransfers'>,
  onOutcome: (outcome: 'notified' | 'without a run' | 'not notified') => void,
): Promise<{ readonly error: unknown } | null> {
  let first: { readonly error: unknown } | null = null;
  for (let after: number | null = null; ;) {
    const page: readonly number[] = await journal.unsentTransfers({ after, limit: PAGE });
    let failures = 0;
    await inParallel(page, HINTS_AT_ONCE, async (originId) => {
      try {
        await giro.hintTransfer(originId, { source: 'sending go', eventId: String(originId) });
        onOutcome('notified');
      } catch (error) {
        if (error instanceof TransferNotFoundError) {
          onOutcome('without a run');
          return;
        }
        first ??= { error };
        failures += 1;
        onOutcome('not notified');
      }
    });
    after = page.at(-1) ?? null;
    if (page.length < PAGE || failures === page.length) return first;
  }
}
