import { setTimeout } from 'node:timers/promises';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { Logger } from '../telemetry/logger';

const EVERY_MS = 5_000;

/**
 * Reads the emergency brake every few seconds, so that the worker remembers a `sending stop` that a failover loses. A
 * lost stop is recorded again.
 */
export function watchBrake(
  journal: Pick<Journal, 'keepStop'>,
  logger: Pick<Logger, 'error'>,
  everyMs = EVERY_MS,
): { readonly close: () => Promise<void> } {
  const ending = new AbortController();
  const watching = (async () => {
    for (;;) {
      try {
        const recovered = await journal.keepStop();
        if (recovered !== null)
          logger.error(
            { stoppedAt: recovered.at },
            'the journal had lost a `sending stop`: it is recorded again',
          );
      } catch (error) {
        // An outage has separate log lines.
        if (!(error instanceof JournalUnavailable)) logger.error({ err: error }, 'the brake cannot be read');
      }
      await setTimeout(everyMs, undefined, { signal: ending.signal, ref: false });
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return {
    close: () => {
      ending.abort();
      return watching;
    },
  };
}
