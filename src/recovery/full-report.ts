import type { RecoveryReport } from './recover';
import type { VerificationRecoveryReport } from './recover-verifications';

/** What a whole recovery found: the transfers' fields, and the verifications beside. */
export interface FullRecoveryReport extends RecoveryReport {
  readonly verifications: VerificationRecoveryReport;
}
