import { createInterface } from 'node:readline/promises';
import { operatorArgument, osUser, reasonArgument, textArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError, PeerUnreachable } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printJson, printLines, alignedTable, orDash } from './support/output';
import { runCommand, withContext } from '../program/run';
import { judgeWebhooks } from '../domain/webhook-subscriptions';
import type { WebhookBank, WebhookSubscription } from '../bank/webhooks/webhook-port';

export const addWebhookList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('subscriptions at the bank, compared with WEBHOOKS_EXPECTED')
    .option('--json', 'print a JSON array; its endpoints carry the secret of the path')
    .action(async ({ json = false }: { json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['bank', 'webhooks'], async ({ bank, webhooks }) => {
          const listed = await listSubscriptions(bank);
          const rows = judgeWebhooks(listed, webhooks.expected()).map((it, i) => ({
            ...it,
            info: listed[i]?.info ?? null,
          }));
          if (json) printJson(io, rows);
          else if (rows.length === 0) printLines(io, ['no subscriptions']);
          else
            printLines(
              io,
              alignedTable(
                ['EVENT TYPE', 'ENDPOINT', 'STANDING', 'INFO'],
                rows.map(({ eventType, endpoint, standing, info }) => [
                  printable(eventType),
                  printable(endpoint === null ? orDash(endpoint) : withoutSecret(endpoint)),
                  orDash(standing),
                  printable(orDash(info)),
                ]),
              ),
            );
          return EXIT.done;
        }),
      );
      end(code);
    });
};

/** @throws PeerUnreachable */
async function listSubscriptions(bank: WebhookBank): Promise<readonly WebhookSubscription[]> {
  const reply = await bank.listWebhooks();
  if (reply.kind === 'subscriptions') return reply.subscriptions;
  throw new PeerUnreachable(`the bank gave no answer: ${errorWord(reply.error)}`);
}

const errorWord = ({ code, httpStatus }: { code: string; httpStatus: number | null }): string =>
  httpStatus === null ? code : `${code} (HTTP ${httpStatus})`;

/** Others may see the terminal: the table leaves out the last segment, which is the secret. */
const withoutSecret = (endpoint: string): string => endpoint.replace(/[^/]+\/?(\?.*)?$/, '…');

/** Cuts the bank's text to fit a screen. */
const printable = (text: string): string => text.slice(0, 200);

interface UnsubscribeOptions {
  readonly yes?: boolean;
  readonly operator?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

export const addWebhookUnsubscribe: AddCommand = (parent, { io, end }) => {
  parent
    .command('unsubscribe')
    .description('stop the notifications of one event type; recorded in the journal')
    .argument('<event-type>', 'as `webhook list` prints it', textArgument(100))
    .option('--yes', 'do not ask for confirmation')
    .option('--operator <name>', 'who; default: the login of this system', operatorArgument)
    .option('--reason <text>', 'why; kept for ever, so without personal data', reasonArgument)
    .option('--json', 'print a JSON object')
    .action(async (eventType: string, options: UnsubscribeOptions) => {
      end(await runCommand(io, () => unsubscribe(io, eventType, options)));
    });
};

async function unsubscribe(
  io: CommandIo,
  eventType: string,
  { yes = false, operator = osUser(), reason, json = false }: UnsubscribeOptions,
): Promise<ExitCode> {
  return withContext(io, ['bank', 'journal'], async ({ bank, journal }) => {
    const listed = await listSubscriptions(bank);
    if (!listed.some((it) => it.eventType === eventType)) {
      throw new InputError(`${eventType} is not subscribed: there is nothing to unsubscribe`);
    }
    if (!yes) await confirm(io, eventType);
    // Recorded before the removal: if the audit trail cannot be written, the command stops.
    const note = (stage: string) =>
      journal.recordAudit({
        ...{ action: 'webhook unsubscribe', subject: eventType, operator, reason: reason ?? null },
        details: { stage },
      });
    await note('asked');
    const reply = await bank.unsubscribe(eventType);
    if (reply.kind === 'no-answer') {
      await note(`no answer: ${reply.error.code}`);
      throw new PeerUnreachable(
        `the bank gave no answer: ${errorWord(reply.error)}; \`webhook list\` shows whether it was done`,
      );
    }
    await note('done');
    if (json) printJson(io, { eventType, unsubscribed: true });
    else printLines(io, [`${eventType} is unsubscribed`]);
    return EXIT.done;
  });
}

async function confirm(io: CommandIo, eventType: string): Promise<void> {
  if (!io.stderrIsTerminal) throw new InputError('there is no terminal to ask for confirmation: add --yes');
  const terminal = createInterface({
    ...{ input: io.stdin, output: io.stderr },
    // The terminal echoes input itself; our output would escape control characters.
    terminal: false,
  });
  try {
    // The end of the input and Ctrl-C leave the question unanswered; a line just before them counts as an answer.
    const closed = new Promise<null>((resolve) => terminal.once('close', () => setImmediate(resolve, null)));
    const question = terminal.question(`Notifications of ${eventType} will stop. Type the event type: `);
    // Newer versions of Node reject the question then.
    const answer = await Promise.race([question.catch(() => null), closed]);
    if (answer?.trim() !== eventType) throw new InputError('not confirmed, nothing was changed');
  } finally {
    terminal.close();
  }
}
