import { dispatchBatch } from './dispatch-batch';
import type { DispatchOptions } from './dispatch-batch';
import type { Journal } from '../journal/journal';

export interface DispatcherOptions extends DispatchOptions {
  readonly inbox: DispatchOptions['inbox'] & Pick<Journal, 'forgetNotifications' | 'inboxBacklog'>;
  /** Done notifications are deleted after this. */
  readonly keepMs: number;
  /** Default: 1 s. */
  readonly sweepEveryMs?: number;
  /** A round failed, because the journal is away or by a bug; the loop goes on. */
  readonly onFailed: (error: unknown) => void;
}

export interface Dispatcher {
  /** Something was stored. */
  wake(): void;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

/** What is due by a pause, or was left by another worker, is looked for this often. */
const SWEEP_EVERY_MS = 1_000;
/** Between batches that are not full: what arrives meanwhile is worked on together, in as many statements as one. */
const GATHER_MS = 50;
/** To the next try of the engine or the journal while it is away: 1, 2, 4 … 10 s. */
const PAUSE_MAX_MS = 10_000;
const TEND_EVERY_MS = 60_000;
const FORGET_BATCH = 1_000;
/** Old notifications deleted in one go, so that a large leftover does not hold up the hints. */
const FORGET_BATCHES_MAX = 20;

/**
 * Runs batches until it is stopped: at once when woken, else each second. While the engine is away everything but the
 * sending goes on. Safe with several workers.
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
      // What waits for the engine is not gone through without a breath.
      isFull = mayBeMore && engineFailures === 0;
      if (performance.now() - tendedAtMs >= TEND_EVERY_MS) {
        tendedAtMs = performance.now();
        await tend(options);
      }
    } catch (error) {
      failures += 1;
      options.onFailed(error);
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

  /** Until something arrives, or it is time to look again. */
  async function idle(ms: number): Promise<void> {
    if (!isWanted) await sleep(ms);
  }

  /** Not cut short by arrivals, only by the end. */
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
  observer.backlog(await inbox.inboxBacklog());
  for (let i = 0; i < FORGET_BATCHES_MAX; i++) {
    if ((await forget(inbox, keepMs)) < FORGET_BATCH) return;
  }
}

const forget = (inbox: Pick<Journal, 'forgetNotifications'>, keepMs: number): Promise<number> =>
  inbox.forgetNotifications({ olderThanMs: keepMs, limit: FORGET_BATCH });
