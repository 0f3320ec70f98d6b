import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withCheckoutLock } from './checkout-lock.mjs';
import { ChildFailed, runChild } from './child.mjs';
import { installDependencies } from './dependencies.mjs';
import { useOwnEnvironment } from './environment.mjs';
import { packageRoot, say } from './here.mjs';
import { BROWSER_TASKS, TASKS } from './tasks.mjs';

/** Errors whose message says what is missing and what to do. */
const SELF_EXPLAINING = new Set(['CheckoutNotWritable', 'TemporalCliMissing', 'ChromiumMissing']);

/** Brings the checkout up to date, then runs the task in this process, so that signals reach it directly. */
export async function main([name, ...args]) {
  const task = TASKS[name];
  if (task === undefined) {
    say(`usage: node dev/bootstrap.mjs ${Object.keys(TASKS).join('|')} [arguments of the task]`);
    process.exitCode = 2;
    return;
  }
  try {
    await withCheckoutLock(async () => {
      await installDependencies();
      await runChild(process.execPath, [join(packageRoot, 'dev', 'build.mjs'), '--say'], {});
    });
    // Before the environment is cleared: only a download needs the user's proxy and index settings.
    const options = { env: process.env, log: say };
    const own = { TEMPORAL_CLI_PATH: await requireBuilt('temporal-cli').findTemporalCli(options) };
    if (BROWSER_TASKS.has(name)) own.CHROMIUM_PATH = await requireBuilt('chromium').findChromium(options);
    useOwnEnvironment(own);
    await task(args);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function requireBuilt(name) {
  return createRequire(import.meta.url)(join(packageRoot, 'dist', 'dev', `${name}.js`));
}

function report(error) {
  // A failed step has printed its reason; an interruption needs none.
  if (typeof error?.exitCode === 'number') {
    if (error instanceof ChildFailed && !error.interrupted) say(error.message);
    return error.exitCode;
  }
  say(SELF_EXPLAINING.has(error?.name) ? error.message : (error?.stack ?? String(error)));
  return 1;
}
