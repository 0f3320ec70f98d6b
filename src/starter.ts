#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { addAnnulmentList } from './commands/annulment-list';
import { addArchiveExport, addArchiveList, addArchivePrune } from './commands/archive';
import { addAuditVerify } from './commands/audit-verify';
import type { AddCommand, CommandRun } from './commands/support/command';
import { addDoctor } from './commands/doctor';
import { addEvents } from './commands/events';
import { addCodecKeygen, addCodecRotate } from './commands/codec-keys';
import { addCodecServer, addReceiver, addWorker } from './commands/services';
import { EXIT, highest, exitCodeOf } from './program/exit-codes';
import type { ExitCode } from './program/exit-codes';
import { withoutValue } from './commands/support/arguments';
import { addIncidentAcknowledge, addIncidentList } from './commands/incident';
import { printingSafely, processIo } from './program/io';
import type { CommandIo } from './program/io';
import { addKycList } from './commands/kyc-list';
import { addKycShow } from './commands/kyc-show';
import { addKycTrack } from './commands/kyc-track';
import { addMovementShow } from './commands/movement-show';
import { addRecover } from './commands/recover';
import {
  addReconcileBreaks,
  addReconcileAcknowledge,
  addReconcileResolve,
} from './commands/reconcile-breaks';
import { addReconcileList, addReconcileShow } from './commands/reconcile-show';
import { addReconcileRun } from './commands/reconcile-run';
import { addReconcileSchedule } from './commands/reconcile-schedule';
import { reportFailure, runAsProcess } from './program/run';
import { addSandboxBank } from './commands/sandbox-bank';
import { addSendingGo, addSendingShow, addSendingStop } from './commands/sending';
import { addSetup } from './commands/setup';
import { addTransferDecide } from './commands/transfer-decide';
import { addTransferList } from './commands/transfer-list';
import { addTransferShow } from './commands/transfer-show';
import { addTransferStart } from './commands/transfer-start';
import { addWebhookList, addWebhookUnsubscribe } from './commands/webhook';
import { addWebhookUnresolved } from './commands/webhook-unresolved';
import { VERSION } from './version';

/** The commands by group; null: directly under `giro`. */
const COMMANDS: readonly {
  readonly group: string | null;
  readonly about: string;
  readonly add: readonly AddCommand[];
}[] = [
  { group: null, about: '', add: [addSetup, addDoctor, addWorker, addReceiver] },
  {
    group: 'transfer',
    about: 'transfers',
    add: [addTransferStart, addTransferShow, addTransferList, addTransferDecide],
  },
  { group: 'movement', about: 'movements at the bank', add: [addMovementShow] },
  { group: 'annulment', about: 'annulments of failed transfers', add: [addAnnulmentList] },
  { group: 'kyc', about: 'identity verifications', add: [addKycTrack, addKycShow, addKycList] },
  {
    group: 'incident',
    about: 'ended transfers that the bank contradicts',
    add: [addIncidentList, addIncidentAcknowledge],
  },
  { group: null, about: '', add: [addEvents, addRecover] },
  { group: 'sending', about: 'the emergency brake', add: [addSendingStop, addSendingGo, addSendingShow] },
  {
    group: 'reconcile',
    about: 'differences between bank, journal and engine',
    add: [
      addReconcileRun,
      addReconcileSchedule,
      addReconcileList,
      addReconcileShow,
      addReconcileBreaks,
      addReconcileAcknowledge,
      addReconcileResolve,
    ],
  },
  { group: 'audit', about: 'checks that nobody has altered the records', add: [addAuditVerify] },
  {
    group: 'archive',
    about: 'move old answers of the bank to files',
    add: [addArchiveExport, addArchivePrune, addArchiveList],
  },
  {
    group: 'webhook',
    about: "the bank's notifications",
    add: [addWebhookList, addWebhookUnsubscribe, addWebhookUnresolved],
  },
  { group: null, about: '', add: [addCodecServer, addCodecKeygen, addSandboxBank] },
  { group: 'codec', about: 'the key ring that encrypts payloads', add: [addCodecRotate] },
];

const EXIT_CODES_HELP = `
Exit codes: 0 done; 1 unexpected, doctor found something wrong, or somebody changed the brake at the same time;
2 wrong usage, configuration or input; 3 a transfer ended other than COMPLETED, a verification was rejected or stopped,
a reconciliation is not CLEAN, or an audit is not OK; 4 a server cannot be reached; 5 still open after --timeout.
Of several, the highest.`;

/** Runs one command; `args`: the arguments after the program's name. */
export async function main(args: readonly string[], process: CommandIo): Promise<ExitCode> {
  const io = printingSafely(process);
  let ended: ExitCode = EXIT.done;
  const program = giroProgram({ io, end: (code) => (ended = highest([ended, code])) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ended;
  } catch (error) {
    // Commander has printed what was wrong.
    if (!(error instanceof CommanderError)) reportFailure(io, error);
    return exitCodeOf(error);
  }
}

/** The program that consists of the table's commands; nothing has run yet. */
export function giroProgram(run: CommandRun): Command {
  const program = ours(new Command('giro'), run.io)
    .description('Durable payment orchestrator: each transfer to the bank is a Temporal workflow')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES_HELP);
  for (const { group, about, add } of COMMANDS) {
    const parent = group === null ? program : program.command(group).description(about);
    for (const addTo of add) addTo(parent, run);
  }
  addHelp(program);
  return program;
}

/** `giro help transfer show`; commander's own help command knows only the first word. */
function addHelp(program: Command): void {
  program
    .command('help')
    .description('display help for a command')
    .argument('[command...]', 'its name, such as `transfer show`')
    .action((words: readonly string[]) => {
      let found = program;
      for (const word of words) {
        const next = found.commands.find((command) => command.name() === word);
        if (next === undefined) return found.help({ error: true });
        found = next;
      }
      found.help();
    });
}

/** Subcommands inherit these settings. */
function ours(program: Command, { stdout, stderr }: CommandIo): Command {
  return program
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(withoutValue(text)),
    });
}

if (require.main === module) {
  runAsProcess(() => main(process.argv.slice(2), processIo()));
}
