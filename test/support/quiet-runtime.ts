import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';

/** Jest loads this file once per test file, and so does it with the SDK: there is one Runtime for each. */
let installed = false;

/** The test itself causes failing runs and outages, and checks them. */
const EXPECTED = 'Workflow failed';

/** Workers and replays log only warnings and errors. Call it before the first of them is made. */
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
