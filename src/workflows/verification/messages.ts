import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { VerificationView } from '../../domain/verification/view';

/** A notification says that something happened: "ask as soon as the cadence allows". It decides nothing. */
export interface VerificationHint {
  /** Who hints, e.g. `webhook`. */
  readonly source: string;
  /** The notification's own id. */
  readonly eventId: string;
}

export const verificationStateQuery = defineQuery<VerificationView>('state');
export const verificationHint = defineSignal<[VerificationHint]>('verificationHint');
