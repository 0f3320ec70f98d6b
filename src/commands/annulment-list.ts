import type { Annulment } from '../journal/statements/annulments';
import { instantArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

export const addAnnulmentList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('recorded annulments, oldest first')
    .option('--since <time>', 'recorded at that time or later (ISO 8601)', instantArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ since = null, json = false }: { since?: string | null; json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const annulments = await journal.annulments({ since });
          if (json) printJson(io, annulments);
          else printLines(io, asTable(annulments));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

/** Without the accounts: those are in the JSON. */
function asTable(annulments: readonly Annulment[]): string[] {
  if (annulments.length === 0) return ['no annulments'];
  return alignedTable(
    ['ORIGIN ID', 'AMOUNT', 'DECIDED BY', 'RECORDED AT', 'ANNULMENT', 'NETWORK ID'],
    annulments.map(({ originId, amount, decidedBy, recordedAt, id, networkId }) => [
      String(originId),
      amount,
      decidedBy,
      recordedAt,
      id,
      orDash(networkId),
    ]),
  );
}
