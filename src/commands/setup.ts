import { isGrpcServiceError } from '@temporalio/client';
import type { Context } from '../context';
import { RECOVERY_SCHEDULE, WEBHOOK_CHECK_SCHEDULE, ensureSchedule } from '../engine/schedules';
import { addSearchAttributes, checkSearchAttributes, describeAttribute } from '../engine/search-attributes';
import { originIdArgument, osUser } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, highest, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printLines } from './support/output';
import { runCommand, settingsOf, withContext } from '../program/run';
import { sendingSentence } from './sending';

/** A server may take some seconds to show everybody what was registered. */
const VISIBLE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;

interface SetupOptions {
  readonly originIdFrom?: number | undefined;
  readonly restored?: boolean;
}

export const addSetup: AddCommand = (parent, { io, end }) => {
  parent
    .command('setup')
    .description('prepare journal and engine: migrations, search attributes, schedules; safe to repeat')
    .option(
      '--start-from, --origin-id-from <n>',
      'let the journal choose originIds from this one on (after a restored backup)',
      originIdArgument,
    )
    .option(
      '--restored',
      'once, after restoring the journal from a backup and before a worker or client starts: every open transfer ' +
        'counts as perhaps sent, and Giro sends no create of it any more, not even by `resend`',
    )
    .action(async ({ originIdFrom, restored = false }: SetupOptions) => {
      // Reports all wrong variables at once, whichever part they belong to.
      const settings = await runCommand(io, () => {
        settingsOf(io, ['journal', 'temporal', 'webhookTypes']);
        return Promise.resolve(EXIT.done);
      });
      if (settings !== EXIT.done) {
        end(settings);
        return;
      }
      // Tries each part, so that one call reports everything that is wrong.
      end(
        highest([
          await runCommand(io, () =>
            withContext(io, ['journal'], (it) => setUpJournal(io, it, { originIdFrom, restored }), 'login'),
          ),
          await runCommand(io, () =>
            withContext(io, ['temporal', 'webhookTypes'], async (it) => {
              await setUpSearchAttributes(io, it);
              await setUpSchedules(io, it);
              return EXIT.done;
            }),
          ),
        ]),
      );
    });
};

async function setUpJournal(
  io: CommandIo,
  { journal }: Context<'journal'>,
  { originIdFrom, restored = false }: SetupOptions,
): Promise<ExitCode> {
  const { applied, newer } = await journal.migrate();
  if (newer.length > 0) printLines(io, [`journal: made by a newer version (${newer.join(', ')})`]);
  printLines(io, [applied.length === 0 ? 'journal: up to date' : `journal: applied ${applied.join(', ')}`]);
  if (originIdFrom !== undefined) {
    await journal.advanceSequence(originIdFrom);
    printLines(io, [`journal: originIds are chosen from ${originIdFrom} on, or later`]);
  }
  if (restored) {
    await journal.recordRestoration();
    await journal.recordAudit({
      ...{ action: 'setup restored', subject: null, operator: osUser() },
      reason: 'the journal was restored from a backup',
    });
    printLines(io, ['journal: marked as restored; what was opened before is looked up, not sent']);
  }
  const sending = await journal.sendingState();
  if (sending.stopped) printLines(io, [sendingSentence(sending)]);
  return EXIT.done;
}

async function setUpSearchAttributes(io: CommandIo, { temporal }: Context<'temporal'>): Promise<void> {
  const { connection, config } = temporal;
  const { namespace } = config;
  const before = await checkSearchAttributes(connection, namespace);
  if (before.wrong.length > 0) {
    throw new InputError(
      `namespace ${namespace} has search attributes of another type (use another namespace, or remove them): ` +
        before.wrong.join('; '),
    );
  }
  if (before.missing.length === 0) {
    printLines(io, ['search attributes: up to date']);
    return;
  }
  try {
    await addSearchAttributes(connection, namespace, before.missing);
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // Another setup at the same time may have been first.
    const { missing } = await checkSearchAttributes(connection, namespace);
    if (missing.length > 0) {
      throw new InputError(
        `namespace ${namespace} does not take the search attributes (${error.details}); ` +
          `have these registered: ${missing.map(describeAttribute).join(', ')}`,
      );
    }
  }
  const deadline = performance.now() + VISIBLE_WITHIN_MS;
  while ((await checkSearchAttributes(connection, namespace)).missing.length > 0) {
    if (performance.now() > deadline)
      throw new InputError('the search attributes are registered but not visible yet: repeat');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  printLines(io, [`search attributes: registered ${before.missing.join(', ')}`]);
}

async function setUpSchedules(
  io: CommandIo,
  { temporal, webhookTypes }: Context<'temporal' | 'webhookTypes'>,
): Promise<void> {
  // An existing check stays: another machine's settings may need it.
  const wanted = [RECOVERY_SCHEDULE, ...(webhookTypes.length > 0 ? [WEBHOOK_CHECK_SCHEDULE] : [])];
  for (const schedule of wanted) {
    const done = await ensureSchedule(temporal.client, temporal.config.taskQueue, schedule);
    printLines(io, [`schedule ${schedule.scheduleId}: ${done}`]);
  }
}
