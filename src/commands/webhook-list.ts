import { judgeWebhooks } from '../domain/webhook-subscriptions';
import type { WebhookBank, WebhookSubscription } from '../bank/webhooks/webhook-port';
import type { AddCommand } from './support/command';
import { EXIT, PeerUnreachable } from '../program/exit-codes';
import { alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

export const addWebhookList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('what is subscribed at the bank, and what WEBHOOKS_EXPECTED misses in it')
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
export async function listSubscriptions(bank: WebhookBank): Promise<readonly WebhookSubscription[]> {
  const reply = await bank.listWebhooks();
  if (reply.kind === 'subscriptions') return reply.subscriptions;
  throw new PeerUnreachable(`the bank gave no answer: ${errorWord(reply.error)}`);
}

export const errorWord = ({ code, httpStatus }: { code: string; httpStatus: number | null }): string =>
  httpStatus === null ? code : `${code} (HTTP ${httpStatus})`;

/** A terminal is looked at over shoulders: the last segment, which is the secret, stays out of the table. */
const withoutSecret = (endpoint: string): string => endpoint.replace(/[^/]+\/?(\?.*)?$/, '…');

/** The bank's words do not move a cursor. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 200);
