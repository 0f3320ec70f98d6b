import type { RequestError } from '../../domain/transfer/answers';
import type { IdentityVerification } from '../../domain/verification/identity-verification';
import type { RequestContext } from '../movements/port';

/** The bank's verification query. Everything that the bank or the network does is a return value. */
export interface VerificationBank {
  getVerification(requestId: string, context: RequestContext): Promise<VerificationReply>;
}

export type VerificationReply =
  | {
      readonly kind: 'verification';
      /** Personal data, like `text`. */
      readonly verification: IdentityVerification;
      /** The answer's JSON, with numbers as the bank wrote them. */
      readonly text: string;
      /** SHA-256 of the answer's raw bytes, hex. */
      readonly evidenceSha256: string;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'not-found'; readonly retryAfterMs: number | null }
  | { readonly kind: 'no-answer'; readonly error: RequestError };
