import type { BankLimiter } from '../bank/limiter/limiter';
import type { BankClient } from '../bank/movements/port';
import type { OrderLimits } from '../domain/order';
import type { TransferSettings } from '../domain/transfer/settings';
import type { TransferJournal } from '../journal/port';
import type { TransferObserver } from './transfer-observer';

/** What the transfer activities are closed over. */
export interface TransferActivityContext {
  readonly bank: BankClient;
  readonly journal: TransferJournal;
  readonly orderLimits: OrderLimits;
  /** Sent into the workflow with every answer. */
  readonly settings: TransferSettings;
  /** Asked before each request to the bank. */
  readonly limiter: Pick<BankLimiter, 'admit'>;
  readonly observer?: TransferObserver;
}
