import type { Parsed } from './formats';

/** A value read from files that may change while the program runs. */
export interface Watched<T> {
  /** The same object while nothing has changed. */
  readonly current: () => T;
  readonly close: () => void;
}

export interface WatchOptions<T> {
  readonly initial: T;
  /** Reads and checks the files. Returns plain JSON data, because values are compared as JSON text. */
  readonly read: () => Parsed<T>;
  readonly onChange: (value: T) => void;
  /** Called once for each new reason; the last good value stays in force. */
  readonly onProblem: (reason: string) => void;
  /** Default 2 s. */
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;

/**
 * Polls the files: they are few and small, and mounted secrets and network file systems send no notifications of
 * changes. A new value counts when two readings in a row agree, so a half-written file does not count.
 */
export function watchFiles<T>(options: WatchOptions<T>): Watched<T> {
  const { read, onChange, onProblem, everyMs = EVERY_MS } = options;
  let value = options.initial;
  let text = JSON.stringify(value);
  let candidate: string | null = null;
  let problem: string | null = null;

  const look = (): void => {
    const parsed = read();
    if (!parsed.ok) {
      candidate = null;
      if (parsed.reason !== problem) onProblem(parsed.reason);
      problem = parsed.reason;
      return;
    }
    problem = null;
    const found = JSON.stringify(parsed.value);
    if (found === text || found !== candidate) {
      candidate = found === text ? null : found;
      return;
    }
    candidate = null;
    text = found;
    value = parsed.value;
    onChange(value);
  };
  const timer = setInterval(look, everyMs);
  // Watching keeps no process alive.
  timer.unref();
  return { current: () => value, close: () => clearInterval(timer) };
}
