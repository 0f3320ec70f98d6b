import { accept, hostAndPort, noted, oneOf, printable, refuse, wholeNumber } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** pino's level names, most severe first. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggingConfig {
  readonly level: LogLevel;
}

export interface WorkerConfig {
  /** Where health and metrics are served; null: nowhere. */
  readonly httpAddress: { readonly host: string; readonly port: number } | null;
  /** Worker versioning; null: off. */
  readonly version: WorkerVersion | null;
}

export interface WorkerVersion {
  readonly deploymentName: string;
  /** Names the workflow code: workers with the same build id run the same code. */
  readonly buildId: string;
}

export interface RecoveryConfig {
  /** How many lost runs of each kind one recovery starts again at most. */
  readonly startsMax: number;
}

/**
 * The ids of the restarted runs are the result of workflow `recovery`: 5,000 originIds take less than 100 KB, 5,000
 * requestIds less than 700 KB, and Temporal allows 2 MB.
 */
const STARTS_MAX_LIMIT = 5_000;
const NAME_MAX_LENGTH = 200;

const taskQueueName: Parser<string> = (text) =>
  text.startsWith('/_sys/')
    ? refuse('begins with /_sys/, which the engine keeps for itself')
    : printable(NAME_MAX_LENGTH).parse(text);

const httpAddress: Parser<WorkerConfig['httpAddress']> = (text) =>
  text === 'off' ? accept(null) : hostAndPort.parse(text);

/** The engine joins deployment name and build id with a dot, so a deployment's name must not contain one. */
const nameOf =
  (form: RegExp): Parser<string> =>
  (text) =>
    form.test(text) ? accept(text) : refuse('has characters that a name here may not have, or too many');

export const PROCESS = variables('Process', {
  LOG_LEVEL: {
    ...oneOf(LOG_LEVELS),
    default: 'info',
    meaning: 'least severe level that is logged; the line `ready` is always logged',
  },
  GIRO_TASK_QUEUE: {
    parse: taskQueueName,
    allowed: printable(NAME_MAX_LENGTH).allowed,
    default: 'giro',
    meaning: 'task queue of workflows and activities',
  },
  GIRO_HTTP_ADDRESS: {
    parse: httpAddress,
    allowed: noted(hostAndPort, ', or off').allowed,
    default: 'off',
    meaning: 'where worker and receiver serve /healthz, /readyz and /metrics, e.g. 127.0.0.1:9464',
  },
  RECOVERY_MAX_STARTS: {
    ...wholeNumber(1, STARTS_MAX_LIMIT),
    default: '600',
    meaning:
      'the largest number of lost runs of each kind (transfers, verifications) that one recovery starts again; the schedule recovers every minute',
  },
  GIRO_DEPLOYMENT_NAME: {
    parse: nameOf(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/),
    allowed: 'letters, digits, - and _, at most 100, beginning with a letter or digit; with GIRO_BUILD_ID',
    meaning:
      'worker versioning: the deployment that this worker belongs to; without it workers are not versioned',
  },
  GIRO_BUILD_ID: {
    parse: nameOf(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/),
    allowed:
      'letters, digits, ., -, + and _, at most 100, beginning with a letter or digit; with GIRO_DEPLOYMENT_NAME',
    meaning: 'worker versioning: names the code that this worker runs, e.g. the commit',
  },
});

export const readLogging = (reader: SettingsReader): LoggingConfig => ({
  level: reader.read(PROCESS.LOG_LEVEL),
});

export const readWorker = (reader: SettingsReader): WorkerConfig => ({
  httpAddress: reader.read(PROCESS.GIRO_HTTP_ADDRESS),
  version: readVersion(reader),
});

export const readRecovery = (reader: SettingsReader): RecoveryConfig => ({
  startsMax: reader.read(PROCESS.RECOVERY_MAX_STARTS),
});

function readVersion(reader: SettingsReader): WorkerVersion | null {
  const { GIRO_DEPLOYMENT_NAME, GIRO_BUILD_ID } = PROCESS;
  const deploymentName = reader.read(GIRO_DEPLOYMENT_NAME);
  const buildId = reader.read(GIRO_BUILD_ID);
  // With only one of the two set, people would wrongly believe that the worker is versioned.
  if (!reader.isSet(GIRO_BUILD_ID)) reader.refuseIfSet([GIRO_DEPLOYMENT_NAME], 'set without GIRO_BUILD_ID');
  if (!reader.isSet(GIRO_DEPLOYMENT_NAME))
    reader.refuseIfSet([GIRO_BUILD_ID], 'set without GIRO_DEPLOYMENT_NAME');
  return deploymentName === null || buildId === null ? null : { deploymentName, buildId };
}
