import type { Logger } from 'pino';
import type { SandboxBank } from './server/start';

/** Tells where the bank serves, once it does. */
export function announceSandboxBank(bank: SandboxBank, logger: Logger): void {
  logger.info({ baseUrl: bank.baseUrl, rules: `${bank.baseUrl}/sandbox/rules` }, 'ready');
}
