import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ActivityInterceptorsFactory, RuntimeOptions, WorkerOptions } from '@temporalio/worker';
import { collectDefaultMetrics } from 'prom-client';
import { transferActivities } from './activities';
import { verificationActivities } from './activities/verification-activities';
import { watchTransfers } from './activities/watch-transfers';
import { watchVerifications } from './activities/watch-verifications';
import { logRecovery } from './activities/log-recovery';
import { reconciliationActivities } from './activities/reconciliation';
import { logNotForgotten, logReconciliation } from './activities/log-reconciliation';
import { recoveryActivities } from './activities/recover-lost-runs';
import { webhookCheckActivities } from './activities/check-webhooks';
import { tellWebhookCheck } from './activities/tell-webhook-check';
import { ServerUnreachableError } from './client/errors';
import { workerDataConverter } from './codec/data-converter';
import type { UnreadablePayload } from './codec/data-converter';
import { EXIT, SetupMissing } from './program/exit-codes';
import type { ExitCode } from './program/exit-codes';
import { handOverHead } from './program/hand-over-head';
import { processIo, stopSignal } from './program/io';
import type { CommandIo } from './program/io';
import { runService, logReady, runAsProcess } from './program/run';
import type { Need } from './config/settings';
import type { Context } from './context';
import { lacksDeciders } from './domain/transfer/settings';
import type { Engine } from './engine/connect';
import { checkSearchAttributes } from './engine/search-attributes';
import { watchedJournal } from './journal/watched-journal';
import type { ReportHead } from './reconciliation/report';
import { reconciliationEngine } from './engine/reconciliation-engine';
import { transferRuns, verificationRuns } from './engine/runs';
import { installTemporalRuntime } from './telemetry/temporal-logging';
import type { TemporalLoggingOptions } from './telemetry/temporal-logging';
import { countFailures } from './worker/count-failures';
import { growHeapsSlowly } from './worker/heap-growth';
import type { Hinting } from './worker/hinting';
import { startHinting } from './worker/hinting';
import { serveHealth } from './program/http';
import { watchBrake } from './worker/watch-brake';
import { watchStatistics } from './worker/watch-statistics';
import { workerLimits, versioning } from './worker/options';
import { watchServers } from './worker/outages';

/** Every part: the worker needs all of them. */
export const WORKER_NEEDS = [
  'logging',
  'tracing',
  'temporal',
  'journal',
  'bank',
  'orderLimits',
  'orderSigners',
  'transferSettings',
  'decisionSigners',
  'verifications',
  'webhooks',
  'notifications',
  'worker',
  'recovery',
  'reconciliation',
] as const satisfies readonly Need[];

export interface RunWorkerOptions {
  /** When aborted, the worker takes no more tasks, finishes those it has, and `runWorker` returns. */
  readonly signal: AbortSignal;
  /** File of the workflows' bundle; default: the one from the build. Without one, the sources are bundled at start. */
  readonly workflowBundlePath?: string;
  /** URL of the engine's Prometheus exporter, see `installWorkerRuntime`. */
  readonly metricsUrl?: string | null;
  /** Called when the worker takes tasks; `httpAddress`: the address for health checks. */
  readonly onReady?: (ready: { readonly httpAddress: string | null }) => void;
}

/**
 * Runs workflows and activities until `signal` is aborted, then drains.
 *
 * @throws ServerUnreachableError Temporal cannot be reached
 * @throws what Temporal's worker throws, e.g. `GracefulShutdownPeriodExpiredError` when a step would not end
 */
