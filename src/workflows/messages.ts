import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { TransferView } from '../domain/transfer/view';

/** A notification says that something happened: "ask as soon as the last bank status allows". It decides nothing. */
export interface MovementHint {
  /** Who hints, e.g. `webhook`. */
  readonly source: string;
  /** The notification's own id. */
  readonly eventId: string;
}

export const stateQuery = defineQuery<TransferView>('state');
export const movementHint = defineSignal<[MovementHint]>('movementHint');
