import { setTimeout } from 'node:timers/promises';
import { ATTENTION_REASONS } from '../domain/transfer/flags';
import { OPEN_AGES_S, OPEN_STATES } from '../journal/statements/statistics';
import { BREAK_CLASSES } from '../reconciliation/break';
import { OUTCOMES } from '../reconciliation/report';
import type { JournalStatistics } from '../journal/statements/statistics';
import type { Journal } from '../journal/journal';
import { clearJournalMetrics } from '../telemetry/metrics/journal-metrics';
import type { JournalMetrics } from '../telemetry/metrics/journal-metrics';

/** Below the ten seconds that Prometheus gives a scrape: without the journal the other metrics are still served. */
const WAIT_MAX_MS = 3_000;

const AGE_NAMES: Readonly<Record<(typeof OPEN_AGES_S)[number], string>> = {
  60: '1m',
  900: '15m',
  3600: '1h',
  86400: '1d',
  604800: '7d',
};

/**
 * Sets the gauges from the journal before each scrape. If the journal does not answer, the gauges are absent, not out
 * of date.
 */
export function watchStatistics(
  journal: Pick<Journal, 'statistics'>,
  metrics: JournalMetrics,
): () => Promise<void> {
  let flight: Promise<JournalStatistics | null> | null = null;
  return async () => {
    // A scrape that gave up leaves its query running. The next scrape waits for that query and starts no second one.
    flight ??= journal
      .statistics()
      .catch(() => null)
      .finally(() => (flight = null));
    const statistics = await Promise.race([flight, setTimeout(WAIT_MAX_MS, null, { ref: false })]);
    if (statistics === null) clearJournalMetrics(metrics);
    else show(statistics, metrics);
  };
}

function show(statistics: JournalStatistics, metrics: JournalMetrics): void {
  for (const state of OPEN_STATES) metrics.open.set({ state }, statistics.open[state] ?? 0);
  for (const age of OPEN_AGES_S) {
    metrics.olderThan.set({ age: AGE_NAMES[age] }, statistics.olderThanS[age] ?? 0);
  }
  for (const reason of ATTENTION_REASONS) metrics.flagged.set({ reason }, statistics.flagged[reason] ?? 0);
  metrics.openVerifications.set(statistics.openVerifications);
  metrics.flaggedVerifications.set(statistics.flaggedVerifications);
  metrics.openIncidents.set(statistics.openIncidents);
  metrics.openBreaks.reset();
  for (const breakClass of BREAK_CLASSES) {
    metrics.openBreaks.set({ class: breakClass }, statistics.openBreaks[breakClass] ?? 0);
  }
  metrics.reconciledAt.reset();
  for (const outcome of OUTCOMES) {
    const atS = statistics.reconciledAtS[outcome];
    if (atS !== undefined) metrics.reconciledAt.set({ outcome }, atS);
  }
  metrics.sendingStopped.set(statistics.sendingStopped ? 1 : 0);
  metrics.takenAt.set(statistics.takenAtS);
}
