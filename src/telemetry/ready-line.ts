import type { Logger } from './logger';

/**
 * Says that a long-running command serves: `"msg":"ready"`. Whatever `LOG_LEVEL` is, because programs that start it
 * wait for this line.
 */
export function logReady(logger: Logger, fields: Readonly<Record<string, unknown>>): void {
  logger.child({}, { level: 'info' }).info(fields, 'ready');
}
