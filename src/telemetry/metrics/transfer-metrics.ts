import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface TransferMetrics {
  readonly creates: Counter<'outcome'>;
  readonly lookups: Counter<'outcome'>;
  readonly requestErrors: Counter<'request' | 'code'>;
  readonly requestSeconds: Histogram<'request'>;
  readonly pollLatenessSeconds: Histogram;
  readonly ended: Counter<'status'>;
  readonly annulments: Counter;
}

/** Buckets beyond the default of `BANK_TIMEOUT_CREATE`, which is 30 s. */
const REQUEST_BUCKETS_S = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** The promise is 1 s; higher buckets show the extent of an overload or an outage. */
const LATENESS_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800];

/** The requests about transfers, and the results. A repeated step that sends nothing is not counted. */
export function transferMetrics(registry: Registry): TransferMetrics {
  const registers = [registry];
  return {
    creates: new Counter({
      name: 'giro_creates_total',
      help: 'Creates tried, by their end: answered, not-sent (surely never left), refused, unknown',
      labelNames: ['outcome'],
      registers,
    }),
    lookups: new Counter({
      name: 'giro_lookups_total',
      help: "Get-movement requests of transfers' runs, not of reconciliations, by their end: movement, not-found, no-answer",
      labelNames: ['outcome'],
      registers,
    }),
    requestErrors: new Counter({
      name: 'giro_bank_request_errors_total',
      help: 'Requests without a readable answer, by request (create, get-movement) and error code',
      labelNames: ['request', 'code'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'giro_bank_request_seconds',
      help: 'From the start of a request to its answer or failure, by request (create, get-movement)',
      labelNames: ['request'],
      buckets: REQUEST_BUCKETS_S,
      registers,
    }),
    pollLatenessSeconds: new Histogram({
      name: 'giro_poll_lateness_seconds',
      help: 'How long after its due time a get-movement request began',
      buckets: LATENESS_BUCKETS_S,
      registers,
    }),
    ended: new Counter({
      name: 'giro_transfers_ended_total',
      help: 'Results recorded, by status; one that was recorded just before a crash may be missing',
      labelNames: ['status'],
      registers,
    }),
    annulments: new Counter({
      name: 'giro_annulments_total',
      help: 'Annulments recorded; one that was recorded just before a crash may be missing',
      registers,
    }),
  };
}

export interface VerificationMetrics {
  readonly questions: Counter<'outcome'>;
  readonly errors: Counter<'code'>;
  readonly ended: Counter<'outcome'>;
}

/** The queries about identity verifications, and the outcomes. */
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
