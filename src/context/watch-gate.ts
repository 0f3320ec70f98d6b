import { BREAKER_STATES } from '../bank/gate/breaker';
import type { BreakerState } from '../bank/gate/breaker';
import { LANES } from '../bank/gate/pacer';
import type { DeferralReason, GateObserver } from '../bank/gate/gate';
import type { Logger } from '../telemetry/logger';
import type { Words } from '../telemetry/metrics/from-zero';
import type { GateMetrics } from '../telemetry/metrics/gate-metrics';

const REASONS: Words<DeferralReason> = { rate: 0, circuit: 0 };

/** Counts what the gate before the bank does, and tells when the bank goes away and when it is back. */
export function watchGate(logger: Logger, metrics: GateMetrics): GateObserver {
  let isShut = false;
  const show = (state: BreakerState): void => {
    for (const each of BREAKER_STATES) metrics.breakerState.set({ state: each }, each === state ? 1 : 0);
  };
  show('closed');
  for (const lane of LANES) {
    metrics.waitSeconds.zero({ lane });
    for (const reason of Object.keys(REASONS)) metrics.deferrals.inc({ lane, reason }, 0);
  }
  return {
    waited: (lane, waitedMs) => {
      metrics.waitSeconds.observe({ lane }, waitedMs / 1_000);
    },
    deferred: (lane, reason) => {
      metrics.deferrals.inc({ lane, reason });
    },
    breakerChanged: (state) => {
      show(state);
      const wasShut = isShut;
      isShut = state !== 'closed';
      if (isShut === wasShut) return;
      if (isShut) {
        metrics.breakerOpened.inc();
        logger.warn('the bank is away: requests wait, one at a time tries it');
      } else logger.info('the bank is back');
    },
  };
}
