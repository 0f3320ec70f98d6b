import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runTests } from '../run-tests.mjs';
import { packageRoot } from './here.mjs';

/** The tasks of `dev/bootstrap.mjs NAME`, which get the arguments after the name. Each sets the exit code. */
export const TASKS = {
  demo: (args) => launch('dev/demo/main.js', args),
  bench: (args) => launch('bench/main.js', args),
  explore: (args) => launch('dev/explore/main.js', args),
  simulate: (args) => launch('dev/simulate/main.js', args),
  'versions-check': (args) => launch('dev/versions-check/main.js', args),
  test: async (args) => {
    process.exitCode = await runTests(args);
  },
  'test-faults': async (args) => {
    process.exitCode = await runTests(['--config=jest.faults.config.cjs', ...args]);
  },
  'test-ui': async (args) => {
    process.exitCode = await runTests(['--config=jest.ui.config.cjs', ...args]);
  },
};

/** Tasks that drive a browser. */
export const BROWSER_TASKS = new Set(['test-ui']);

/** Runs a built launcher as if Node.js had been started with it. */
function launch(file, args) {
  const path = join(packageRoot, 'dist', file);
  process.setSourceMapsEnabled(true);
  process.argv = [process.execPath, path, ...args];
  createRequire(import.meta.url)(path);
}
