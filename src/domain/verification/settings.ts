/**
 * Cadence of verifications as recorded data: every answer that enters a workflow carries it, so a changed setting
 * takes effect with the next recorded answer and cannot break a replay. All durations in ms.
 */
export interface VerificationSettings {
  /** `POLL_KYC`: gap after news, and the least gap whatever wakes the run. */
  readonly pollMs: number;
  /** `POLL_KYC_MAX`: the gap doubles up to this while nothing changes. */
  readonly pollMaxMs: number;
  /** `ATTENTION_AFTER_KYC`: flagged when the status is older than this. */
  readonly attentionAfterMs: number;
}

export const DEFAULT_VERIFICATION_SETTINGS: VerificationSettings = {
  pollMs: 60_000,
  pollMaxMs: 900_000,
  attentionAfterMs: 604_800_000,
};
