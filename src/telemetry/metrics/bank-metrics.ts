import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface BankMetrics {
  readonly certificateExpiry: Gauge<'certificate'>;
  readonly tokenExpiry: Gauge;
  readonly tokenFailures: Counter;
}

/** The connection to the bank. */
export function bankMetrics(registry: Registry): BankMetrics {
  const registers = [registry];
  const metrics = {
    certificateExpiry: new Gauge({
      name: 'giro_bank_certificate_expiry_timestamp_seconds',
      help: 'When our certificates expire, Unix time, by certificate (client, authority); none: not configured',
      labelNames: ['certificate'],
      registers,
    }),
    tokenExpiry: new Gauge({
      name: 'giro_bank_token_expiry_timestamp_seconds',
      help: 'When the last token of the token service expires, Unix time; none: the service gives no time, or is not configured',
      registers,
    }),
    tokenFailures: new Counter({
      name: 'giro_bank_token_failures_total',
      help: 'Requests to the token service that returned no usable token',
      registers,
    }),
  };
  // Absent until the expiry is known: 0 would mean an expired token.
  metrics.tokenExpiry.remove();
  return metrics;
}

export interface LimiterMetrics {
  readonly waitSeconds: Histogram<'priority'>;
  readonly deferrals: Counter<'priority' | 'reason'>;
  readonly breakerState: Gauge<'state'>;
  readonly breakerOpened: Counter;
}

/** Buckets up to one second, the longest wait in the worker. */
const WAIT_BUCKETS_S = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1];

/** The rate limit (`BANK_MAX_RPS`) and the circuit breaker before the bank. */
export function limiterMetrics(registry: Registry): LimiterMetrics {
  const registers = [registry];
  return {
    waitSeconds: new Histogram({
      name: 'giro_limiter_wait_seconds',
      help: 'How long admitted requests waited for their permit, by priority (create, lookup; background: verifications and reconciliations)',
      labelNames: ['priority'],
      buckets: WAIT_BUCKETS_S,
      registers,
    }),
    deferrals: new Counter({
      name: 'giro_limiter_deferrals_total',
      help: 'Times that the limiter deferred a request, by priority and reason (rate, circuit, concurrency)',
      labelNames: ['priority', 'reason'],
      registers,
    }),
    breakerState: new Gauge({
      name: 'giro_breaker_state',
      help: '1 for the state that the circuit breaker is in: closed, open, half-open',
      labelNames: ['state'],
      registers,
    }),
    breakerOpened: new Counter({
      name: 'giro_breaker_opened_total',
      help: 'Times the circuit breaker opened from closed',
      registers,
    }),
  };
}
