import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { fromZero } from './from-zero';

export interface ActivityMetrics {
  readonly failures: Counter<'activity' | 'repeated'>;
}

/** The SDK's core counts failures too, but does not show whether one step or many steps failed. */
export function activityMetrics(registry: Registry): ActivityMetrics {
  return {
    failures: new Counter({
      name: 'giro_activity_failures_total',
      help: 'Failed tries of activities, by activity; repeated (yes, no): yes from the eighth try of a step on (after a minute or two), or once every try of the activity in this worker has failed for two minutes',
      labelNames: ['activity', 'repeated'],
      registers: [registry],
    }),
  };
}

export interface ChainMetrics {
  readonly heads: Counter<'outcome'>;
}

/** The chain of reconciliation reports. */
export function chainMetrics(registry: Registry): ChainMetrics {
  const heads = new Counter({
    name: 'giro_chain_heads_total',
    help: 'Heads of the chain of reports that were given to RECONCILE_HEAD_COMMAND, by end: kept, failed',
    labelNames: ['outcome'],
    registers: [registry],
  });
  fromZero(heads, 'outcome', ['kept', 'failed']);
  return { heads };
}

export type Server = 'temporal' | 'journal' | 'bank';

export interface ServerMetrics {
  readonly up: Gauge<'server'>;
}

/** The servers that this process needs, as seen from this process. */
export function serverMetrics(registry: Registry): ServerMetrics {
  return {
    up: new Gauge({
      name: 'giro_server_up',
      help: '1: the server answers (bank: it answered the last request about a movement); 0: it does not; none: not asked yet',
      labelNames: ['server'],
      registers: [registry],
    }),
  };
}

export interface CodecMetrics {
  readonly sealed: Counter<'key'>;
  readonly unreadable: Counter<'reason'>;
}

/** Encryption. Key ids are those of the key ring, in which one key at a time encrypts. */
export function codecMetrics(registry: Registry): CodecMetrics {
  const registers = [registry];
  const metrics = {
    sealed: new Counter({
      name: 'giro_payloads_sealed_total',
      help: 'Payloads and journal values that this process encrypted, by key id; a key is good for 2^32 over all processes',
      labelNames: ['key'],
      registers,
    }),
    unreadable: new Counter({
      name: 'giro_payloads_unreadable_total',
      help: 'Failed tries to open a payload of a workflow task, by reason (unknown-key, altered)',
      labelNames: ['reason'],
      registers,
    }),
  };
  fromZero(metrics.unreadable, 'reason', ['unknown-key', 'altered']);
  return metrics;
}
