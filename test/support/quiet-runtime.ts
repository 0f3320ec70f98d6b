import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';

/** Jest loads this file and the SDK once for each test file, so each has its own Runtime. */
let installed = false;

/** Not logged: the tests cause failed runs, and check them. */
const EXPECTED = 'Workflow failed';

/** Makes workers and replays log only warnings and errors. Call it before the first of them is created. */
export function quietRuntime({ core = 'WARN' }: { readonly core?: 'WARN' | 'ERROR' } = {}): void {
  if (installed) return;
  installed = true;
  const loud = new DefaultLogger('WARN');
  Runtime.install({
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core }), forward: {} } },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const isOutage = (meta?.['error'] as Error | undefined)?.name === 'JournalUnavailable';
      if (message !== EXPECTED && !isOutage) loud.log(level, message, meta);
    }),
  });
}
