import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export type Server = 'temporal' | 'journal' | 'bank';

export interface ServerMetrics {
  readonly up: Gauge<'server'>;
}

/** What this process needs, as it sees it from where it stands. */
export function serverMetrics(registry: Registry): ServerMetrics {
  return {
    up: new Gauge({
      name: 'giro_server_up',
      help: '1: temporal or journal can be reached, the last request about a movement had an answer of the bank; 0: not; none: not asked yet',
      labelNames: ['server'],
      registers: [registry],
    }),
  };
}
