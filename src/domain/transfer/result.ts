/** The ends of a transfer. All four complete the workflow run. */
export const TRANSFER_RESULT_STATUSES = ['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'] as const;
export type TransferResultStatus = (typeof TRANSFER_RESULT_STATUSES)[number];

/** The result of workflow `transfer` (contract section 3); fields without a value are null. */
export interface TransferResult {
  readonly originId: number;
  readonly status: TransferResultStatus;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  /** `value`: decimal string with two decimals. */
  readonly amount: { readonly currency: string; readonly value: string };
  readonly annulmentId: string | null;
  readonly decidedBy: 'bank' | 'operators' | null;
  readonly reason: string | null;
  readonly orderSha256: string;
}
