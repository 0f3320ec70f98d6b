import type { JournalStatistics } from '../../src/journal/statements/statistics';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { watchStatistics } from '../../src/worker/watch-statistics';

const STATISTICS: JournalStatistics = {
  takenAtS: 1_700_000_000,
  open: { IN_PROGRESS: 3, other: 1 },
  olderThanS: { 60: 2, 900: 1 },
  flagged: { STATUS_UNKNOWN: 1 },
  openVerifications: 5,
  flaggedVerifications: 0,
  openIncidents: 1,
  openBreaks: { LATE: 2 },
  reconciledAtS: { BREAKS: 1_699_990_000, PARTIAL: 1_699_999_000 },
  sendingStopped: true,
};

const ours = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) =>
      /^giro_(transfers_open|transfers_flagged|verifications_|reconciliation_|incidents|sending|journal)/.test(
        line,
      ),
    )
    .filter((line) => !line.startsWith('giro_verifications_ended'));

test('every state, age and reason is there, with zero for what the journal does not name', async () => {
  const { registry, journal } = createMetrics();
  await watchStatistics({ statistics: () => Promise.resolve(STATISTICS) }, journal)();
  const lines = ours(await registry.metrics());
  expect(lines).toContain('giro_transfers_open{state="IN_PROGRESS"} 3');
  expect(lines).toContain('giro_transfers_open{state="other"} 1');
  expect(lines).toContain('giro_transfers_open{state="DELAYED"} 0');
  expect(lines).toContain('giro_transfers_open_older_than{age="15m"} 1');
  expect(lines).toContain('giro_transfers_open_older_than{age="7d"} 0');
  expect(lines).toContain('giro_transfers_flagged{reason="STATUS_UNKNOWN"} 1');
  expect(lines).toContain('giro_transfers_flagged{reason="VANISHED"} 0');
  expect(lines).toContain('giro_reconciliation_breaks_open{class="LATE"} 2');
  expect(lines).toContain('giro_reconciliation_breaks_open{class="DUPLICATE"} 0');
  expect(lines).toContain('giro_reconciliation_timestamp_seconds{outcome="BREAKS"} 1699990000');
  expect(lines).toContain('giro_reconciliation_timestamp_seconds{outcome="PARTIAL"} 1699999000');
  // Never CLEAN is not CLEAN at the beginning of time.
  expect(lines.filter((line) => line.includes('CLEAN'))).toEqual([]);
  expect(lines).toContain('giro_sending_stopped 1');
  expect(lines).toContain('giro_journal_statistics_timestamp_seconds 1700000000');
});

test('absent before the first answer, and again when the journal does not answer', async () => {
  const { registry, journal } = createMetrics();
  expect(ours(await registry.metrics())).toEqual([]);
  let answers = true;
  const refresh = watchStatistics(
    { statistics: () => (answers ? Promise.resolve(STATISTICS) : Promise.reject(new Error('away'))) },
    journal,
  );
  await refresh();
  expect(ours(await registry.metrics()).length).toBeGreaterThan(10);
  answers = false;
  await refresh();
  expect(ours(await registry.metrics())).toEqual([]);
});

test('scrapes that overlap ask the journal once', async () => {
  const { journal } = createMetrics();
  let asked = 0;
  const refresh = watchStatistics({ statistics: () => Promise.resolve(((asked += 1), STATISTICS)) }, journal);
  await Promise.all([refresh(), refresh(), refresh()]);
  expect(asked).toBe(1);
  await refresh();
  expect(asked).toBe(2);
});
