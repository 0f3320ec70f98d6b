import { accept, hostAndPort, oneOf, refuse } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';

/** pino's words, most severe first. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
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
  /** Names the workflow code: workers of one build id run the same. */
  readonly buildId: string;
}

export function readLogging(reader: SettingsReader): LoggingConfig {
  return { level: reader.withDefault('LOG_LEVEL', oneOf(LOG_LEVELS)) };
}

export function readWorker(reader: SettingsReader): WorkerConfig {
  return {
    httpAddress: reader.withDefault('GIRO_HTTP_ADDRESS', httpAddress),
    version: readVersion(reader),
  };
}

function readVersion(reader: SettingsReader): WorkerVersion | null {
  const deploymentName = reader.optional('GIRO_DEPLOYMENT_NAME', nameOf(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/));
  const buildId = reader.optional('GIRO_BUILD_ID', nameOf(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/));
  // One alone would be a worker that is believed to be versioned and is not.
  if (reader.isSet('GIRO_DEPLOYMENT_NAME') && !reader.isSet('GIRO_BUILD_ID')) {
    reader.problem('GIRO_DEPLOYMENT_NAME', 'set without GIRO_BUILD_ID');
  }
  if (reader.isSet('GIRO_BUILD_ID') && !reader.isSet('GIRO_DEPLOYMENT_NAME')) {
    reader.problem('GIRO_BUILD_ID', 'set without GIRO_DEPLOYMENT_NAME');
  }
  return deploymentName === null || buildId === null ? null : { deploymentName, buildId };
}

/** The engine joins both with a dot, so a deployment's name has none. */
const nameOf =
  (form: RegExp): Parser<string> =>
  (text) =>
    form.test(text) ? accept(text) : refuse('has characters that a name here may not have, or too many');

const httpAddress: Parser<WorkerConfig['httpAddress']> = (text) =>
  text === 'off' ? accept(null) : hostAndPort(text);
