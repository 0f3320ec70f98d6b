import type { Context } from '../context';
import { watchOutage } from '../telemetry/outage-watch';

const PROBE_TIMEOUT_MS = 3_000;

/** The servers without which a worker gets nothing done. The bank is none: its failures are answers of a kind. */
export function watchServers({ journal, temporal, logger }: Context<'journal' | 'temporal'>) {
  const { connection, config } = temporal;
  const ofJournal = watchOutage({
    server: 'the journal',
    meanwhile: 'nothing is sent and no transfer goes on until it is back',
    probe: () => journal.checkSchema(),
    logger,
  });
  const ofTemporal = watchOutage({
    server: `Temporal at ${config.address}`,
    meanwhile: 'no transfer goes on until it is back',
    probe: () =>
      connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
        connection.workflowService.getSystemInfo({}),
      ),
    logger,
  });
  return {
    journal: ofJournal,
    /** For `/readyz`. */
    problems: (): string[] => [
      ...(ofJournal.isAway() ? ['the journal cannot be reached'] : []),
      ...(ofTemporal.isAway() ? ['Temporal cannot be reached'] : []),
    ],
    close: async (): Promise<void> => {
      await Promise.all([ofJournal.close(), ofTemporal.close()]);
    },
  };
}
