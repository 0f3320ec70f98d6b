import { parseJson, stringifyJson } from '../bank/http/json';
import { GiroClient } from '../client/giro-client';
import type { Context } from '../context';
import type { StoredAnswer } from '../journal/statements/verification-records';
import { requestIdArgument, operatorArgument, osUser, reasonArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import { standing, verificationReport } from './support/kyc-report';
import type { VerificationReport } from './support/kyc-report';
import { liveVerifications } from './support/live-views';
import { alignedFields, alignedTable, orDash, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

interface ShowOptions {
  readonly full?: boolean;
  readonly operator?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

export const addKycShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('one verification: its record in the journal, and the live view if a worker answers')
    .argument('<request-id>', "the bank's requestId", requestIdArgument)
    .option('--full', "with the bank's full answer, which is personal data: the reader is recorded")
    .option(
      '--operator <name>',
      'with --full: who reads it (default: the login of this machine)',
      operatorArgument,
    )
    .option('--reason <text>', 'with --full: why', reasonArgument)
    .option('--json', 'print a JSON object')
    .action(async (requestId: string, options: ShowOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal', 'temporal'], async (context) => {
          if (options.full !== true && (options.operator ?? options.reason) !== undefined) {
            throw new InputError('--operator and --reason belong to --full');
          }
          const report = await reportOf(context, requestId);
          const answer = options.full === true ? await fullAnswer(context, requestId, options) : null;
          if (options.json === true) io.stdout.write(asJson(report, answer));
          else printLines(io, asText(report, answer));
          return EXIT.done;
        }),
      );
      end(code);
    });
};

async function reportOf(
  { journal, temporal }: Context<'journal' | 'temporal'>,
  requestId: string,
): Promise<VerificationReport> {
  const record = await journal.verification(requestId);
  if (record === null) {
    throw new InputError(
      `the journal has no verification ${requestId}; a verification that was just started appears once a worker takes it up`,
    );
  }
  const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
  const isOpen = record.isTracked && record.result === null;
  const views = await liveVerifications(giro, isOpen ? [requestId] : []);
  return verificationReport(record, views.get(requestId) ?? null);
}

/** The access is first recorded in the audit trail: without that record nothing is shown. */
async function fullAnswer(
  { journal }: Context<'journal'>,
  requestId: string,
  { operator = osUser(), reason = null }: { operator?: string; reason?: string | null },
): Promise<StoredAnswer> {
  await journal.recordAudit({ action: 'kyc show', subject: requestId, operator, reason });
  const answer = await journal.verificationAnswer(requestId);
  if (answer === null) throw new InputError(`no full answer of ${requestId} is kept (KYC_STORE)`);
  return answer;
}

/** Prints the answer's numbers as the bank wrote them. */
function asJson(report: VerificationReport, answer: StoredAnswer | null): string {
  return `${stringifyJson(answer === null ? report : { ...report, answer: parsed(answer) }, 2)}\n`;
}

function parsed({ text }: StoredAnswer): unknown {
  const json = parseJson(text);
  if (!json.ok) throw new Error('the stored answer is not JSON');
  return json.value;
}

function asText(report: VerificationReport, answer: StoredAnswer | null): string[] {
  const { lastError } = report;
  return [
    ...alignedFields([
      ['verification', report.requestId],
      ['standing', report.live || !report.tracked ? standing(report) : 'tracked (no worker answered)'],
      ['bank status', orDash(report.status)],
      ['status date', orDash(report.statusDate)],
      ['needs attention', report.needsAttention ? report.attentionReasons.join(', ') : 'no'],
      ['last error', lastError === null ? '-' : `${lastError.code} ${lastError.httpStatus ?? ''}`],
      ['opened at', report.openedAt],
      ['ended at', orDash(report.endedAt)],
      [
        'polls',
        report.live
          ? `${report.polls}, last ${orDash(report.lastPolledAt)}, next ${orDash(report.nextPollAt)}`
          : '-',
      ],
      ['full answer', report.answerKeptAt === null ? 'not kept' : `kept at ${report.answerKeptAt}`],
    ]),
    '',
    ...alignedTable(
      ['BANK STATUS', 'SINCE'],
      report.history.map(({ status, at }) => [status, at]),
    ),
    ...(answer === null ? [] : ['', ...stringifyJson(parsed(answer), 2).split('\n')]),
  ];
}
