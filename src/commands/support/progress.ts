import type { Logger } from '../../telemetry/logger';
import { CLEAR_LINE } from '../../program/io';
import type { CommandIo } from '../../program/io';

/** Progress of a command with many orders: one line that is rewritten on a terminal, log lines elsewhere. */
export interface Progress {
  /** `word`: the outcome of one order; outcomes are counted by kind. */
  step(word: string): void;
  end(): void;
}

export interface ProgressOptions {
  readonly doing: string;
  readonly total: number;
  /** `total` is an estimate. */
  readonly isEstimate?: boolean;
}

const REWRITE_EVERY_MS = 100;
const LOG_EVERY_MS = 2_000;

export function startProgress(
  { stderr, stderrIsTerminal }: Pick<CommandIo, 'stderr' | 'stderrIsTerminal'>,
  logger: Logger,
  { doing, total, isEstimate = false }: ProgressOptions,
): Progress {
  const counts = new Map<string, number>();
  let done = 0;
  let lastShownMs = Date.now();
  let shownAt: number | null = null;
  const show = (): void => {
    lastShownMs = Date.now();
    shownAt = done;
    const words = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
    if (stderrIsTerminal) {
      stderr.write(
        `${CLEAR_LINE}${doing}: ${done} of ${isEstimate ? 'about ' : ''}${total}${words === '' ? '' : ` (${words})`}`,
      );
    } else {
      const totals = isEstimate ? { aboutTotal: total } : { total };
      logger.info({ done, ...totals, ...Object.fromEntries(counts) }, doing);
    }
  };
  if (stderrIsTerminal) show();
  return {
    step(word) {
      done++;
      counts.set(word, (counts.get(word) ?? 0) + 1);
      if (Date.now() - lastShownMs >= (stderrIsTerminal ? REWRITE_EVERY_MS : LOG_EVERY_MS)) show();
    },
    end() {
      if (shownAt !== done) show();
      if (stderrIsTerminal) stderr.write('\n');
    },
  };
}
