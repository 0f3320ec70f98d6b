import { Counter, Gauge } from 'prom-client';
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
      help: 'When our certificates run out, Unix time, by certificate (client, authority); none: not configured',
      labelNames: ['certificate'],
      registers,
    }),
    tokenExpiry: new Gauge({
      name: 'giro_bank_token_expiry_timestamp_seconds',
      help: "When the token service's last token runs out, Unix time; none: it gives no time, or there is no such service",
      registers,
    }),
    tokenFailures: new Counter({
      name: 'giro_bank_token_failures_total',
      help: 'Requests to the token service that gave no token that can be used',
      registers,
    }),
  };
  // Absent until it is known: 0 would be a token that ran out.
  metrics.tokenExpiry.remove();
  return metrics;
}
