import { engineError } from '../client/engine-errors';
import {
  InvalidTransferOrderError,
  OriginIdConflictError,
  TransferNotFoundError,
  TransferRunLostError,
} from '../client/errors';
import { orderSha256OfRun } from '../client/existing-order';
import { GiroClient } from '../client/giro-client';
import type { Context } from '../context';
import { transferWorkflowId } from '../domain/order';
import type { ReportedMoney } from '../domain/transfer/answers';
import type { TransferView } from '../domain/transfer/view';
import type { Engine } from '../engine/connect';
import { INVALID_TRANSFER_ORDER, ORIGIN_ID_CONFLICT } from '../workflows/failures';
import { originIdArgument, operatorArgument, osUser, reasonArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { byLastFour, differenceLines, reveal } from './support/differing-values';
import type { Reader } from './support/differing-values';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { incidentTable } from './incident';
import { liveViews } from './support/live-views';
import { alignedFields, alignedTable, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import { reportWithoutRecord, sentenceOf, transferReport, unseenView } from './support/transfer-report';
import type { TransferReport } from './support/transfer-report';

export const addTransferShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('one transfer: its record in the journal, and the live view if a worker answers')
    .argument('<origin-id>', 'its originId', originIdArgument)
    .option(
      '--reveal',
      'with the differing accounts and tax ids in full, which are personal data: the reader is recorded',
    )
    .option(
      '--operator <name>',
      'with --reveal: who reads them (default: the login of this machine)',
      operatorArgument,
    )
    .option('--reason <text>', 'with --reveal: why', reasonArgument)
    .option('--json', 'print a JSON object')
    .action(async (originId: number, options: ShowOptions) => {
      end(await runCommand(io, () => show(io, originId, options)));
    });
};

interface ShowOptions {
  readonly reveal?: boolean;
  readonly operator?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

async function show(io: CommandIo, originId: number, options: ShowOptions): Promise<ExitCode> {
  const reader = readerOf(options);
  return withContext(io, ['journal', 'temporal'], async (context) => {
    const differingValues =
      reader === null ? await maskedValues(context, originId) : await reveal(context, originId, reader);
    const report = { ...(await reportOf(context, originId)), differingValues };
    if (options.json === true) printJson(io, report);
    else printLines(io, asText(report));
    return EXIT.done;
  });
}

/** Who reads the full values, and why; null: nobody. */
function readerOf({ reveal: isWhole = false, operator, reason }: ShowOptions): Reader | null {
  if (!isWhole) {
    if ((operator ?? reason) !== undefined)
      throw new InputError('--operator and --reason belong to --reveal');
    return null;
  }
  if (reason === undefined) throw new InputError('--reveal needs --reason, which is recorded');
  return { operator: operator ?? osUser(), reason };
}

async function maskedValues({ journal }: Context<'journal'>, originId: number) {
  const kept = await journal.differingValues(originId);
  return kept === null ? null : byLastFour(kept);
}

async function reportOf(
  { journal, temporal }: Context<'journal' | 'temporal'>,
  originId: number,
): Promise<TransferReport> {
  const giro = new GiroClient({ client: temporal.client, taskQueue: temporal.config.taskQueue });
  const record = await journal.transfer(originId);
  const view = (await liveViews(giro, [originId])).get(originId) ?? null;
  return record === null ? notInJournal(temporal, giro, originId, view) : transferReport(record, view);
}

/** The transfer was started just now, or no worker has taken it up yet, or its order was refused and left no row. */
async function notInJournal(
  { client, config }: Engine,
  giro: GiroClient,
  originId: number,
  view: TransferView | null,
): Promise<TransferReport> {
  let ended: string | null = null;
  try {
    const workflowId = transferWorkflowId(originId);
    const { status, runId, startTime } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING') {
      const orderSha256 = await orderSha256OfRun(client, { workflowId, runId });
      return reportWithoutRecord(
        view ?? unseenView(originId, orderSha256),
        startTime.toISOString(),
        view !== null,
      );
    }
    ended = runId;
  } catch (error) {
    const translated = engineError(error, originId, `Temporal at ${config.address}`);
    if (!(translated instanceof TransferNotFoundError)) throw translated;
  }
  if (ended !== null) throw await endWithoutRecord(giro, originId, ended);
  throw new InputError(`there is no transfer ${originId}`);
}

/** The journal has no row of the transfer: nothing was sent, unless the journal has lost the row. */
async function endWithoutRecord(giro: GiroClient, originId: number, runId: string): Promise<Error> {
  try {
    const { status } = await giro.waitForTransfer(originId, { runId, timeoutMs: RESULT_TIMEOUT_MS });
    return new InputError(
      `the journal has no transfer ${originId}, and its run ended ${status}: ` +
        'the journal was restored from a backup, or this is another journal',
    );
  } catch (error) {
    if (error instanceof InvalidTransferOrderError || error instanceof OriginIdConflictError) {
      const type = error instanceof InvalidTransferOrderError ? INVALID_TRANSFER_ORDER : ORIGIN_ID_CONFLICT;
      return new InputError(
        `transfer ${originId} was refused, nothing was sent: its run failed with ${type}: ${error.message}`,
      );
    }
    if (!(error instanceof TransferRunLostError)) throw error;
  }
  return new InputError(
    `the journal has no transfer ${originId}, so nothing was sent; its last run ended without taking ` +
      'it up: start the same order again',
  );
}

/** The result of an ended run is available at once. */
const RESULT_TIMEOUT_MS = 5_000;

/** The text about the emergency brake, while the brake holds the create back. */
function stopText({ sendingStopped }: TransferReport): string | null {
  if (sendingStopped === null) return null;
  const { at, operator, reason } = sendingStopped;
  return `since ${at} by ${operator}: ${reason}`;
}

function asText(report: TransferReport): string[] {
  const { annulment, doubtfulAnswer: doubt } = report;
  return [
    ...alignedFields([
      ['transfer', String(report.originId)],
      ['reference', orDash(report.reference)],
      ['status', report.status ?? report.phase],
      ['phase', report.live ? report.phase : `${report.phase} (no worker answered)`],
      ['bank status', orDash(report.bankStatus)],
      ['amount', orDash(report.amount?.value ?? null)],
      ['movement id', orDash(report.movementId)],
      ['network id', orDash(report.networkId)],
      [
        'annulment',
        orDash(annulment === null ? null : `${annulment.id}, recorded at ${annulment.recordedAt}`),
      ],
      ['sending stopped', orDash(stopText(report))],
      ['last error', orDash(errorText(report))],
      ['doubtful answer', orDash(doubtText(report))],
      ...(doubt === null
        ? []
        : ([
            ['ordered', moneyText(doubt.ordered)],
            ['reported', moneyText(doubt.reported)],
          ] as const)),
      ['journal conflict', orDash(report.journalConflict)],
      ['needs attention', report.needsAttention ? report.attentionReasons.join(', ') : 'no'],
      ['cancel requested', cancelText(report)],
      ['opened at', report.openedAt],
      ['polls', `${report.polls}, last ${orDash(report.lastPolledAt)}, next ${orDash(report.nextPollAt)}`],
      ['order sha256', orDash(report.orderSha256)],
      ['order signed by', orDash(report.orderKeyId)],
      ['evidence', evidenceText(report)],
    ]),
    ...differenceLines(report.originId, report.differingValues ?? null),
    ...decisionLines(report),
    '',
    ...alignedTable(
      ['CREATE', 'AT', 'OUTCOME'],
      report.attempts.map(({ number, at, outcome }) => [
        `request ${number}`,
        at,
        outcome ?? (report.archiveSha256 === null ? 'in flight or lost' : 'archived or lost'),
      ]),
    ),
    '',
    ...alignedTable(
      ['BANK STATUS', 'SINCE'],
      report.history.map(({ status, at }) => [status, at]),
    ),
    ...(report.archiveSha256 === null
      ? []
      : ['', `answers before the last one may be in the archive with SHA-256 ${report.archiveSha256}`]),
    ...section(
      ['DECISION', 'ACTION', 'BY', 'AT', 'SIGNED WITH'],
      report.decisions.map(({ outcome, action, operator, at, keyFingerprint }) => [
        ...[outcome, action, operator, at, orDash(keyFingerprint)],
      ]),
    ),
    ...(report.incidents.length === 0 ? [] : ['', ...incidentTable(report.incidents)]),
  ];
}

/** The evidence of a signed decision: the first request of the current series of equal answers (`Evidence`). */
const evidenceText = ({ evidenceNumber }: TransferReport): string =>
  evidenceNumber === 0
    ? '0, no readable answer yet'
    : `${evidenceNumber}, the same answer since this request`;

/** Why the last request to the bank got no readable answer. */
function errorText({ lastError }: TransferReport): string | null {
  if (lastError === null) return null;
  return lastError.httpStatus === null ? lastError.code : `${lastError.code} ${lastError.httpStatus}`;
}

function doubtText({ doubtfulAnswer }: TransferReport): string | null {
  if (doubtfulAnswer === null) return null;
  const { status, echo, fields, at } = doubtfulAnswer;
  return `${status} at ${at}, echo ${echo}: ${fields.join(', ')}`;
}

const moneyText = ({ amount, currency }: ReportedMoney): string =>
  `${orDash(amount)}, currency ${orDash(currency)}`;

function cancelText({ cancelRequested, sends, status }: TransferReport): string {
  if (!cancelRequested) return 'no';
  return sends > 0 && status !== 'WITHDRAWN' ? 'yes, after it was sent: the transfer continues' : 'yes';
}

/** Why a person is needed, whose proposal waits for a second operator, and what may be decided and how. */
function decisionLines({ originId, attentionReasons, proposals, mayDecide, live }: TransferReport): string[] {
  if (attentionReasons.length === 0) return [];
  return [
    '',
    ...attentionReasons.map((reason) => `${reason}: ${sentenceOf(reason)}`),
    ...section(
      ['PROPOSED', 'BY', 'AT', 'REASON'],
      proposals.map(({ action, operator, at, reason }) => [action, operator, at, reason]),
    ),
    ...section(
      ['MAY BE DECIDED', 'OPERATORS', 'FROM', 'UNTIL', 'TO'],
      mayDecide.map(({ action, operators, from, until, says }) => [
        ...[action, String(operators), orDash(from), orDash(until), says],
      ]),
    ),
    '',
    live && mayDecide.length > 0
      ? `giro transfer decide ${originId} --action ACTION --operator NAME --reason TEXT`
      : live
        ? 'nothing to decide about the transfer itself'
        : 'only a worker knows what may be decided, and none answered',
  ];
}

const section = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : ['', ...alignedTable(head, rows)];
