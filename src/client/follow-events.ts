import type { GiroEvent } from '../journal/event-feed';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';

export interface FollowOptions {
  /** Continue after this event; default: from the first. */
  readonly after?: string | null;
  /** Time between two reads while no new event arrives, in ms; default 1000. */
  readonly pollMs?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** Called each time that the journal is unreachable after the start; the read is repeated. */
  readonly onUnavailable?: (error: JournalUnavailable) => void;
}

const POLL_MS = 1_000;
const PAGE_SIZE = 500;
/** Longest time between two reads of a journal that does not answer. */
const RETRY_MS_MAX = 30_000;

/**
 * Polls the journal. PostgreSQL's notifications would mean one lock for all commits of the server, a disconnected
 * reader loses them, and they would need a read afterwards anyway.
 */
export async function* followEvents(
  feed: Pick<Journal, 'events'>,
  { after = null, pollMs = POLL_MS, signal, onUnavailable }: FollowOptions = {},
): AsyncGenerator<GiroEvent, void, undefined> {
  let cursor = after;
  let begun = false;
  let failures = 0;
  while (signal?.aborted !== true) {
    try {
      const page = await feed.events({ after: cursor, limit: PAGE_SIZE });
      begun = true;
      failures = 0;
      for (const event of page) {
        // Checked between events too: a caller who stops must not get the rest of the page.
        if (stopped(signal)) return;
        cursor = event.cursor;
        yield event;
      }
      if (page.length < PAGE_SIZE) await pause(pollMs, signal);
    } catch (error) {
      if (!begun || !(error instanceof JournalUnavailable)) throw error;
      onUnavailable?.(error);
      await pause(Math.min(pollMs * 2 ** Math.min(failures++, 16), RETRY_MS_MAX), signal);
    }
  }
}

const stopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
