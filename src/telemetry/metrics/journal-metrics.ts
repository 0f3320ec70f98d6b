import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface JournalMetrics {
  readonly open: Gauge<'state'>;
  readonly olderThan: Gauge<'age'>;
  readonly flagged: Gauge<'reason'>;
  readonly openVerifications: Gauge;
  readonly flaggedVerifications: Gauge;
  readonly openIncidents: Gauge;
  readonly openBreaks: Gauge<'class'>;
  readonly reconciledAt: Gauge<'outcome'>;
  readonly sendingStopped: Gauge;
  readonly takenAt: Gauge;
}

/** Statistics of all transfers in the journal: the same from every worker. */
export function journalMetrics(registry: Registry): JournalMetrics {
  const registers = [registry];
  const metrics: JournalMetrics = {
    open: new Gauge({
      name: 'giro_transfers_open',
      help: "Transfers without a result, by state: the bank's status, or other, else sending, held (before its first send), looking-up, polling",
      labelNames: ['state'],
      registers,
    }),
    olderThan: new Gauge({
      name: 'giro_transfers_open_older_than',
      help: 'Transfers without a result that were opened longer ago than the age (1m, 15m, 1h, 1d, 7d)',
      labelNames: ['age'],
      registers,
    }),
    flagged: new Gauge({
      name: 'giro_transfers_flagged',
      help: 'Transfers without a result that need attention, by reason; a transfer with two reasons counts twice',
      labelNames: ['reason'],
      registers,
    }),
    openVerifications: new Gauge({
      name: 'giro_verifications_open',
      help: 'Tracked verifications without an outcome',
      registers,
    }),
    flaggedVerifications: new Gauge({
      name: 'giro_verifications_flagged',
      help: 'Verifications without an outcome that need attention',
      registers,
    }),
    openIncidents: new Gauge({
      name: 'giro_incidents_open',
      help: 'Contradicted finals that nobody has acknowledged',
      registers,
    }),
    openBreaks: new Gauge({
      name: 'giro_reconciliation_breaks_open',
      help: 'Breaks that are open or acknowledged, by class',
      labelNames: ['class'],
      registers,
    }),
    reconciledAt: new Gauge({
      name: 'giro_reconciliation_timestamp_seconds',
      help: '`asOf` of the latest reconciliation of the default window, Unix time, by its outcome (CLEAN, BREAKS, PARTIAL); none: there was none',
      labelNames: ['outcome'],
      registers,
    }),
    sendingStopped: new Gauge({
      name: 'giro_sending_stopped',
      help: '1 while the emergency brake holds creates back',
      registers,
    }),
    takenAt: new Gauge({
      name: 'giro_journal_statistics_timestamp_seconds',
      help: 'When the journal computed these statistics, Unix time; all of them are absent while it cannot be asked',
      registers,
    }),
  };
  clearJournalMetrics(metrics);
  return metrics;
}

/** Absent, not zero, if a process does not read the journal, and while the journal does not answer. */
export function clearJournalMetrics(metrics: JournalMetrics): void {
  const { open, olderThan, flagged, openBreaks, reconciledAt, ...single } = metrics;
  for (const gauge of [open, olderThan, flagged, openBreaks, reconciledAt]) gauge.reset();
  for (const gauge of Object.values(single)) gauge.remove();
}
