/**
 * Cadences and limits as recorded data (contract section 2). If they have changed, the next answer brings them
 * into the workflow. So a changed setting takes effect with that answer, and cannot break a replay. All durations in
 * ms.
 */
export interface TransferSettings {
  /** `POLL_ACTIVE`: gap while the status is CREATED, IN_PROGRESS, unknown or still absent. */
  readonly pollActiveMs: number;
  /** `POLL_DELAYED`: gap while DELAYED, and while held. */
  readonly pollDelayedMs: number;
  /** `RESEND_WINDOW`: a create is repeated only within this time after the first. */
  readonly resendWindowMs: number;
  readonly attentionAfterActiveMs: number;
  readonly attentionAfterDelayedMs: number;
  /** Longest that one create call may take (`BANK_TIMEOUT_CREATE`). */
  readonly createTimeoutMs: number;
  /** Longest that one get-movement call may take (`BANK_TIMEOUT`). */
  readonly lookupTimeoutMs: number;
  /** Operators that `decide` accepts; null: any name. */
  readonly deciders: readonly string[] | null;
  /** False in a sandbox, where any two names decide without `deciders`. */
  readonly needsDeciders: boolean;
  /**
   * Decisions are signed, by operators whose keys the workers have (`DECIDERS_FILE`). Absent: decisions are not signed.
   */
  readonly signsDecisions?: true;
}

export const DEFAULT_TRANSFER_SETTINGS: TransferSettings = {
  pollActiveMs: 5_000,
  pollDelayedMs: 630_000,
  resendWindowMs: 3_600_000,
  attentionAfterActiveMs: 900_000,
  attentionAfterDelayedMs: 86_400_000,
  createTimeoutMs: 30_000,
  lookupTimeoutMs: 5_000,
  deciders: null,
  needsDeciders: true,
};

/** Whether actions that take two operators are refused: without a list, one person could invent both names. */
export const lacksDeciders = ({
  deciders,
  needsDeciders,
  signsDecisions,
}: Pick<TransferSettings, 'deciders' | 'needsDeciders' | 'signsDecisions'>): boolean =>
  deciders === null && needsDeciders && signsDecisions !== true;
