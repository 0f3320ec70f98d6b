import { stringifyJson } from '../bank/http/json';
import type { BankClient, LookupReply, MovementKey, RawReply } from '../bank/movements/port';
import type { Need } from '../config/settings';
import type { Context } from '../context';
import type { RequestError } from '../domain/transfer/answers';
import type { TransferRecord } from '../journal/statements/transfer-records';
import { bankIdArgument, originIdArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { endedMovement, rawEndedMovement } from './support/ended-movement';
import { EXIT, InputError, PeerUnreachable } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { alignedFields, note, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

interface ShowOptions {
  readonly originId?: number;
  readonly networkId?: string;
  readonly debinId?: string;
  readonly raw?: boolean;
  readonly json?: boolean;
}

export const addMovementShow: AddCommand = (parent, { io, end }) => {
  parent
    .command('show')
    .description('a movement at the bank; for an open transfer of Giro, the last recorded answer')
    .option('--origin-id <id>', 'by our id', originIdArgument)
    .option('--network-id <id>', "by the network's id", bankIdArgument)
    .option('--debin-id <id>', 'by the id of a debin', bankIdArgument)
    .option('--raw', "in the network's own format")
    .option('--json', 'print a JSON object')
    .action(async (options: ShowOptions) => {
      end(await runCommand(io, () => show(io, options)));
    });
};

/**
 * The journal knows whether an originId or a network id belongs to a transfer of ours. The journal has no debin ids, so
 * a look-up by debin id always asks the bank.
 */
const NEEDS = {
  originId: ['bank', 'journal', 'transferSettings'],
  networkId: ['bank', 'journal', 'transferSettings'],
  debinId: ['bank'],
} as const satisfies Record<string, readonly Need[]>;

async function show(io: CommandIo, options: ShowOptions): Promise<ExitCode> {
  const { originId, networkId, debinId } = options;
  if ([originId, networkId, debinId].filter((id) => id !== undefined).length !== 1) {
    throw new InputError('exactly one of --origin-id, --network-id and --debin-id is needed');
  }
  if (originId !== undefined) {
    return withContext(io, NEEDS.originId, async (context) =>
      showOurs(
        io,
        context,
        { originId: String(originId) },
        await context.journal.transfer(originId),
        options,
      ),
    );
  }
  if (networkId !== undefined) {
    return withContext(io, NEEDS.networkId, async (context) =>
      showOurs(io, context, { networkId }, await context.journal.transferByNetworkId(networkId), options),
    );
  }
  const key = { debinId: debinId ?? '' };
  return withContext(io, NEEDS.debinId, ({ bank }) => showOne(io, bank, key, null, options));
}

/**
 * Asks about an ended transfer of ours at the transfer's cadence, and about a movement of somebody else at once. For an
 * open transfer of ours, prints the last recorded answer without asking.
 */
async function showOurs(
  io: CommandIo,
  context: Context<(typeof NEEDS.originId)[number]>,
  key: MovementKey,
  record: TransferRecord | null,
  options: ShowOptions,
): Promise<ExitCode> {
  if (record === null || record.result === null) return showOne(io, context.bank, key, record, options);
  const { raw = false, json = false } = options;
  const ask = raw ? rawEndedMovement : endedMovement;
  return printReply(io, await ask(io, context, record.originId), json);
}

async function showOne(
  io: CommandIo,
  bank: BankClient,
  key: MovementKey,
  record: TransferRecord | null,
  { raw = false, json = false }: ShowOptions,
): Promise<ExitCode> {
  if (record !== null && record.result === null) {
    // The run keeps the gaps between requests; an operator's inquiry would break them.
    note(
      io,
      `giro: transfer ${record.originId} is open: this is the last recorded answer, the bank was not asked`,
    );
    print(io, recorded(record), json);
    return EXIT.done;
  }
  const reply = raw
    ? await bank.getRawMovement(key, { workflowTime: null })
    : await bank.getMovement(key, { workflowTime: null });
  return printReply(io, reply, json);
}

function printReply(io: CommandIo, reply: LookupReply | RawReply, json: boolean): ExitCode {
  switch (reply.kind) {
    case 'raw':
      io.stdout.write(`${stringifyJson(reply.value, 2)}\n`);
      return EXIT.done;
    case 'movement':
      print(io, { answeredBy: 'bank', ...reply.movement, evidenceSha256: reply.evidenceSha256 }, json);
      return EXIT.done;
    case 'not-found':
      throw new InputError('the bank knows no such movement');
    case 'no-answer':
      throw new PeerUnreachable(`the bank gave no answer: ${errorWord(reply.error)}`);
  }
}

function recorded({ originId, network, ...record }: TransferRecord) {
  const { bankStatus, movementId, networkId, history, lastPolledAt } = record;
  return {
    answeredBy: 'journal',
    id: movementId,
    status: bankStatus,
    originId: String(originId),
    network,
    networkId,
    statusSince: history.at(-1)?.at ?? null,
    lastPolledAt,
    history,
  };
}

function print(io: CommandIo, movement: Readonly<Record<string, unknown>>, json: boolean): void {
  if (json) {
    io.stdout.write(`${JSON.stringify(movement, null, 2)}\n`);
    return;
  }
  const fields = Object.entries(movement).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [[name, '-']];
    return typeof value === 'string' || typeof value === 'boolean' ? [[name, String(value)]] : [];
  });
  printLines(io, alignedFields(fields));
}

const errorWord = ({ code, httpStatus }: RequestError): string =>
  httpStatus === null ? code : `${code} (HTTP ${httpStatus})`;
