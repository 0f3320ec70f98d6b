import { setTimeout } from 'node:timers/promises';
import type { Logger } from './logger';

/** Tracks whether a server that this process needs is reachable, and logs each change. */
export interface OutageWatch {
  /** The server is unreachable, as far as is known. */
  readonly isAway: () => boolean;
  /** The server's users call this after a call that did not reach it. `reason`: without secrets. */
  readonly failed: (reason: string) => void;
  /** The server's users call this after an answer. */
  readonly answered: () => void;
  readonly close: () => Promise<void>;
}

export interface OutageWatchOptions {
  /** The server's name in the log, e.g. `the journal`. */
  readonly server: string;
  /** What waits during the outage, for the log. */
  readonly meanwhile: string;
  /** Resolves when the server answers. */
  readonly probe: () => Promise<unknown>;
  readonly logger: Logger;
  /** Time between probes of a server that nobody else calls; default 5 s. */
  readonly idleMs?: number;
  /** Time between probes while it is unreachable; default 1 s. */
  readonly awayMs?: number;
  /** An outage ends with an answer if no call has failed for this long; default 1.5 s. */
  readonly calmMs?: number;
}

const IDLE_MS = 5_000;
const AWAY_MS = 1_000;
const CALM_MS = 1_500;

/**
 * Logs two lines for an outage, even if many calls fail: one at its start, one when the server answers again. Both have
 * level error, so that everyone who sees the start also sees the end.
 */
export function watchOutage(options: OutageWatchOptions): OutageWatch {
  const { server, meanwhile, probe, logger, idleMs = IDLE_MS, awayMs = AWAY_MS, calmMs = CALM_MS } = options;
  const seen: { awaySinceMs: number | null; answeredAtMs: number; failedAtMs: number } = {
    awaySinceMs: null,
    answeredAtMs: performance.now(),
    failedAtMs: -Infinity,
  };
  const failed = (reason: string): void => {
    seen.failedAtMs = performance.now();
    if (seen.awaySinceMs !== null) return;
    seen.awaySinceMs = performance.now();
    logger.error({ server, reason }, `${server} cannot be reached: ${meanwhile}`);
  };
  const answered = (): void => {
    seen.answeredAtMs = performance.now();
    // While some calls still fail, one answered call does not end the outage.
    if (seen.awaySinceMs === null || seen.answeredAtMs - seen.failedAtMs < calmMs) return;
    const outageMs = Math.round(seen.answeredAtMs - seen.awaySinceMs);
    seen.awaySinceMs = null;
    logger.error({ server, outageMs }, `${server} can be reached again`);
  };

  const ending = new AbortController();
  const watching = (async () => {
    for (;;) {
      await setTimeout(seen.awaySinceMs === null ? idleMs : awayMs, undefined, {
        signal: ending.signal,
        ref: false,
      });
      if (seen.awaySinceMs === null && performance.now() - seen.answeredAtMs < idleMs) continue;
      await probe().then(answered, (error: unknown) => {
        failed(error instanceof Error ? error.message : String(error));
      });
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return {
    isAway: () => seen.awaySinceMs !== null,
    failed,
    answered,
    close: () => {
      ending.abort();
      return watching;
    },
  };
}
