import type { BankReach } from '../bank/limiter/limiter';
import type { Context } from '../context';
import type { Server, ServerMetrics } from '../telemetry/metrics/process-metrics';
import { watchOutage } from '../telemetry/outage-watch';

const PROBE_TIMEOUT_MS = 3_000;

/**
 * The servers of a worker. Without Temporal or the journal the worker can do no work. Without the bank the worker still
 * works: it records the failures and waits, and no other worker could do more.
 */
export function watchServers({ journal, temporal, limiter, logger }: Context<'journal' | 'temporal'>) {
  const { connection, config } = temporal;
  const ofJournal = watchOutage({
    server: 'the journal',
    meanwhile: 'nothing is sent and no transfer continues until it is reachable',
    probe: () => journal.checkSchema(),
    logger,
  });
  const ofTemporal = watchOutage({
    server: `Temporal at ${config.address}`,
    meanwhile: 'no transfer continues until it is reachable',
    probe: () =>
      connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
        connection.workflowService.getSystemInfo({}),
      ),
    logger,
  });
  return {
    journal: ofJournal,
    temporal: ofTemporal,
    /** For `/readyz`: why the worker takes no work. */
    problems: (): string[] => [
      ...(ofJournal.isAway() ? ['the journal cannot be reached'] : []),
      ...(ofTemporal.isAway() ? ['Temporal cannot be reached'] : []),
    ],
    /** For `/readyz`: a line for each server. */
    lines: (): string[] => [
      `temporal: ${ofTemporal.isAway() ? 'unreachable' : 'reachable'}`,
      `journal: ${ofJournal.isAway() ? 'unreachable' : 'reachable'}`,
      `bank: ${bankLine(limiter.reach())}`,
    ],
    show: ({ up }: ServerMetrics): void => {
      const set = (server: Server, isUp: boolean): void => up.set({ server }, isUp ? 1 : 0);
      set('temporal', !ofTemporal.isAway());
      set('journal', !ofJournal.isAway());
      const { last } = limiter.reach();
      if (last !== null) set('bank', last.health === 'good');
    },
    close: async (): Promise<void> => {
      await Promise.all([ofJournal.close(), ofTemporal.close()]);
    },
  };
}

const LAST_REQUEST = {
  good: 'answered',
  bad: 'not reached or answered 5xx',
  unclear: 'no clear answer',
} as const;

/** The bank's state by the last request about a movement; no request is made for this line. */
export function bankLine({ breaker, last }: BankReach): string {
  if (last === null) return 'not asked yet';
  const seen = `${LAST_REQUEST[last.health]} ${Math.floor(last.agoMs / 1_000)} s ago`;
  return breaker === 'closed' ? seen : `unavailable: ${seen}; requests wait, except one probe at a time`;
}
