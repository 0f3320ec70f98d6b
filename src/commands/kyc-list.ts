import { GiroClient } from '../client/giro-client';
import { LIMIT_DEFAULT, limitArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { standing, verificationReport } from './support/kyc-report';
import type { VerificationReport } from './support/kyc-report';
import { liveVerifications } from './support/live-views';
import { alignedTable, noteMore, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

interface ListOptions {
  readonly status?: string;
  readonly needsAttention?: boolean;
  readonly open?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

export const addKycList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('identity verifications, newest first')
    .option('--status <word>', 'only those with this latest status of the bank, compared exactly')
    .option('--needs-attention', 'only those with an open flag')
    .option('--open', 'only those that are tracked and have no outcome')
    .option('--limit <n>', `at most this many (default ${LIMIT_DEFAULT})`, limitArgument)
    .option('--json', 'print a JSON array')
    .action(async (options: ListOptions) => {
      const { status = null, needsAttention = false, open: isOpen = false, limit = LIMIT_DEFAULT } = options;
      const code = await runCommand(io, () =>
        withContext(io, ['journal', 'temporal'], async ({ journal, temporal }) => {
          const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
          const found = await journal.verifications({ status, needsAttention, isOpen, limit: limit + 1 });
          const records = found.slice(0, limit);
          const tracked = records.filter((record) => record.isTracked && record.result === null);
          const views = await liveVerifications(
            giro,
            tracked.map(({ requestId }) => requestId),
          );
          const reports = records.map((record) =>
            verificationReport(record, views.get(record.requestId) ?? null),
          );
          if (options.json === true) printJson(io, reports);
          else printLines(io, asTable(reports));
          if (found.length > limit) noteMore(io, limit);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

function asTable(reports: readonly VerificationReport[]): string[] {
  if (reports.length === 0) return ['no verifications'];
  return alignedTable(
    ['REQUEST ID', 'STANDING', 'BANK STATUS', 'OPENED AT', 'NEXT POLL', 'ATTENTION'],
    reports.map((report) => [
      report.requestId,
      standing(report),
      orDash(report.status),
      report.openedAt,
      orDash(report.nextPollAt),
      report.needsAttention ? report.attentionReasons.join(',') : '-',
    ]),
  );
}
