import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DecisionAnswer, DecisionRequest } from '../domain/transfer/decisions/decision';
import type { TransferView } from '../domain/transfer/view';
import type { VerificationView } from '../domain/verification/view';

/**
 * A notification says that something happened: "ask as soon as the last bank status allows". A hint decides nothing.
 */
export interface MovementHint {
  /** Who hints, e.g. `webhook`. */
  readonly source: string;
  /** The notification's own id. */
  readonly eventId: string;
}

export const stateQuery = defineQuery<TransferView>('state');
export const movementHint = defineSignal<[MovementHint]>('movementHint');

/**
 * An operator's decision about a flagged transfer (contract 4.6). The validator refuses a decision that is not allowed.
 */
export const decideUpdate = defineUpdate<DecisionAnswer, [DecisionRequest]>('decide');

/** A notification says that something happened: "ask as soon as the cadence allows". A hint decides nothing. */
export interface VerificationHint {
  /** Who hints, e.g. `webhook`. */
  readonly source: string;
  /** The notification's own id. */
  readonly eventId: string;
}

export const verificationStateQuery = defineQuery<VerificationView>('state');
export const verificationHint = defineSignal<[VerificationHint]>('verificationHint');
