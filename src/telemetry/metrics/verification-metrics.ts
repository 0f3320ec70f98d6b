import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

export interface VerificationMetrics {
  readonly questions: Counter<'outcome'>;
  readonly errors: Counter<'code'>;
  readonly ended: Counter<'outcome'>;
}

/** The questions about identity verifications and how these end. */
export function verificationMetrics(registry: Registry): VerificationMetrics {
  const registers = [registry];
  return {
    questions: new Counter({
      name: 'giro_verification_questions_total',
      help: 'Verification queries, by their end: status, outcome, mismatch, not-found, no-answer',
      labelNames: ['outcome'],
      registers,
    }),
    errors: new Counter({
      name: 'giro_verification_errors_total',
      help: 'Verification queries without a readable answer, by error code',
      labelNames: ['code'],
      registers,
    }),
    ended: new Counter({
      name: 'giro_verifications_ended_total',
      help: 'Verifications that ended, by outcome (approved, rejected); a step repeated after a crash counts again',
      labelNames: ['outcome'],
      registers,
    }),
  };
}
