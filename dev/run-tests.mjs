import { createRequire } from 'node:module';
import { packageRoot, say } from './bootstrap/here.mjs';

/** A test that keeps the process from ending is a leak: named and failed, not waited for. */
const LEAK_AFTER_MS = 10_000;

/** Runs jest in this process with `args`, ends the output with `N passed, N failed`, returns the exit code. */
export async function runTests(args) {
  process.chdir(packageRoot);
  process.env.NODE_ENV ??= 'test';
  const require = createRequire(import.meta.url);
  const { buildArgv, runCLI } = require('jest');
  try {
    const { results } = await runCLI(await buildArgv(args), [packageRoot]);
    setTimeout(() => {
      say('something keeps the tests from ending: `npm test -- --detectOpenHandles` tells what');
      process.exit(1);
    }, LEAK_AFTER_MS).unref();
    return conclude(results);
  } catch (error) {
    console.error(error);
    console.log('0 passed, 1 failed');
    // Servers of a set-up that failed half-way end with this process.
    process.exit(1);
  }
}

function conclude(results) {
  // A file that could not be loaded has no tests to count.
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  console.log(
    `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  );
  if (results.numPassedTests + failed === 0) {
    say('no test was executed');
    return 1;
  }
  return results.success && failed === 0 ? 0 : 1;
}
