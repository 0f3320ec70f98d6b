import { inspect } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { GracefulShutdownPeriodExpiredError, NativeConnection, Worker } from '@temporalio/worker';
import { transferActivities } from '../src/activities';
import { reconciliationActivities } from '../src/activities/reconciliation';
import { recoveryActivities } from '../src/activities/recover-lost-runs';
import type { TransferActivityContext } from '../src/activities/context';
import { verificationActivities } from '../src/activities/verification-activities';
import { openBankClient } from './bank-client';
import type { BankDialect } from '../src/bank/dialect';
import { createBankLimiter } from '../src/bank/limiter/limiter';
import { GiroClient } from '../src/client';
import type { DataConverter } from '@temporalio/common';
import { dataConverterOf, workerDataConverter } from '../src/codec/data-converter';
import type { UnreadablePayload } from '../src/codec/data-converter';
import type { KeyRing } from '../src/codec/key-ring';
import { DEFAULT_ORDER_LIMITS } from '../src/domain/order';
import type { AllowedSigner } from '../src/decisions/allowed-signers';
import type { OrderLimits } from '../src/domain/order';
import type { WorkerVersion } from '../src/config/process';
import { versioning } from '../src/worker/options';
import type { TransferResult } from '../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../src/domain/transfer/settings';
import type { TransferSettings } from '../src/domain/transfer/settings';
import type { TransferView } from '../src/domain/transfer/view';
import { DEFAULT_VERIFICATION_SETTINGS } from '../src/domain/verification/state';
import type { VerificationSettings } from '../src/domain/verification/state';
import type { StatusMap } from '../src/domain/verification/status-map';
import { reconciliationEngine } from '../src/engine/reconciliation-engine';
import { transferRuns, verificationRuns } from '../src/engine/runs';
import type { OrderSigner } from '../src/order-proofs/order-signers';
import type { SignOrder } from '../src/order-proofs/signing-key';
import { createEveryJournal } from './every-identity';
import type { Journal } from '../src/journal/journal';
import { startSandboxBank } from '../src/sandbox-bank';
import type { SandboxBank, SandboxBankOptions, SandboxRule, VerificationRule } from '../src/sandbox-bank';
import { Scope } from './scope';

/** The token that an environment's bank expects; worker processes need it. */
export const BANK_TOKEN = 'sandbox-token';

/** Long enough that nothing is deleted while demo and tests run. */
const RECONCILE_KEEP_MS = 90 * 86_400_000;

export interface GiroEnvironmentOptions {
  /** host:port of a Temporal server with the search attributes registered. */
  readonly temporalAddress: string;
  /** A migrated journal. */
  readonly databaseUrl: string;
  readonly workflowBundlePath: string;
  readonly taskQueue: string;
  readonly rules?: readonly (SandboxRule | VerificationRule)[];
  /** What the bank demands instead of `BANK_TOKEN`. Workers of this process have only that token. */
  readonly bankOptions?: SandboxBankOptions;
  /** The bank that workers of this process call; default: the sandbox bank itself, in the dialect of `ourBank`. */
  readonly front?: BankFront;
  readonly settings?: Partial<TransferSettings>;
  readonly orderLimits?: Partial<OrderLimits>;
  /** Who may give orders; default: orders need no proof. */
  readonly orderSigners?: () => readonly OrderSigner[] | null;
  /** Signs the orders that are given here; default: none is signed. */
  readonly signOrder?: SignOrder;
  readonly verifications?: Partial<VerificationSettings>;
  /** Default: `Pendiente`, `Aprobado`, `Rechazado`. */
  readonly statusMap?: StatusMap;
  /**
   * Encrypts payloads, orders and full answers of verifications. `workflowBundlePath` must then be the bundle for
   * encrypted namespaces.
   */
  readonly keyRing?: KeyRing;
  /** Who may sign decisions, read each time; default: decisions are not signed. */
  readonly decisionSigners?: () => readonly AllowedSigner[];
  /** Calls a second from each worker; default 0, no limit. */
  readonly maxRps?: number;
  /** Time-out of one call of `giro` and `skipping` to Temporal; default: that of `GiroClient`. */
  readonly callTimeoutMs?: number;
  /** 0: each task replays its run, and another worker takes the run over as soon as its worker ends. Default 200. */
  readonly cachedWorkflowsMax?: number;
}

