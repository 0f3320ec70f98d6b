import type { BankLimiter } from '../bank/limiter/limiter';
import type { VerificationBank } from '../bank/verifications/verification-port';
import type { VerificationSettings } from '../domain/verification/state';
import type { StatusMap } from '../domain/verification/status-map';
import type { VerificationObserver } from './verification-observer';
import type { Journal } from '../journal/journal';

/** The dependencies of the verification activities. */
export interface VerificationActivityContext {
  readonly bank: VerificationBank;
  readonly limiter: Pick<BankLimiter, 'admit'>;
  readonly journal: Pick<
    Journal,
    'openVerification' | 'recordStatus' | 'recordVerificationFlags' | 'stopVerification'
  >;
  /** Sent into the workflow with every answer. */
  readonly settings: VerificationSettings;
  readonly statusMap: StatusMap;
  /** `KYC_STORE=encrypted`: full answers go into the journal. */
  readonly keepsAnswers: boolean;
  readonly observer?: VerificationObserver;
}
