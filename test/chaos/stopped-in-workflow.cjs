/**
 * To be required by a worker's process (`--require`, which its threads repeat): once, in the middle of a step of workflow
 * code, it stops the whole process, as a frozen machine does. Its id is then in the file STOPPED_FILE. Continued, it keeps
 * the step busy for a moment, so that a watchdog that is due ends the step.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { existsSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/** A call from a reaction to a promise, where ending the step corrupts Node's stack of async hooks. */
const STOPPED_AT_CALL = 8;
const BUSY_MS = 500;

const file = process.env['STOPPED_FILE'];
let calls = 0;

if (!isMainThread) {
  const { run } = AsyncLocalStorage.prototype;
  AsyncLocalStorage.prototype.run = function (...given) {
    calls += 1;
    if (calls === STOPPED_AT_CALL && !existsSync(file)) {
      writeFileSync(file, String(process.pid));
      process.kill(process.pid, 'SIGSTOP');
      for (const untilMs = Date.now() + BUSY_MS; Date.now() < untilMs;);
    }
    return run.apply(this, given);
  };
}
