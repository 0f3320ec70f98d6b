import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { LOST_TASK, STUCK_RUN } from '../../src/telemetry/temporal-logging';

/** Jest loads this file and the SDK once for each test file, so each has its own Runtime. */
let installed = false;

/** Not logged: the tests cause failed runs, and check them. */
const EXPECTED = 'Workflow failed';

interface QuietRuntimeOptions {
  /** The lowest level of the core's messages that is logged. */
  readonly core?: 'WARN' | 'ERROR';
  /** A run is stuck in a worker, or may differ from its history (`src/telemetry/temporal-logging.ts`). */
  readonly onStuckRun?: () => void;
}

/** Makes workers and replays log only warnings and errors. Call it before the first of them is created. */
export function quietRuntime({ core = 'WARN', onStuckRun }: QuietRuntimeOptions = {}): void {
  if (installed) return;
  installed = true;
  const loud = new DefaultLogger('WARN');
  // The core reports a stuck run as a warning.
  const filter = makeTelemetryFilterString({ core: onStuckRun === undefined ? core : 'WARN' });
  Runtime.install({
    telemetryOptions: { logging: { filter, forward: {} } },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (message === STUCK_RUN || message === LOST_TASK) onStuckRun?.();
      if (core === 'ERROR' && level === 'WARN' && meta?.['sdkComponent'] === 'core') return;
      const isOutage = (meta?.['error'] as Error | undefined)?.name === 'JournalUnavailable';
      if (message !== EXPECTED && !isOutage) loud.log(level, message, meta);
    }),
  });
}
