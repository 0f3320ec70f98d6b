import { accept, hostAndPort, oneOf } from './parsers';
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
}

export function readLogging(reader: SettingsReader): LoggingConfig {
  return { level: reader.withDefault('LOG_LEVEL', oneOf(LOG_LEVELS)) };
}

export function readWorker(reader: SettingsReader): WorkerConfig {
  return { httpAddress: reader.withDefault('GIRO_HTTP_ADDRESS', httpAddress) };
}

const httpAddress: Parser<WorkerConfig['httpAddress']> = (text) =>
  text === 'off' ? accept(null) : hostAndPort(text);
