import type { Logger } from '../../telemetry/logger';
import { CLEAR_LINE } from '../../program/io';
import type { CommandIo } from '../../program/io';
import type { Journal } from '../../journal/journal';

const LOOK_EVERY_MS = 1_000;
const LOG_EVERY_LOOKS = 10;

/** Shows a run's progress from the journal until stopped: one line that is rewritten on a terminal, else log lines. */
export function watchReconciliation(
  { stderr, stderrIsTerminal }: Pick<CommandIo, 'stderr' | 'stderrIsTerminal'>,
  logger: Logger,
  journal: Pick<Journal, 'runProgress'>,
  asOf: string,
): { stop(): Promise<void> } {
  let looks = 0;
  let looking = Promise.resolve();
  const look = async (): Promise<void> => {
    const progress = await journal.runProgress(asOf);
    looks += 1;
    if (stderrIsTerminal) {
      const words =
        progress === null
          ? 'waiting for a worker'
          : `${String(progress.checked)} of ${String(progress.total)} transfers`;
      stderr.write(`${CLEAR_LINE}reconciling as of ${asOf}: ${words}`);
    } else if (looks % LOG_EVERY_LOOKS === 0) {
      if (progress === null) logger.warn({ asOf }, 'no worker has taken up the reconciliation');
      else logger.info({ asOf, ...progress }, 'reconciling');
    }
  };
  const timer = setInterval(() => {
    // Ignored, because this is only a display: the end of the run reports what is wrong.
    looking = look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      if (stderrIsTerminal && looks > 0) stderr.write('\n');
    },
  };
}

/** Why no report exists for a given time. */
export async function reportAbsence(
  journal: Pick<Journal, 'runProgress' | 'forgottenRun'>,
  asOf: string,
): Promise<string> {
  const head = await journal.forgottenRun(asOf);
  if (head !== null) {
    const { outcome, breaksOpened, breaksResolved } = head;
    return (
      `what the reconciliation as of ${asOf} saw is no longer kept (RECONCILE_KEEP): it ended as ${outcome}, ` +
      `${breaksOpened} opened, ${breaksResolved} resolved; \`reconcile breaks\` has the breaks`
    );
  }
  const progress = await journal.runProgress(asOf);
  return progress === null
    ? `no reconciliation as of ${asOf} exists`
    : `the reconciliation as of ${asOf} is in progress: ${progress.checked} of ${progress.total} transfers`;
}