export async function runWorker(
  context: Context<(typeof WORKER_NEEDS)[number]>,
  { signal, workflowBundlePath, metricsUrl = null, onReady }: RunWorkerOptions,
): Promise<void> {
  const {
    logger,
    metrics,
    temporal,
    journal,
    bank,
    orderLimits,
    orderSigners,
    decisionSigners,
    transferSettings: settings,
  } = context;
  const dataConverter =
    temporal.dataConverter && workerDataConverter(temporal.dataConverter, tellUnreadable(context));
  if (dataConverter === undefined) {
    logger.warn(
      'CODEC_KEYS_FILE is not set: orders are in clear in Temporal and in the journal; without ORDER_SIGNERS_FILE, a forged row of the journal is paid if it keeps the limits on orders',
    );
  }
  if (lacksDeciders(settings)) {
    logger.warn('neither DECIDERS nor DECIDERS_FILE is set: nobody can decide what takes two operators');
  }
  const runs = transferRuns(temporal.client, temporal.config.taskQueue);
  const connection = await connectNatively(temporal);
  const servers = watchServers(context);
  const brake = watchBrake(watchedJournal(journal, servers.journal), logger);
  try {
    const failures = countFailures(metrics.activities);
    const worker = await Worker.create({
      connection,
      namespace: temporal.config.namespace,
      taskQueue: temporal.config.taskQueue,
      ...(dataConverter === undefined ? {} : { dataConverter }),
      ...workflowCode(workflowBundlePath, dataConverter !== undefined, [
        failures.interceptor,
        ...context.tracing.activityInterceptors,
      ]),
      activities: failures.showAll({
        ...transferActivities({
          ...{ bank, limiter: context.limiter, orderLimits, orderSigners, settings },
          decisionSigners: decisionSigners && {
            namespace: temporal.config.namespace,
            current: decisionSigners.current,
          },
          journal: watchedJournal(journal, servers.journal),
          observer: watchTransfers(logger, metrics.transfers),
        }),
        ...verificationActivities({
          ...{ bank, limiter: context.limiter, ...context.verifications },
          journal: watchedJournal(journal, servers.journal),
          observer: watchVerifications(logger, metrics.verifications),
        }),
        ...webhookCheckActivities({
          ...{ bank, expected: context.webhooks.expected },
          journal: watchedJournal(journal, servers.journal),
          onCheck: tellWebhookCheck(logger, metrics.webhooks),
        }),
        ...reconciliationActivities({
          ...{ bank, limiter: context.limiter, settings, keepMs: context.reconciliation.keepMs },
          journal: watchedJournal(journal, servers.journal),
          engine: reconciliationEngine(temporal.client, temporal.config.taskQueue, runs),
          onEnd: logReconciliation(logger),
          onRecorded: headKeeper(context),
          onKept: logNotForgotten(logger),
        }),
        ...recoveryActivities({
          ...{ journal, runs },
          verificationRuns: verificationRuns(temporal.client, temporal.config.taskQueue),
          startsMax: context.recovery.startsMax,
          onRecovery: logRecovery(logger),
        }),
      }),
      ...workerLimits(settings),
      ...versioning(context.worker.version),
    });
    const running = worker.run();
    const drain = (): void => {
      logger.info('draining');
      // The worker may have ended by itself, with an error in `running`.
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    const { httpAddress } = context.worker;
    const showStatistics = watchStatistics(journal, metrics.journal);
    const problems = () => [
      ...(signal.aborted || worker.getState() !== 'RUNNING' ? ['takes no tasks'] : []),
      ...servers.problems(),
    ];
    try {
      const http =
        httpAddress === null
          ? null
          : await serveHealth({
              ...{ ...httpAddress, problems, servers: servers.lines, metricsUrl },
              metrics: metrics.registry,
              beforeScrape: () => {
                servers.show(metrics.servers);
                return showStatistics();
              },
            });
      let hinting: Hinting | null = null;
      try {
        const { taskQueue, namespace, address } = temporal.config;
        logReady(logger, {
          ...{ taskQueue, namespace, temporal: address, http: http?.address ?? null },
          ...(context.worker.version ?? {}),
        });
        hinting = startHinting(context, servers);
        onReady?.({ httpAddress: http?.address ?? null });
        signal.addEventListener('abort', drain, { once: true });
        if (signal.aborted) drain();
        await running;
        logger.info('drained');
      } finally {
        await hinting?.stop();
        await http?.close();
      }
    } catch (error) {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', drain);
    }
  } finally {
    await brake.close();
    await servers.close();
    await connection.close();
  }
}

/** The worker's separate connection. Temporal may have gone away since the first one was made. */
async function connectNatively({ connectionOptions, config }: Engine): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connectionOptions);
  } catch (error) {
    // The SDK's class `TransportError` is meant for the SDK alone.
    if (!(error instanceof Error && error.name === 'TransportError')) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new ServerUnreachableError(
      `Temporal at ${config.address} cannot be reached (${reason.slice(0, 200)})`,
    );
  }
}

/** Reports everything that is missing at once. */
async function checkSetup({ journal, temporal }: Context<'journal' | 'temporal'>): Promise<void> {
  const problems: string[] = [];
  const schema = await journal.checkSchema();
  if (!schema.ready) problems.push(schema.problem);
  const { missing, wrong } = await checkSearchAttributes(temporal.connection, temporal.config.namespace);
  if (missing.length > 0) {
    problems.push(`namespace ${temporal.config.namespace} lacks the search attributes ${missing.join(', ')}`);
  }
  problems.push(...wrong.map((sentence) => `search attribute ${sentence}`));
  if (problems.length > 0) throw new SetupMissing(problems);
}

/** Whoever steals the login gets all its powers, not only those of its role. */
async function warnOfLogin({ journal, logger }: Context<'journal'>): Promise<void> {
  const excess = await journal.loginExcess();
  if (excess !== null) {
    logger.warn(`the login of DATABASE_URL ${excess}: the worker needs to be a member of giro_runtime alone`);
  }
}

/**
 * Logs and counts each payload of a workflow task that does not open. If the run needs it, Temporal retries the task.
 */
