import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runTests } from '../run-tests.mjs';
import { packageRoot } from './here.mjs';

/** What `dev/bootstrap.mjs NAME` runs: each gets the arguments after the name and returns the exit code. */
export const TASKS = {
  demo: (args) => runProgram('dev/demo/main.js', args),
  test: runTests,
};

/** A built module that exports `main(args: string[]): Promise<number>`. */
function runProgram(file, args) {
  process.setSourceMapsEnabled(true);
  return createRequire(import.meta.url)(join(packageRoot, 'dist', file)).main(args);
}