/** Another bank's dialect, and a server in front of the sandbox bank that speaks it. */
export interface BankFront {
  readonly dialect: BankDialect;
  readonly start: (bank: SandboxBank) => Promise<Pick<SandboxBank, 'baseUrl' | 'caPem' | 'close'>>;
}

/**
 * Giro with a Temporal server, a PostgreSQL and an HTTPS sandbox bank, for the demo and the end-to-end tests. The
 * caller starts the workers, and can restart them at any time.
 */
export interface GiroEnvironment {
  readonly bank: SandboxBank;
  readonly engine: Client;
  readonly journal: Journal;
  /** Starts transfers in real time. */
  readonly giro: GiroClient;
  /** Starts transfers whose timers the server skips: cadences are kept in workflow time. */
  readonly skipping: GiroClient;
  startWorker(other?: OtherWorker): Promise<EnvironmentWorker>;
  transfer(originId: number): WorkflowHandle<(order: unknown) => Promise<TransferResult>>;
  close(): Promise<void>;
}

/** How a worker differs from the environment's default. */
export interface OtherWorker {
  /** Another key ring, as during a key rotation. */
  readonly keyRing?: KeyRing;
  readonly taskQueue?: string;
  /** Replaces parts, to cause failures that no server of the tests can cause. */
  readonly change?: (parts: TransferActivityContext) => TransferActivityContext;
  readonly statusMap?: StatusMap;
  /** Other workflow code. */
  readonly workflowBundlePath?: string;
  /** How payloads of the engine are converted; default: with the key ring. */
  readonly dataConverter?: DataConverter;
  readonly onUnreadable?: (found: UnreadablePayload) => void;
  /** Worker versioning; default: off. */
  readonly version?: WorkerVersion;
  /** Connection to Temporal; default: the connection that all workers of the environment share. */
  readonly connection?: NativeConnection;
  /** 0: each task opens the history anew; default: as the environment's. */
  readonly cachedWorkflowsMax?: number;
}

export interface EnvironmentWorker {
  /** Drains the worker. */
  stop(): Promise<void>;
}

export async function startGiroEnvironment(options: GiroEnvironmentOptions): Promise<GiroEnvironment> {
  const scope = new Scope();
  try {
    return await boot(options, scope);
  } catch (error) {
    await scope.release();
    throw error;
  }
}

