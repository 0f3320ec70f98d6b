import type { BankClient } from '../bank/port';
import type { OrderLimits } from '../domain/order';
import type { RequestErrorCode } from '../domain/transfer/answers';
import type { TransferSettings } from '../domain/transfer/settings';
import type { TransferJournal } from '../journal/port';

/** Codes and ids only: nothing that the bank wrote. */
export interface RequestFailure {
  readonly request: 'create' | 'get-movement';
  readonly originId: number;
  readonly number: number;
  readonly outcome: 'not-sent' | 'unknown' | 'no-answer';
  readonly code: RequestErrorCode;
  readonly httpStatus: number | null;
}

/** What the transfer activities are closed over. */
export interface TransferActivityContext {
  readonly bank: BankClient;
  readonly journal: TransferJournal;
  readonly orderLimits: OrderLimits;
  /** Sent into the workflow with every answer. */
  readonly settings: TransferSettings;
  /** Told of each request that brought no readable answer, for the log. */
  readonly onRequestFailed?: (failure: RequestFailure) => void;
}