const tellUnreadable =
  ({ logger, metrics }: Context<never>) =>
  ({ workflowId, reason, message }: UnreadablePayload): void => {
    metrics.codec.unreadable.inc({ reason });
    logger.warn({ workflowId, reason }, `an unreadable payload: ${message}`);
  };

function workflowCode(
  path: string | undefined,
  encrypted: boolean,
  activity: ActivityInterceptorsFactory[],
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions' | 'interceptors'> {
  // Compiled, this file is dist/src/worker.js, and the bundle is in dist.
  const built = encrypted ? 'workflow-bundle-encrypted.js' : 'workflow-bundle.js';
  const codePath = path ?? join(__dirname, '..', built);
  if (path !== undefined || existsSync(codePath)) {
    return { workflowBundle: { codePath }, interceptors: { activity } };
  }
  const workflowsPath = join(__dirname, 'workflows');
  // Like in the build's bundle, these modules are evaluated once, not for each cached workflow.
  return {
    workflowsPath,
    bundlerOptions: {
      preloadModules: [workflowsPath],
    },
    interceptors: {
      activity,
      workflowModules: [join(workflowsPath, 'interceptors')],
    },
  };
}

/**
 * Installs Temporal's runtime for this process, logging through `logger`. Call this once, before creating the worker.
 * With `metrics`, the runtime's Prometheus exporter listens on loopback at a free port, and the function returns its
 * URL.
 */
export async function installWorkerRuntime(
  logger: Context<never>['logger'],
  { metrics, ...logging }: { readonly metrics: boolean } & TemporalLoggingOptions,
): Promise<string | null> {
  // The launcher handles signals; otherwise the SDK would stop the workers too.
  const options: RuntimeOptions = { shutdownSignals: [] };
  if (!metrics) {
    installTemporalRuntime(logger, options, logging);
    return null;
  }
  const bindAddress = `127.0.0.1:${await freePort()}`;
  // Seconds, as Prometheus counts time: the SDK's own default is milliseconds.
  const prometheus = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  const telemetryOptions = { metrics: { prometheus: { bindAddress, ...prometheus } } };
  installTemporalRuntime(logger, { ...options, telemetryOptions }, logging);
  return `http://${bindAddress}/metrics`;
}

/** The exporter does not report which port it got, so a free port is chosen first. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * A younger worker does not end because of a lost task; otherwise frequent queries would end it again and again. A copy
 * of a run that differs from its history does harm only when the run returns to this worker.
 */
const LOST_TASK_AGE_MS = 3_600_000;

/** Time between the forced shutdown and `process.exit`. */
const LAST_RESORT_MS = 5_000;

/** The program `giro worker`, also `node dist/src/worker.js`: exit codes as in `program/exit-codes.ts`. */
export function workerProgram(io: CommandIo): Promise<ExitCode> {
  return runService(io, WORKER_NEEDS, async (context) => {
    const { logger } = context;
    const stop = stopSignal(io);
    const stuck = new AbortController();
    try {
      await checkSetup(context);
      await warnOfLogin(context);
      growHeapsSlowly();
      const end = (why: string): void => {
        if (stuck.signal.aborted) return;
        logger.error(why);
        stuck.abort(new Error(why));
        const forcedAfterMs = workerLimits(context.transferSettings).shutdownForceTime + LAST_RESORT_MS;
        // A stuck run never drains, and the core may keep the process alive.
        // eslint-disable-next-line no-restricted-properties
        setTimeout(() => process.exit(EXIT.unexpected), forcedAfterMs).unref();
      };
      const metricsUrl = await installWorkerRuntime(logger, {
        metrics: context.worker.httpAddress !== null,
        onStuckRun: () => end('this worker can no longer continue a run, and ends so that another one does'),
        onLostTask: () => {
          if (performance.now() < LOST_TASK_AGE_MS) logger.warn('a query during a step cost a run its task');
          else
            end(
              'a query during a step cost a run its task; this worker ends, because its copy of the run may differ from the history',
            );
        },
      });
      collectDefaultMetrics({ register: context.metrics.registry });
      await runWorker(context, { signal: AbortSignal.any([stop.signal, stuck.signal]), metricsUrl });
      stuck.signal.throwIfAborted();
    } finally {
      stop.release();
    }
  });
}

/** Gives each head to `RECONCILE_HEAD_COMMAND`, if set. */
function headKeeper({
  logger,
  metrics,
  reconciliation: { headCommand },
}: Context<'reconciliation'>): (report: ReportHead) => Promise<void> {
  return async (report) => {
    if (headCommand === null) return;
    const isKept = await handOverHead(headCommand, report, logger);
    metrics.chain.heads.inc({ outcome: isKept ? 'kept' : 'failed' });
  };
}

if (require.main === module) {
  runAsProcess(() => workerProgram(processIo()));
}
