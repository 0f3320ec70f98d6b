import { isDecider } from '../domain/transfer/decisions/decision';
import { acknowledgeBreak, resolveBreak } from '../reconciliation/break-life';
import type { BreakStep, OperatorsWord } from '../reconciliation/break-life';
import type { Break } from '../reconciliation/break';
import { textArgument, operatorArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import type { Journal } from '../journal/journal';

const NOTE_MAX_LENGTH = 1_000;
const KEY_MAX_LENGTH = 300;
/** A run or another operator may write the break at the same moment. */
const TRIES_MAX = 5;

interface SettleOptions {
  readonly operator: string;
  readonly note?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

export const addReconcileAcknowledge: AddCommand = (parent, { io, end }) => {
  settling(
    parent,
    'acknowledge',
    'somebody works on a break: it stays, and runs open it again when it changes',
  )
    .requiredOption('--note <text>', 'what is known; kept for ever', textArgument(NOTE_MAX_LENGTH))
    .action(async (key: string, { note = '', ...options }: SettleOptions) => {
      const change = (known: Break, word: OperatorsWord) => acknowledgeBreak(known, word);
      end(await runCommand(io, () => settle(io, key, change, { ...options, words: note })));
    });
};

export const addReconcileResolve: AddCommand = (parent, { io, end }) => {
  settling(parent, 'resolve', 'a break is dealt with by hand: it stays so while runs see the very same')
    .requiredOption('--reason <text>', 'what was done; kept for ever', textArgument(NOTE_MAX_LENGTH))
    .action(async (key: string, { reason = '', ...options }: SettleOptions) => {
      const change = (known: Break, word: OperatorsWord) => resolveBreak(known, word);
      end(await runCommand(io, () => settle(io, key, change, { ...options, words: reason })));
    });
};

const settling = (parent: Parameters<AddCommand>[0], name: string, about: string) =>
  parent
    .command(name)
    .description(about)
    .argument('<key>', 'as `reconcile breaks` prints it', textArgument(KEY_MAX_LENGTH))
    .requiredOption('--operator <name>', 'who; one of DECIDERS when it is set', operatorArgument)
    .option('--json', 'print a JSON object');

async function settle(
  io: CommandIo,
  key: string,
  change: (known: Break, word: OperatorsWord) => BreakStep | null,
  { operator, words, json = false }: { operator: string; words: string; json?: boolean },
): Promise<ExitCode> {
  return withContext(io, ['journal', 'transferSettings'], async ({ journal, transferSettings }) => {
    if (!isDecider(transferSettings.deciders, operator)) {
      throw new InputError('--operator is none of DECIDERS');
    }
    const settled = await write(journal, key, (known) =>
      change(known, { operator, note: words, at: new Date().toISOString() }),
    );
    if (json) printJson(io, settled);
    else printLines(io, [`${settled.key} is ${settled.state}`]);
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
    if (known === undefined) throw new InputError('there is no such break');
    const step = change(known.break);
    if (step === null) throw new InputError('it is resolved already');
    const written = { ...step, version: known.version + 1, asOf: null };
    if (await journal.changeBreak(written)) return step.break;
  }
  throw new Error('the break was changed by others each time');
}
