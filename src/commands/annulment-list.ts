import type { Journal } from '../journal/journal';
import type { Annulment } from '../journal/statements/annulments';
import { instantArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { orDash, printJsonPages, printTablePages } from './support/output';
import { runCommand, withContext } from '../program/run';

export const addAnnulmentList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('recorded annulments, oldest first')
    .option('--since <time>', 'recorded at this time or later (ISO 8601)', instantArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ since = null, json = false }: { since?: string | null; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const pages = annulmentPages(journal, since);
          if (json) await printJsonPages(io, pages);
          else await printTablePages(io, { head: HEAD, none: 'no annulments' }, rowPages(pages));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

const PAGE = 500;

async function* annulmentPages(
  journal: Pick<Journal, 'annulments'>,
  since: string | null,
): AsyncGenerator<readonly Annulment[]> {
  for (let after: string | null = null; ;) {
    const page: readonly Annulment[] = await journal.annulments({ since, after, limit: PAGE });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

/** No accounts: only the JSON has them. */
const HEAD = ['ORIGIN ID', 'AMOUNT', 'DECIDED BY', 'RECORDED AT', 'ANNULMENT', 'NETWORK ID'];

async function* rowPages(pages: AsyncIterable<readonly Annulment[]>): AsyncGenerator<readonly string[][]> {
  for await (const page of pages)
    yield page.map(({ originId, amount, decidedBy, recordedAt, id, networkId }) => [
      ...[String(originId), amount, decidedBy, recordedAt, id, orDash(networkId)],
    ]);
}
