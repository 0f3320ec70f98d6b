import { dispatchBatch } from './dispatch-batch';
import type { DispatchOptions } from './dispatch-batch';
import type { Journal } from '../journal/journal';

export interface DispatcherOptions extends DispatchOptions {
  readonly inbox: DispatchOptions['inbox'] & Pick<Journal, 'forgetNotifications' | 'inboxBacklog'>;
  /** Done notifications are deleted after this. */
  readonly keepMs: number;
  /** Default: 1 s. */
  readonly sweepEveryMs?: number;
  /** A round failed, because the journal is unreachable or because of a bug; the loop continues. */
  readonly onFailed: (error: unknown) => void;
}

export interface Dispatcher {
  /** A notification was stored. */
  wake(): void;
  /** Ends after the current batch. */
  stop(): Promise<void>;
}

/** Interval of the search for notifications that are due after a pause, or that another worker left behind. */
const SWEEP_EVERY_MS = 1_000;
/**
 * Pause between batches that are not full: notifications that arrive meanwhile are processed together, with as many
 * statements as one notification.
 */
const GATHER_MS = 50;
/** Pause before the next try while Temporal or the journal is unreachable: 1, 2, 4 … 10 s. */
const PAUSE_MAX_MS = 10_000;
const TEND_EVERY_MS = 60_000;
const FORGET_BATCH = 1_000;
/** Maximum number of batches of old notifications that one round deletes, so that a large backlog does not delay the hints. */
const FORGET_BATCHES_MAX = 20;

/**
 * Runs batches until stopped: at once when woken, otherwise each second. While Temporal is unreachable, only the
 * sending stops. Several workers may run dispatchers.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const ending = new AbortController();
  const isEnding = (): boolean => ending.signal.aborted;
  let wakeUp: (() => void) | null = null;
  let isWanted = true;
  let failures = 0;
  let engineFailures = 0;
  let engineAwayUntilMs = -Infinity;
  let tendedAtMs = -Infinity;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isEnding()) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Whether more may be due right now. */
  const round = async (): Promise<boolean> => {
    isWanted = false;
    let isFull = false;
    try {
      const { isFull: mayBeMore, engine } = await dispatchBatch(
        options,
        performance.now() >= engineAwayUntilMs,
      );
      failures = 0;
      if (engine === 'answered') engineFailures = 0;
      else if (engine === 'away') {
        engineFailures += 1;
        engineAwayUntilMs = performance.now() + pauseMs(engineFailures);
      }
      // Pauses between rounds while notifications wait for Temporal.
      isFull = mayBeMore && engineFailures === 0;
    } catch (error) {
      failures += 1;
      options.onFailed(error);
    }
    // Also after a failed batch: an inbox that is not processed grows, and the metrics must show it.
    if (performance.now() - tendedAtMs >= TEND_EVERY_MS) {
      tendedAtMs = performance.now();
      await tend(options).catch((error: unknown) => {
        failures += 1;
        options.onFailed(error);
      });
    }
    return isFull;
  };

  const running = (async () => {
    for (;;) {
      if (isEnding()) return;
      const isFull = await round();
      if (failures > 0) await pause(pauseMs(failures));
      else if (!isFull) {
        await pause(GATHER_MS);
        await idle(options.sweepEveryMs ?? SWEEP_EVERY_MS);
      }
      wakeUp = null;
    }
  })();

  /** Waits until something arrives, or until the next poll. */
  async function idle(ms: number): Promise<void> {
    if (!isWanted) await sleep(ms);
  }

  /** Arrivals do not shorten this wait; only the stop does. */
  async function pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!isEnding() && performance.now() < until) await sleep(until - performance.now());
  }

  return {
    wake: () => {
      isWanted = true;
      if (failures === 0) wakeUp?.();
    },
    stop: () => {
      ending.abort();
      wakeUp?.();
      return running;
    },
  };
}

const pauseMs = (failures: number): number => Math.min(1_000 * 2 ** (failures - 1), PAUSE_MAX_MS);

async function tend({ inbox, keepMs, observer }: DispatcherOptions): Promise<void> {
  const backlog = await inbox.inboxBacklog().catch((error: unknown) => {
    observer.backlog(null);
    throw error;
  });
  observer.backlog(backlog);
  for (let i = 0; i < FORGET_BATCHES_MAX; i++) {
    if ((await forget(inbox, keepMs)) < FORGET_BATCH) return;
  }
}

const forget = (inbox: Pick<Journal, 'forgetNotifications'>, keepMs: number): Promise<number> =>
  inbox.forgetNotifications({ olderThanMs: keepMs, limit: FORGET_BATCH });
