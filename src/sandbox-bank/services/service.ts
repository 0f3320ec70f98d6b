import type { Outcome } from '../answers/answer';

/** One service of the bank. A new one is a file beside this and a line in `BANK_SERVICES` (server/bank-services.ts). */
export interface BankService {
  /** Name in the request log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Whether requests to it are signed (bank-api: level "very high"). */
  readonly signed: boolean;
  /** The originId that a request is about, as far as it can be told before the request is checked. */
  originIdOf(body: unknown): string | null;
  /** Runs after authorization, on a body that is JSON. */
  answer(body: unknown): Outcome;
}
