import { Option } from 'commander';
import { GiroClient } from '../client/giro-client';
import { DECISION_ACTIONS } from '../domain/transfer/decisions/decision';
import type { DecisionAnswer, DecisionRequest } from '../domain/transfer/decisions/decision';
import { DECISION_TABLE } from '../domain/transfer/decisions/decision-table';
import { originIdArgument } from './support/arguments';
import { checkSigning, signedDecision } from './support/sign-decision';
import type { SigningOptions } from './support/sign-decision';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

interface DecideOptions extends Pick<DecisionRequest, 'action' | 'operator' | 'reason'>, SigningOptions {
  readonly json?: boolean;
}

export const addTransferDecide: AddCommand = (parent, { io, end }) => {
  parent
    .command('decide')
    .description('decide about a flagged transfer; its `transfer show` says what may be decided now')
    .argument('<origin-id>', 'its originId', originIdArgument)
    .addOption(
      new Option('--action <action>', 'what is decided').choices(DECISION_ACTIONS).makeOptionMandatory(),
    )
    .requiredOption('--operator <name>', 'who decides (see DECIDERS and DECIDERS_FILE)')
    .requiredOption('--reason <text>', 'why, for later readers of the journal; no personal data')
    .option(
      '--key <file>',
      'sign with this OpenSSH key, by ssh-keygen (an agent: its public key; hardware keys too)',
    )
    .option(
      '--print',
      'print the line to sign: ssh-keygen -Y sign -n giro-decision -f KEY FILE; decide nothing',
    )
    .option(
      '--as-update',
      'with --print: the JSON to paste into the Temporal UI, signed by --key, or by --line',
    )
    .option('--line <file>', 'the line that was signed, as --print printed it')
    .option('--signature <file>', 'its signature, as ssh-keygen wrote it')
    .option('--json', 'print a JSON object')
    .addHelpText('after', `\n${decisionTable().join('\n')}`)
    .action(async (originId: number, options: DecideOptions) => {
      const { json = false, print = false, asUpdate = false, key, line, ...rest } = options;
      const { action, operator, reason, signature } = rest;
      const signing = {
        ...(key === undefined ? {} : { key }),
        ...(line === undefined ? {} : { line }),
        ...(signature === undefined ? {} : { signature }),
      };
      const code = await runCommand(io, () => {
        checkSigning({ ...signing, print, asUpdate });
        return withContext(io, ['temporal'], async ({ temporal }) => {
          const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
          const decision = { action, operator, reason };
          if (print && !('key' in signing || 'line' in signing)) {
            const toSign = await giro.decisionToSign(originId, decision);
            printLines(io, [asUpdate ? JSON.stringify(toSign.decision) : toSign.line.trimEnd()]);
            return EXIT.done;
          }
          const signed = await signedDecision(giro, originId, decision, signing, io);
          if (print) {
            printLines(io, [JSON.stringify(signed)]);
            return EXIT.done;
          }
          const answer = await giro.decide(originId, signed);
          if (json) printJson(io, answer);
          else printLines(io, [sentence(originId, action, answer)]);
          return EXIT.done;
        });
      });
      end(code);
    });
};

function sentence(originId: number, action: string, { state, by }: DecisionAnswer): string {
  switch (state) {
    case 'proposed':
      return `transfer ${originId}: ${action} proposed by ${by.join(', ')}; another operator has to decide the same`;
    case 'accepted':
      return `transfer ${originId}: ${action} accepted by ${by.join(' and ')}`;
    case 'resumed':
      return `transfer ${originId}: resumed by ${by.join(', ')}`;
    case 'withdrawn':
      return `transfer ${originId}: open proposals withdrawn by ${by.join(', ')}`;
  }
}

/** The table of contract 4.6, printed from the rows that the state machine uses. */
function decisionTable(): string[] {
  const lines: string[] = ['What may be decided, by flag (everything else is refused):'];
  let flags = '';
  for (const { reasons, action, operators, says } of DECISION_TABLE) {
    if (reasons.join() !== flags) lines.push(`  ${reasons.join(', ')}`);
    flags = reasons.join();
    lines.push(`    ${action} (${operators === 1 ? 'one operator' : 'two operators'}): ${says}`);
  }
  return [
    ...lines,
    '  any, with an open proposal',
    '    withdraw (one operator): end all open proposals of the transfer',
    '',
    'Two operators means the same action by two different names: the first proposes, the second accepts. A new answer',
    'of the bank ends proposals. Exit code 2: refused.',
    '',
    'If the workers have DECIDERS_FILE, decisions must be signed. Either sign at once with --key, or print the line with',
    '--print, sign it with your own tool, and pass both with --line and --signature. A signed line counts once, expires',
    'after an hour at most, and is refused once the bank has given a different answer.',
  ];
}
