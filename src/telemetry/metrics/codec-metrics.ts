import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import { fromZero } from './from-zero';

export interface CodecMetrics {
  readonly sealed: Counter<'key'>;
  readonly unreadable: Counter<'reason'>;
}

/** Encryption; the ids of keys are those of the ring, of which one at a time encrypts. */
export function codecMetrics(registry: Registry): CodecMetrics {
  const registers = [registry];
  const metrics = {
    sealed: new Counter({
      name: 'giro_payloads_sealed_total',
      help: 'Payloads and journal values that this process encrypted, by key id; a key is good for 2^32 of all processes',
      labelNames: ['key'],
      registers,
    }),
    unreadable: new Counter({
      name: 'giro_payloads_unreadable_total',
      help: 'Payloads of workflow tasks that did not open, each time one was looked at, by reason (unknown-key, altered)',
      labelNames: ['reason'],
      registers,
    }),
  };
  fromZero(metrics.unreadable, 'reason', ['unknown-key', 'altered']);
  return metrics;
}
