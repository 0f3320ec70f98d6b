import { GiroClient } from '../client/giro-client';
import { LIMIT_DEFAULT, limitArgument, statusArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { liveViews } from './support/live-views';
import { alignedTable, noteMore, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import { sentenceOf, transferReport, reportWithoutRecord, unseenView } from './support/transfer-report';
import type { TransferReport } from './support/transfer-report';
import { engineError } from '../client/engine-errors';
import { originIdOfWorkflow } from '../domain/order';
import type { Engine } from '../engine/connect';
import type { Journal } from '../journal/journal';
import { inParallel } from '../activities/in-parallel';

interface ListOptions {
  readonly status?: string;
  readonly needsAttention?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

export const addTransferList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('transfers, newest first')
    .option('--status <word>', 'result status, else bank status, else phase (GiroStatus)', statusArgument)
    .option('--needs-attention', 'only those with an open flag, or whose end the bank contradicts')
    .option('--limit <n>', `at most this many (default ${LIMIT_DEFAULT})`, limitArgument)
    .option('--json', 'print a JSON array')
    .action(async ({ status, needsAttention = false, limit = LIMIT_DEFAULT, json = false }: ListOptions) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal', 'temporal'], async ({ journal, temporal }) => {
          const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
          const found = await journal.transfers({ status: status ?? null, needsAttention, limit: limit + 1 });
          const records = found.slice(0, limit);
          const open = records.filter(({ result }) => result === null).map(({ originId }) => originId);
          const views = await liveViews(giro, open);
          const recorded = records.map((record) =>
            transferReport(record, views.get(record.originId) ?? null),
          );
          const untaken = (status ?? 'received') === 'received' && !needsAttention;
          const more = untaken ? await untakenTransfers(temporal, journal, giro, limit + 1) : [];
          const reports = untaken ? newest([...recorded, ...more], limit) : recorded;
          const isCut = found.length + more.length > limit;
          if (json) printJson(io, reports);
          else printLines(io, needsAttention ? attentionTable(reports) : asTable(reports));
          if (isCut) noteMore(io, limit);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

/** By the time of receipt in the journal; before that, by the start in Temporal. */
function newest(reports: readonly TransferReport[], limit: number): TransferReport[] {
  const at = ({ openedAt }: TransferReport) => Date.parse(openedAt);
  return reports.toSorted((a, b) => at(b) - at(a) || b.originId - a.originId).slice(0, limit);
}

/** One line for each transfer: why a person is needed, and whose proposal waits for a second operator. */
function attentionTable(reports: readonly TransferReport[]): string[] {
  if (reports.length === 0) return ['no transfers'];
  return alignedTable(
    ['ORIGIN ID', 'STATUS', 'BANK', 'OPENED AT', 'ATTENTION', 'PROPOSED', 'MEANS'],
    reports.map(({ attentionReasons, ...report }) => [
      String(report.originId),
      report.status ?? report.phase,
      orDash(report.bankStatus),
      report.openedAt,
      attentionReasons.join(','),
      orDash(report.proposals.map(({ action, operator }) => `${action} by ${operator}`).join(', ') || null),
      attentionReasons.map((reason) => sentenceOf(reason)).join(' '),
    ]),
  );
}

function asTable(reports: readonly TransferReport[]): string[] {
  if (reports.length === 0) return ['no transfers'];
  return alignedTable(
    ['ORIGIN ID', 'STATUS', 'BANK', 'POLLS', 'OPENED AT', 'NEXT POLL', 'ATTENTION', 'REFERENCE'],
    reports.map((report) => [
      String(report.originId),
      report.status ?? report.phase,
      orDash(report.bankStatus),
      String(report.polls),
      report.openedAt,
      orDash(report.nextPollAt),
      report.needsAttention ? report.attentionReasons.join(',') : '-',
      orDash(report.reference),
    ]),
  );
}

const READS_AT_ONCE = 20;

interface Started {
  readonly originId: number;
  readonly startTime: Date;
}

/** Open runs of this task queue whose status in the index is absent or still the status at the start. */
async function* startedTransfers({ client, config }: Engine, pageSize: number): AsyncGenerator<Started> {
  const query =
    "WorkflowType = 'transfer' AND ExecutionStatus = 'Running' AND (GiroStatus IS NULL OR GiroStatus = 'received') " +
    `AND TaskQueue = ${JSON.stringify(config.taskQueue)}`;
  try {
    for await (const { workflowId, startTime } of client.workflow.list({ query, pageSize })) {
      const originId = originIdOfWorkflow(workflowId);
      if (originId !== null) yield { originId, startTime };
    }
  } catch (error) {
    throw engineError(error, null, `Temporal at ${config.address}`);
  }
}

/**
 * Started transfers that no worker has taken up: those without a row in the journal. At most `limit`; the index lags by
 * about a second.
 *
 * @throws ServerUnreachableError
 */
async function untakenTransfers(
  engine: Engine,
  journal: Pick<Journal, 'transfer'>,
  giro: GiroClient,
  limit: number,
): Promise<readonly TransferReport[]> {
  const startedAt = new Map<number, Date>();
  let unchecked: Started[] = [];
  // A worker may have taken the transfer up since the index was updated.
  const check = async (): Promise<void> => {
    await inParallel(unchecked, READS_AT_ONCE, async ({ originId, startTime }) => {
      if ((await journal.transfer(originId)) === null) startedAt.set(originId, startTime);
    });
    unchecked = [];
  };
  for await (const started of startedTransfers(engine, limit)) {
    unchecked.push(started);
    if (unchecked.length + startedAt.size >= limit) await check();
    if (startedAt.size >= limit) break;
  }
  await check();
  const views = await liveViews(giro, [...startedAt.keys()]);
  return [...startedAt].map(([originId, startTime]) => {
    const view = views.get(originId) ?? null;
    return reportWithoutRecord(view ?? unseenView(originId, null), startTime.toISOString(), view !== null);
  });
}
