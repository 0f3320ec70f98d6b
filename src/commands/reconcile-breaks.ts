import { Option } from 'commander';
import { BREAK_CLASSES } from '../reconciliation/break';
import type { Break } from '../reconciliation/break';
import { toSecond } from '../reconciliation/run-window';
import { durationArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { alignedRow, columnWidths, orDash, printJsonPages, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import type { Journal } from '../journal/journal';

const PAGE = 1_000;

interface BreaksOptions {
  readonly open?: boolean;
  readonly class?: string;
  readonly olderThan?: number;
  readonly json?: boolean;
}

export const addReconcileBreaks: AddCommand = (parent, { io, end }) => {
  parent
    .command('breaks')
    .description('differences between the books and how they stand, oldest first')
    .option('--open', 'those that are not resolved')
    .addOption(new Option('--class <class>', 'of this class').choices(BREAK_CLASSES))
    .option('--older-than <duration>', 'first seen so long ago, such as 3d', durationArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ open = false, class: breakClass, olderThan, json = false }: BreaksOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const pages = breakPages(journal, {
            unresolved: open,
            class: breakClass ?? null,
            firstSeenBefore: olderThan === undefined ? null : toSecond(Date.now() - olderThan),
          });
          if (json) await printJsonPages(io, pages);
          else await printTable(io, pages);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

type Filter = Omit<Parameters<Journal['breaks']>[0], 'after' | 'limit'>;

async function* breakPages(
  journal: Pick<Journal, 'breaks'>,
  filter: Filter,
): AsyncGenerator<readonly Break[]> {
  let after: { firstSeen: string; key: string } | null = null;
  for (;;) {
    const page: readonly Break[] = await journal.breaks({ ...filter, after, limit: PAGE });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { firstSeen: last.firstSeen, key: last.key };
  }
}

const HEAD = ['KEY', 'SEVERITY', 'STATE', 'ORIGIN ID', 'FIRST SEEN', 'LAST SEEN', 'WHAT'];

/** Columns are as wide as on the first page, or as a later one needs. */
async function printTable(io: CommandIo, pages: AsyncIterable<readonly Break[]>): Promise<void> {
  let widths: number[] = [];
  for await (const page of pages) {
    const rows = page.map(rowOf);
    const isFirst = widths.length === 0;
    if (isFirst && rows.length === 0) printLines(io, ['no breaks']);
    if (rows.length === 0) return;
    const shown = isFirst ? [HEAD, ...rows] : rows;
    widths = columnWidths([widths.map((width) => ' '.repeat(width)), ...shown]);
    printLines(
      io,
      shown.map((row) => alignedRow(row, widths)),
    );
  }
}

const rowOf = (one: Break): string[] => [
  ...[one.key, one.severity, one.state, orDash(one.originId), one.firstSeen, one.lastSeen],
  one.operator === null ? one.detail : `${one.detail} ${one.operator}: ${one.note ?? ''}`,
];
