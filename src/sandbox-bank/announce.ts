import type { Logger } from 'pino';
import type { SandboxBank } from './server/start';

/** Tells where the bank serves, once it does, whatever the log's level. `settings`: what a client of it has to be given. */
export function announceSandboxBank(
  bank: SandboxBank,
  logger: Logger,
  settings: Readonly<Record<string, string>>,
): void {
  const fields = { baseUrl: bank.baseUrl, rules: `${bank.baseUrl}/sandbox/rules`, settings };
  logger.child({}, { level: 'info' }).info(fields, 'ready');
}
