import { Option } from 'commander';
import { BREAK_CLASSES } from '../reconciliation/break';
import type { Break } from '../reconciliation/break';
import type { ReconciliationJournal } from '../reconciliation/port';
import { toSecond } from '../reconciliation/run-window';
import { durationArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from './support/exit-codes';
import { alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from './support/run-command';

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
          const found = await allBreaks(journal, {
            unresolved: open,
            class: breakClass ?? null,
            firstSeenBefore: olderThan === undefined ? null : toSecond(Date.now() - olderThan),
          });
          if (json) printJson(io, found);
          else printLines(io, found.length === 0 ? ['no breaks'] : breakTable(found));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

type Filter = Omit<Parameters<ReconciliationJournal['breaks']>[0], 'after' | 'limit'>;

async function allBreaks(journal: Pick<ReconciliationJournal, 'breaks'>, filter: Filter): Promise<Break[]> {
  const all: Break[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? null : { firstSeen: last.firstSeen, key: last.key };
    const page = await journal.breaks({ ...filter, after, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function breakTable(breaks: readonly Break[]): string[] {
  return alignedTable(
    ['KEY', 'SEVERITY', 'STATE', 'ORIGIN ID', 'FIRST SEEN', 'LAST SEEN', 'WHAT'],
    breaks.map((one) => [
      ...[one.key, one.severity, one.state, orDash(one.originId), one.firstSeen, one.lastSeen],
      one.operator === null ? one.detail : `${one.detail} ${one.operator}: ${one.note ?? ''}`,
    ]),
  );
}
