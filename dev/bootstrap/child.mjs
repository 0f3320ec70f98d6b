import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** npm continues to install for a while after a SIGTERM. The next set-up repeats an unfinished installation. */
const KILL_AFTER_MS = 2_000;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A step of the set-up failed. */
export class ChildFailed extends Error {
  constructor(message, exitCode, interrupted) {
    super(message);
    this.exitCode = exitCode;
    this.interrupted = interrupted;
  }
}

/**
 * Runs a step to its end. The output goes to stderr (`quiet`: errors only). A signal is passed on to the step, and ends
 * the set-up after it.
 */
export function runChild(command, args, { cwd, quiet = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', quiet ? 'ignore' : 2, 2] });
    let received = null;
    const pass = (signal) => {
      if (received === null) setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
      received ??= signal;
      child.kill(signal);
    };
    for (const signal of ENDING) process.on(signal, pass);
    const settle = (failure) => {
      for (const signal of ENDING) process.off(signal, pass);
      if (failure === null) resolve();
      else reject(failure);
    };
    child.once('error', (error) => settle(new ChildFailed(`${command}: ${error.message}`, 1, false)));
    child.once('exit', (code, signal) => {
      const ended = received ?? signal;
      if (ended !== null)
        settle(new ChildFailed(`${command}: ${ended}`, 128 + constants.signals[ended], received !== null));
      else
        settle(code === 0 ? null : new ChildFailed(`\`${[command, ...args].join(' ')}\` failed`, 1, false));
    });
  });
}
