import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface BankMetrics {
  readonly certificateExpiry: Gauge<'certificate'>;
}

/** The connection to the bank. */
export const bankMetrics = (registry: Registry): BankMetrics => ({
  certificateExpiry: new Gauge({
    name: 'giro_bank_certificate_expiry_timestamp_seconds',
    help: 'When our certificates run out, Unix time, by certificate (client, authority); none: not configured',
    labelNames: ['certificate'],
    registers: [registry],
  }),
});