async function boot(options: GiroEnvironmentOptions, scope: Scope): Promise<GiroEnvironment> {
  const { temporalAddress, databaseUrl, taskQueue, keyRing = null } = options;
  const dataConverter = dataConverterOf(keyRing, 'default');
  const converting = dataConverter === undefined ? {} : { dataConverter };
  // As with GIRO_SANDBOX=1.
  const settings = {
    ...DEFAULT_TRANSFER_SETTINGS,
    needsDeciders: false,
    ...(options.decisionSigners === undefined ? {} : { signsDecisions: true as const }),
    ...options.settings,
  };
  const orderLimits = { ...DEFAULT_ORDER_LIMITS, ...options.orderLimits };
  const { orderSigners = () => null } = options;
  const bank = scope.own(
    await startSandboxBank({
      token: BANK_TOKEN,
      ...options.bankOptions,
      ...(options.rules === undefined ? {} : { rules: options.rules }),
    }),
    (it) => it.close(),
  );
  const { journal } = scope.own(createEveryJournal(databaseUrl, { keyRing }), (it) => it.close());
  const connection = scope.own(await Connection.connect({ address: temporalAddress }), (it) => it.close());
  const native = scope.own(await NativeConnection.connect({ address: temporalAddress }), (it) => it.close());
  const { front } = options;
  const met = front === undefined ? bank : scope.own(await front.start(bank), (it) => it.close());
  const bankClient = scope.own(openBankClient(met, BANK_TOKEN, settings, front?.dialect), (it) => it.close());
  const engine = new Client({ connection, ...converting });
  const ordering = {
    ...{ client: engine, taskQueue, orderLimits, journal, signOrder: options.signOrder ?? null },
    ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
  };
  return {
    bank,
    engine,
    journal,
    giro: new GiroClient(ordering),
    skipping: new GiroClient({
      ...ordering,
      amendStartRequest: (request) => ({
        ...request,
        timeSkippingConfig: { enabled: true, maxSessionSkipCount: SKIPS_MAX },
      }),
    }),
    startWorker: async (other) => {
      const ring = other?.keyRing ?? keyRing;
      const workers =
        other?.keyRing === undefined
          ? journal
          : scope.own(createEveryJournal(databaseUrl, { keyRing: ring }), (it) => it.close()).journal;
      const parts = {
        ...{ bank: bankClient, journal: workers, orderLimits, orderSigners, settings },
        decisionSigners:
          options.decisionSigners === undefined
            ? null
            : { namespace: 'default', current: options.decisionSigners },
        limiter: createBankLimiter({ maxRps: options.maxRps ?? 0, pollActiveMs: settings.pollActiveMs }),
      };
      const opens = other?.dataConverter ?? dataConverterOf(ring, 'default');
      const converter = opens && workerDataConverter(opens, other?.onUnreadable ?? (() => undefined));
      const runs = transferRuns(engine, taskQueue);
      const worker = await Worker.create({
        connection: other?.connection ?? native,
        taskQueue: other?.taskQueue ?? taskQueue,
        workflowBundle: { codePath: other?.workflowBundlePath ?? options.workflowBundlePath },
        ...versioning(other?.version ?? null),
        ...(converter === undefined ? {} : { dataConverter: converter }),
        activities: {
          ...transferActivities(other?.change?.(parts) ?? parts),
          ...verificationActivities({
            ...{ bank: bankClient, limiter: parts.limiter, journal: workers, keepsAnswers: ring !== null },
            settings: { ...DEFAULT_VERIFICATION_SETTINGS, ...options.verifications },
            statusMap: other?.statusMap ?? STATUS_MAP,
          }),
          ...reconciliationActivities({
            ...{ bank: bankClient, limiter: parts.limiter, settings, journal: workers },
            engine: reconciliationEngine(engine, taskQueue, runs),
            ...{ keepMs: RECONCILE_KEEP_MS },
          }),
          ...recoveryActivities({
            ...{ journal: workers, runs },
            verificationRuns: verificationRuns(engine, taskQueue),
            startsMax: RECOVERY_STARTS_MAX,
          }),
        },
        maxCachedWorkflows: other?.cachedWorkflowsMax ?? options.cachedWorkflowsMax ?? 200,
        shutdownGraceTime: '10s',
        // A stuck run (docs/reliability.md) would keep the worker for ever.
        shutdownForceTime: '60s',
      });
      const running = worker.run();
      let isStopped = false;
      const ended = (error?: unknown): void => {
        if (!isStopped) reportEnded(error);
      };
      running.then(() => ended(), ended);
      const stop = async () => {
        isStopped = true;
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running.catch((error: unknown) => {
          if (!isLeftByStuckRun(error)) throw error;
          process.stderr.write(`a worker did not drain: ${inspect(error)}\n`);
        });
      };
      return scope.own({ stop }, (it) => it.stop());
    },
    transfer: (originId) => engine.workflow.getHandle(`transfer-${originId}`),
    close: () => scope.release(),
  };
}

/** Without this, a test that waits for the worker would fail by time and not say why. */
function reportEnded(error?: unknown): void {
  process.stderr.write(`a worker ended, and nobody stopped it: ${inspect(error)}\n`);
}

/** A stuck run (docs/reliability.md) keeps this worker from draining. A worker in a process of its own ends with it. */
const isLeftByStuckRun = (error: unknown): boolean =>
  error instanceof GracefulShutdownPeriodExpiredError ||
  (error instanceof Error && error.message === 'Workflow execution context should have been disposed first');

const RECOVERY_STARTS_MAX = 600;
/** In the form in which statuses are compared. */
const STATUS_MAP: StatusMap = new Map([
  ['pendiente', 'pending'],
  ['aprobado', 'approved'],
  ['rechazado', 'rejected'],
]);

/** Maximum number of timers that a run may skip: far more than any scenario has. */
const SKIPS_MAX = 5_000;

/** Ends a wait that would never end; far longer than a busy machine needs. */
const HANG_MS = 300_000;

/**
 * Waits until `read` returns a value that `isThere` accepts. A failed read is repeated, because the queried worker may
 * be shutting down. Fails with the last value or error after `timeoutMs`.
 */
export async function until<T>(
  read: () => Promise<T>,
  isThere: (value: T) => boolean,
  timeoutMs = HANG_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const value = await read();
      if (isThere(value)) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      if (last instanceof Error) throw last;
      throw new Error(`not there after ${timeoutMs} ms: ${JSON.stringify(last)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const stateOf = ({ giro }: GiroEnvironment, originId: number): Promise<TransferView> =>
  giro.transferState(originId, { timeoutMs: 30_000 });
