import type { BankGate } from '../bank/gate/gate';
import type { VerificationBank } from '../bank/verification-port';
import type { RequestError } from '../domain/transfer/answers';
import type { VerificationSettings } from '../domain/verification/settings';
import type { StatusMap } from '../domain/verification/status-map';
import type { VerificationJournal } from '../journal/verification-port';

/** Codes and the request's id only: nothing that the bank wrote. */
export interface VerificationFailure extends Pick<RequestError, 'code' | 'httpStatus'> {
  readonly request: 'get-verification';
  readonly requestId: string;
}

/** What the verification activities are closed over. */
export interface VerificationActivityContext {
  readonly bank: VerificationBank;
  readonly gate: Pick<BankGate, 'beside'>;
  readonly journal: VerificationJournal;
  /** Sent into the workflow with every answer. */
  readonly settings: VerificationSettings;
  readonly statusMap: StatusMap;
  /** `KYC_STORE=encrypted`: full answers go into the journal. */
  readonly keepsAnswers: boolean;
  /** Told of each request that brought no readable answer, for the log. */
  readonly onRequestFailed?: (failure: VerificationFailure) => void;
}
