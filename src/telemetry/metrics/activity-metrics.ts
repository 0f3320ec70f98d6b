import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

export interface ActivityMetrics {
  readonly failures: Counter<'activity' | 'repeated'>;
}

/** The engine's core counts failures too, but not whether they are one step's or many steps'. */
export function activityMetrics(registry: Registry): ActivityMetrics {
  return {
    failures: new Counter({
      name: 'giro_activity_failures_total',
      help: 'Failed tries of activities, by activity; repeated (yes, no): from the eighth try of a step on, after a minute or two, or when the activity has only failed in this worker for two minutes',
      labelNames: ['activity', 'repeated'],
      registers: [registry],
    }),
  };
}
