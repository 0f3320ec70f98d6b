import { BREAKER_STATES } from '../bank/limiter/circuit-breaker';
import type { BreakerState } from '../bank/limiter/circuit-breaker';
import { PRIORITIES } from '../bank/limiter/rate-limiter';
import type { DeferralReason, LimiterObserver } from '../bank/limiter/limiter';
import type { Logger } from '../telemetry/logger';
import type { Words } from '../telemetry/metrics/from-zero';
import type { LimiterMetrics } from '../telemetry/metrics/bank-metrics';

const REASONS: Words<DeferralReason> = { rate: 0, circuit: 0, concurrency: 0 };

/** Counts what the limiter does, and logs when the bank becomes unreachable and when it is back. */
export function watchLimiter(logger: Logger, metrics: LimiterMetrics): LimiterObserver {
  let isShut = false;
  const show = (state: BreakerState): void => {
    for (const each of BREAKER_STATES) metrics.breakerState.set({ state: each }, each === state ? 1 : 0);
  };
  show('closed');
  for (const priority of PRIORITIES) {
    metrics.waitSeconds.zero({ priority });
    for (const reason of Object.keys(REASONS)) metrics.deferrals.inc({ priority, reason }, 0);
  }
  return {
    waited: (priority, waitedMs) => {
      metrics.waitSeconds.observe({ priority }, waitedMs / 1_000);
    },
    deferred: (priority, reason) => {
      metrics.deferrals.inc({ priority, reason });
    },
    breakerChanged: (state) => {
      show(state);
      const wasShut = isShut;
      isShut = state !== 'closed';
      if (isShut === wasShut) return;
      if (isShut) {
        metrics.breakerOpened.inc();
        logger.warn('the bank is unreachable: requests wait, except one at a time as a probe');
      } else logger.info('the bank is back');
    },
  };
}
