import { LogTimestamp, Runtime } from '@temporalio/worker';
import type { LogLevel, LogMetadata, Logger as EngineLogger, RuntimeOptions } from '@temporalio/worker';
import type { Logger } from './logger';
import { isError } from './sanitize';

const PINO_LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

export interface TemporalLoggingOptions {
  /** This process may have a run that it can no longer continue, see `STUCK_RUN`. */
  readonly onStuckRun?: () => void;
  /** This process may have a run that differs from its history, see `LOST_TASK`. */
  readonly onLostTask?: () => void;
}

/**
 * Adapts our logger to Temporal's interface: lines keep their metadata (workflowId, runId, sdkComponent and others).
 */
export function temporalLogger(
  logger: Logger,
  { onStuckRun = () => undefined, onLostTask = () => undefined }: TemporalLoggingOptions = {},
): EngineLogger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
    if (message === STUCK_RUN) onStuckRun();
    if (message === LOST_TASK) onLostTask();
    const pinoLevel = PINO_LEVELS[isLoggedAlready(message, meta) ? 'DEBUG' : level];
    // Checked first, so that the metadata of an unwritten line is not copied.
    if (!logger.isLevelEnabled(pinoLevel)) return;
    logger[pinoLevel]({ ...meta, ...loggedAt(meta) }, message);
  };
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

/**
 * A step that could not reach the journal. Each transfer retries it again and again, but the outage is logged once
 * (`outage-watch.ts`).
 */
function isLoggedAlready(message: string, meta: LogMetadata): boolean {
  const error: unknown = meta['error'];
  return message === 'Activity failed' && isError(error) && error.name === 'JournalUnavailable';
}

/**
 * The message of the SDK's core (version 1.24) when it could not apply a task to a cached run. If the task was a query,
 * the run is stuck in this process (docs/reliability.md). If it was a workflow task, the core drops the run and
 * recovers by itself; the line does not show which of the two it was.
 */
export const STUCK_RUN = 'Error while updating workflow';

/**
 * The message of the SDK's core (version 1.24) when a query reaches a run whose workflow task waits for a local
 * activity. The core loses the task, but keeps the run with the activity's result, while another worker repeats the
 * activity. Later this process may continue the run from its own result, which the history does not have.
 */
export const LOST_TASK = 'Trying to send a new WFT for a run which already has one!';

/** Forwarded lines are held back for 100 ms to sort them; they keep the time at which they were logged. */
function loggedAt(meta: LogMetadata): { loggedAt?: string } {
  const nanos: unknown = meta[LogTimestamp];
  return typeof nanos === 'bigint' ? { loggedAt: new Date(Number(nanos / 1_000_000n)).toISOString() } : {};
}

/**
 * Runtime options with which the SDK and its native core log through `logger` and write nothing to stderr themselves.
 * The core is filtered at the source, third-party native packages one level more strictly.
 */
export function temporalRuntimeOptions(
  logger: Logger,
  options: RuntimeOptions = {},
  logging: TemporalLoggingOptions = {},
): RuntimeOptions {
  const level = coreLevel(logger);
  const other = level === 'ERROR' ? 'ERROR' : 'WARN';
  // The warning of a stuck run must arrive at every level; `logger` filters by its own level.
  const core = level === 'ERROR' ? 'WARN' : level;
  return {
    ...options,
    logger: temporalLogger(logger, logging),
    telemetryOptions: { ...options.telemetryOptions, logging: { filter: { core, other }, forward: {} } },
  };
}

/** Call this once, before using anything else of the SDK: a process has only one runtime. */
export function installTemporalRuntime(
  logger: Logger,
  options: RuntimeOptions = {},
  logging: TemporalLoggingOptions = {},
): Runtime {
  return Runtime.install(temporalRuntimeOptions(logger, options, logging));
}

function coreLevel(logger: Logger): LogLevel {
  const words = Object.keys(PINO_LEVELS) as LogLevel[];
  return words.find((word) => logger.isLevelEnabled(PINO_LEVELS[word])) ?? 'ERROR';
}
