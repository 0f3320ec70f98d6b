import type { BankLimiter } from '../bank/limiter/limiter';
import type { AllowedSigner } from '../decisions/allowed-signers';
import type { BankClient } from '../bank/movements/port';
import type { OrderLimits } from '../domain/order';
import type { OrderSigner } from '../order-proofs/order-signers';
import type { TransferSettings } from '../domain/transfer/settings';
import type { TransferObserver } from './transfer-observer';
import type { Journal } from '../journal/journal';

/** The dependencies of the transfer activities. */
export interface TransferActivityContext {
  readonly bank: BankClient;
  readonly journal: Pick<
    Journal,
    | 'openTransfer'
    | 'claimRequest'
    | 'recordedAnswer'
    | 'vouchForCreate'
    | 'keepsDiffering'
    | 'recordAnswer'
    | 'endBasis'
    | 'recordResult'
    | 'recordAnnulment'
    | 'recordDecision'
    | 'decisionBasis'
    | 'keptDecisions'
    | 'recordFlags'
  >;
  readonly orderLimits: OrderLimits;
  /** Who may give orders, by the current file; null: orders need no proof. */
  readonly orderSigners: () => readonly OrderSigner[] | null;
  /** Sent into the workflow with each answer, unless the workflow has them already. */
  readonly settings: TransferSettings;
  /** Admits each request to the bank. */
  readonly limiter: Pick<BankLimiter, 'admit'>;
  readonly observer?: TransferObserver;
  /** Who may sign decisions; null: decisions are not signed. */
  readonly decisionSigners?: DecisionSigners | null;
}

/** The operators' keys, and the namespace that signatures are bound to. */
export interface DecisionSigners {
  /** Temporal's namespace, from the worker's configuration. */
  readonly namespace: string;
  /** By the current file. */
  readonly current: () => readonly AllowedSigner[];
}
