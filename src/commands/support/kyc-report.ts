import { VERIFICATION_REASONS } from '../../domain/verification/flags';
import type { VerificationResult } from '../../domain/verification/state';
import type { VerificationView } from '../../domain/verification/view';
import type { VerificationRecord } from '../../journal/statements/verification-records';

/** A verification as `kyc show` and `kyc list` print it: the live view, and what the journal holds. */
export interface VerificationReport extends VerificationView {
  /** ISO UTC. */
  readonly openedAt: string;
  /** False: stopped, or ended. */
  readonly tracked: boolean;
  readonly result: VerificationResult | null;
  readonly endedAt: string | null;
  /** When the latest full answer was kept; null: none is (`KYC_STORE`). */
  readonly answerKeptAt: string | null;
  /** True: a worker answered. False: the number of polls, their times and the last error are not known. */
  readonly live: boolean;
}

/** `view`: a worker's answer; null: none came. A stopped run's view is out of date, so the journal counts. */
export function verificationReport(
  record: VerificationRecord,
  view: VerificationView | null,
): VerificationReport {
  const { openedAt, result, endedAt, answerKeptAt } = record;
  return {
    ...(view ?? viewFromRecord(record)),
    ...{ openedAt, result, endedAt, answerKeptAt },
    tracked: record.isTracked && result === null,
    live: view !== null,
  };
}

function viewFromRecord(record: VerificationRecord): VerificationView {
  const reasons = VERIFICATION_REASONS.filter((reason) => record.attentionReasons.includes(reason));
  return {
    requestId: record.requestId,
    status: record.status,
    statusDate: record.statusDate,
    outcome: record.result?.outcome ?? null,
    needsAttention: reasons.length > 0,
    attentionReasons: reasons,
    polls: 0,
    lastPolledAt: null,
    nextPollAt: null,
    history: record.history,
    lastError: null,
  };
}

/** For people: the outcome, else whether the verification is tracked. */
export function standing(report: VerificationReport): string {
  if (report.outcome !== null) return report.outcome;
  return report.tracked ? 'tracked' : 'stopped';
}
