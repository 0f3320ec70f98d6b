import type { VerificationAnswer } from './answers';
import type { VerificationReason } from './flags';
import type { VerificationPast } from './past';
import type { VerificationResult } from './result';
import type { VerificationSettings } from './settings';

/** What happens to a verification. `atMs`: by the run's clock. */
export type VerificationEvent = { readonly atMs: number } & (
  | { readonly kind: 'received'; readonly settings: VerificationSettings; readonly past: VerificationPast }
  | { readonly kind: 'already-ended'; readonly result: VerificationResult }
  | {
      readonly kind: 'asked';
      readonly startedAtMs: number;
      readonly answer: VerificationAnswer;
      /** Null: the step was lost with its settings; the known ones stay. */
      readonly settings: VerificationSettings | null;
    }
  /** The limit on calls a second makes the question wait: none was asked. */
  | { readonly kind: 'deferred'; readonly afterMs: number }
  | { readonly kind: 'flags-recorded'; readonly reasons: readonly VerificationReason[] }
  | { readonly kind: 'hinted' }
);
