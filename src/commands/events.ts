import { once } from 'node:events';
import { followEvents } from '../client/follow-events';
import type { GiroEvent } from '../journal/event-feed';
import type { Journal } from '../journal/journal';
import type { Logger } from '../telemetry/logger';
import { logReady, runCommand, withContext } from '../program/run';
import { LIMIT_DEFAULT, limitArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { stopSignal } from '../program/io';
import type { CommandIo } from '../program/io';
import { alignedTable, printJson, printLines } from './support/output';

interface EventsOptions {
  readonly after?: string;
  readonly limit?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export const addEvents: AddCommand = (parent, { io, end }) => {
  parent
    .command('events')
    .description('finals, flags, annulments and the like, in one order, oldest first')
    .option('--after <cursor>', 'only events after this one; default: from the first')
    .option(
      '--limit <n>',
      `at most this many (default ${LIMIT_DEFAULT}; with --follow: no end)`,
      limitArgument,
    )
    .option('--follow', 'continue with new events until stopped; one JSON object on each line')
    .option('--json', 'print a JSON array (with --follow: no effect)')
    .action(async (options: EventsOptions) => {
      end(await runCommand(io, () => (options.follow === true ? follow(io, options) : page(io, options))));
    });
};

function page(
  io: CommandIo,
  { after = null, limit = LIMIT_DEFAULT, json = false }: PageOptions,
): Promise<ExitCode> {
  return withContext(
    io,
    ['journal'],
    async ({ journal }) => {
      const events = await journal.events({ after, limit });
      if (json) printJson(io, events);
      else printLines(io, asTable(events));
      return EXIT.done;
    },
    'giro_client',
  );
}

type PageOptions = Omit<EventsOptions, 'after'> & { readonly after?: string | null };

async function follow(io: CommandIo, options: EventsOptions): Promise<ExitCode> {
  const stop = stopSignal(io);
  // Stop following when the reader of our output has ended (`| head`).
  const gone = new AbortController();
  const end = (): void => gone.abort();
  io.stdout.once('close', end);
  try {
    return await withContext(
      io,
      ['journal'],
      async ({ journal, logger }) => {
        await writeEvents(io, journal, logger, options, AbortSignal.any([stop.signal, gone.signal]));
        return EXIT.done;
      },
      'giro_client',
    );
  } finally {
    io.stdout.off('close', end);
    stop.release();
  }
}

async function writeEvents(
  { stdout }: CommandIo,
  journal: Pick<Journal, 'events'>,
  logger: Logger,
  { after = null, limit = Infinity }: PageOptions,
  signal: AbortSignal,
): Promise<void> {
  // A refused cursor or an unreachable journal ends the command before it logs `ready`.
  await journal.events({ after, limit: 1 });
  logReady(logger, {});
  const onUnavailable = ({ message }: Error): void => logger.warn(message);
  let left = limit;
  for await (const event of followEvents(journal, { after, signal, onUnavailable })) {
    if (!stdout.write(`${JSON.stringify(event)}\n`)) await drained(stdout, signal);
    if (--left === 0) return;
  }
}

async function drained(stdout: CommandIo['stdout'], signal: AbortSignal): Promise<void> {
  if (stdout.writableNeedDrain) await once(stdout, 'drain', { signal }).catch(() => undefined);
}

function asTable(events: readonly GiroEvent[]): string[] {
  if (events.length === 0) return ['no events'];
  return alignedTable(
    ['AT', 'KIND', 'ORIGIN ID', 'WHAT', 'CURSOR'],
    events.map((event) => [event.at, event.kind, String(event.originId), summary(event), event.cursor]),
  );
}

function summary(event: GiroEvent): string {
  switch (event.kind) {
    case 'final':
      return event.result.status;
    case 'annulment':
      return event.annulment.id;
    case 'decision':
      return [event.decision.outcome, event.decision.action, event.decision.operators.join(' + ')]
        .join(' ')
        .trim();
    case 'incident':
      return `${event.incident.fact} ${event.incident.id}`;
    case 'incident-acknowledged':
      return event.incidentId;
    case 'flags':
      return [
        ...event.raised.map((reason) => `+${reason}`),
        ...event.cleared.map((reason) => `-${reason}`),
      ].join(' ');
  }
}
