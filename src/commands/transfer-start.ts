import { GiroClient } from '../client/giro-client';
import { readClosedFile } from '../config/files';
import type { Need } from '../config/settings';
import type { Context } from '../context';
import { readSigningKey } from '../order-proofs/signing-key';
import type { SignOrder } from '../order-proofs/signing-key';
import { durationArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { EXIT, highest, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { readOrders } from './support/input/read-orders';
import type { GoodOrder, OrdersRead } from './support/input/read-orders';
import { readInputText } from './support/input/read-text';
import type { CommandIo } from '../program/io';
import { note, printJson, printLines } from './support/output';
import { startProgress } from './support/progress';
import { runCommand, settingsOf, withContext } from '../program/run';
import { startOrders, waitForAll } from './support/start-orders';
import { isServerLost, shortfall, startExitCode, startReport, startTable } from './support/start-report';
import type { Waits } from './support/start-report';

interface StartOptions {
  readonly wait?: boolean;
  /** ms */
  readonly timeout?: number;
  readonly skipInvalid?: boolean;
  /** A file. */
  readonly signKey?: string;
  readonly signKid?: string;
  readonly json?: boolean;
}

/** A lost server is reported within about ten seconds, except while lost references are searched. */
const CALL_TIMEOUT_MS = 8_000;

/** Further bad orders are only counted. */
const BAD_ORDERS_SHOWN = 100;

export const addTransferStart: AddCommand = (parent, { io, end }) => {
  parent
    .command('start')
    .description('start transfers: one order, an array of orders, or NDJSON (one order on each line)')
    .argument('<file>', 'the file, or - for stdin')
    .option('--wait', 'wait until they have ended')
    .option('--timeout <duration>', 'with --wait: at most that long, e.g. 10m30s', durationArgument)
    .option('--skip-invalid', 'start the valid orders even if others are invalid (the exit code is still 2)')
    .option(
      '--sign-key <file>',
      'sign orders that have no proof, by a private Ed25519 key (JWK or PKCS#8 PEM) in a file closed to others',
    )
    .option('--sign-kid <kid>', 'with --sign-key: its kid in ORDER_SIGNERS_FILE (default: that of the JWK)')
    .option('--json', 'print a JSON object, or an array for several orders')
    .action(async (file: string, options: StartOptions) => {
      end(await runCommand(io, () => start(io, file, options)));
    });
};

async function start(io: CommandIo, file: string, options: StartOptions): Promise<ExitCode> {
  if (options.timeout !== undefined && options.wait !== true) {
    throw new InputError('--timeout is the time to wait: it needs --wait');
  }
  const signOrder = readSigner(options);
  const { config } = settingsOf(io, ['orderLimits', 'temporal']);
  const orders = readOrders(await readInputText(file, io.stdin), config.orderLimits);
  const inputCode = reportBadOrders(io, orders, options.skipInvalid === true);
  if (orders.bad.length > 0 && (options.skipInvalid !== true || orders.good.length === 0)) return inputCode;

  const byReference = orders.good.some(({ prepared }) => prepared.by === 'reference');
  const needs = [
    'orderLimits',
    'temporal',
    ...(byReference ? (['journal'] as const) : []),
  ] as const satisfies Need[];
  return withContext(
    io,
    needs,
    async (context) => highest([inputCode, await startAll(io, context, orders, { ...options, signOrder })]),
    'giro_client',
  );
}

async function startAll(
  io: CommandIo,
  context: Context<'logging' | 'orderLimits' | 'temporal'> & Partial<Context<'journal'>>,
  { good, count }: OrdersRead,
  options: StartOptions & { readonly signOrder: SignOrder | null },
): Promise<ExitCode> {
  const { logger, temporal, orderLimits, journal = null } = context;
  warn(context, good);
  const { taskQueue } = temporal.config;
  const giro = new GiroClient({
    client: temporal.client,
    taskQueue,
    orderLimits,
    journal,
    signOrder: options.signOrder,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });

  const starting = startProgress(io, logger, { doing: 'starting', total: good.length });
  const outcomes = await startOrders(giro, good, ({ kind }) => starting.step(kind));
  starting.end();
  for (const sentence of shortfall(outcomes)) note(io, `giro: ${sentence}`);

  let waits: Waits | null = null;
  if (options.wait === true && !isServerLost(outcomes)) {
    const there = outcomes.flatMap((outcome) => ('transfer' in outcome ? [outcome.transfer] : []));
    const waiting = startProgress(io, logger, { doing: 'waiting', total: there.length });
    waits = await waitForAll(giro, there, options.timeout ?? null, (outcome) =>
      waiting.step(outcome.kind === 'ended' ? outcome.result.status : 'without result'),
    );
    waiting.end();
    for (const wait of waits.values()) if (wait.kind === 'no-result') note(io, `giro: ${wait.error.message}`);
  }

  const reports = outcomes.map((outcome) => startReport(outcome, waits));
  if (options.json !== true) printLines(io, startTable(reports));
  else printJson(io, count === 1 ? reports[0] : reports);
  return startExitCode(outcomes, waits);
}

/** Null: nothing is signed. */
function readSigner({ signKey, signKid }: StartOptions): SignOrder | null {
  if (signKey === undefined) {
    if (signKid !== undefined)
      throw new InputError('--sign-kid names the key of --sign-key: it needs --sign-key');
    return null;
  }
  const file = readClosedFile(signKey);
  if (!file.ok) throw new InputError(`--sign-key: ${file.reason}`);
  const key = readSigningKey(file.value, signKid);
  if (!key.ok) throw new InputError(`--sign-key: the file ${signKey} ${key.reason}`);
  return key.value;
}

function reportBadOrders(io: CommandIo, { bad, good, count }: OrdersRead, skip: boolean): ExitCode {
  if (bad.length === 0) return EXIT.done;
  for (const sentence of bad.slice(0, BAD_ORDERS_SHOWN)) note(io, sentence);
  if (bad.length > BAD_ORDERS_SHOWN) note(io, `… and ${bad.length - BAD_ORDERS_SHOWN} more`);
  const rest =
    skip && good.length > 0 ? `skipped; the other ${good.length} are started` : 'nothing was started';
  note(io, `giro: ${bad.length} of ${count} orders invalid: ${rest}`);
  return EXIT.input;
}

function warn({ logger }: Context<never>, orders: readonly GoodOrder[]): void {
  for (const { place, prepared } of orders) {
    for (const { path, rule } of prepared.warnings) logger.warn({ place, path }, `${path} ${rule}`);
  }
}
