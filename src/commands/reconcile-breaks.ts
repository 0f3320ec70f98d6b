import { Option } from 'commander';
import { BREAK_CLASSES } from '../reconciliation/break';
import type { Break } from '../reconciliation/break';
import { toSecond } from '../reconciliation/run-window';
import { durationArgument, textArgument, operatorArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { orDash, printJson, printJsonPages, printLines, printTablePages } from './support/output';
import { runCommand, withContext } from '../program/run';
import { isDecider } from '../domain/operator';
import { acknowledgeBreak, resolveBreak } from '../reconciliation/break-life';
import type { BreakStep, OperatorAction } from '../reconciliation/break-life';
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
    .description('differences between the books and their states, oldest first')
    .option('--open', 'only unresolved ones')
    .addOption(new Option('--class <class>', 'of this class').choices(BREAK_CLASSES))
    .option('--older-than <duration>', 'first seen at least this long ago, such as 3d', durationArgument)
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
          else await printTablePages(io, { head: HEAD, none: 'no breaks' }, rowPages(pages));
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

async function* rowPages(pages: AsyncIterable<readonly Break[]>): AsyncGenerator<readonly string[][]> {
  for await (const page of pages) yield page.map(rowOf);
}

const rowOf = (one: Break): string[] => [
  ...[one.key, one.severity, one.state, orDash(one.originId), one.firstSeen, one.lastSeen],
  one.operator === null ? one.detail : `${one.detail} ${one.operator}: ${one.note ?? ''}`,
];

const NOTE_MAX_LENGTH = 1_000;
const KEY_MAX_LENGTH = 300;
/** A run or another operator may write the break at the same time. */
const TRIES_MAX = 5;

interface ChangeOptions {
  readonly operator: string;
  readonly note?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

export const addReconcileAcknowledge: AddCommand = (parent, { io, end }) => {
  changing(
    parent,
    'acknowledge',
    'somebody works on a break: it stays unresolved, and opens again when it changes',
  )
    .requiredOption('--note <text>', 'what is known; kept for ever', textArgument(NOTE_MAX_LENGTH))
    .action(async (key: string, { note = '', ...options }: ChangeOptions) => {
      const change = (known: Break, by: OperatorAction) => acknowledgeBreak(known, by);
      end(await runCommand(io, () => changeBreak(io, key, change, { ...options, words: note })));
    });
};

export const addReconcileResolve: AddCommand = (parent, { io, end }) => {
  changing(
    parent,
    'resolve',
    'a break is resolved by hand: it stays resolved as long as its fact is unchanged',
  )
    .requiredOption('--reason <text>', 'what was done; kept for ever', textArgument(NOTE_MAX_LENGTH))
    .action(async (key: string, { reason = '', ...options }: ChangeOptions) => {
      const change = (known: Break, by: OperatorAction) => resolveBreak(known, by);
      end(await runCommand(io, () => changeBreak(io, key, change, { ...options, words: reason })));
    });
};

const changing = (parent: Parameters<AddCommand>[0], name: string, about: string) =>
  parent
    .command(name)
    .description(about)
    .argument('<key>', 'as `reconcile breaks` prints it', textArgument(KEY_MAX_LENGTH))
    .requiredOption('--operator <name>', 'who; one of DECIDERS if set', operatorArgument)
    .option('--json', 'print a JSON object');

async function changeBreak(
  io: CommandIo,
  key: string,
  change: (known: Break, by: OperatorAction) => BreakStep | null,
  { operator, words, json = false }: { operator: string; words: string; json?: boolean },
): Promise<ExitCode> {
  return withContext(io, ['journal', 'transferSettings'], async ({ journal, transferSettings }) => {
    if (!isDecider(transferSettings.deciders, operator)) {
      throw new InputError('--operator is not listed in DECIDERS');
    }
    const changed = await write(journal, key, (known) =>
      change(known, { operator, note: words, at: new Date().toISOString() }),
    );
    if (json) printJson(io, changed);
    else printLines(io, [`${changed.key} is ${changed.state}`]);
    return EXIT.done;
  });
}

async function write(
  journal: Pick<Journal, 'knownBreaks' | 'changeBreak'>,
  key: string,
  change: (known: Break) => BreakStep | null,
): Promise<Break> {
  for (let tried = 1; tried <= TRIES_MAX; tried += 1) {
    const [known] = await journal.knownBreaks({ keys: [key], originIds: [] });
    if (known === undefined) throw new InputError('no such break');
    const step = change(known.break);
    if (step === null) throw new InputError('the break is already resolved');
    const written = { ...step, version: known.version + 1, asOf: null };
    if (await journal.changeBreak(written)) return step.break;
  }
  throw new Error('others changed the break at each attempt');
}
