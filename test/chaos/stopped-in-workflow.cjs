/**
 * Required by a worker's process (`--require` also applies to its threads). Stops the process once, in the middle of a
 * step of workflow code, like a frozen machine, and writes the process id to STOPPED_FILE. After SIGCONT the step stays
 * busy for a moment, so that an overdue watchdog interrupts it.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { existsSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/** This call runs in a reaction to a promise, where an interruption corrupts Node's async hooks. */
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
