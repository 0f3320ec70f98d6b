/**
 * Supervises one server for the process that started this one, the starter. Makes the server's folder, prepares and
 * runs the server. When the pipe on standard input closes, stops the server and deletes the folder. The kernel closes
 * the pipe when the starter ends, even by kill -9, so a crash is handled like an orderly end. Runs in a separate
 * session (see kept-process.ts): a terminal's Ctrl-C reaches only the starter, which still needs its servers in order
 * to shut down.
 *
 * In: one line of JSON (`KeptSpec`), then a line of JSON for each `KeeperOrder`. Out: one line of JSON per event
 * (`KeeperEvent`).
 */
import { spawn } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const LOG_TAIL_LINES = 30;

let stopping = false;
/** The running program: a preparing step or the server. */
let current = null;
let stopSignal = 'SIGTERM';
let stopTimeoutMs = 0;
/** The server is halted, or about to be: its folder stays when it ends. */
let halting = false;
let resume = () => undefined;

function tell(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function stop() {
  if (stopping) return;
  stopping = true;
  end(stopSignal);
  resume();
}

function end(signal) {
  const child = current;
  if (child === null) return;
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs).unref();
}

/** From the starter: `{"halt": "SIGQUIT"}` or `{"resume": true}`. */
function obey(order) {
  if (stopping) return;
  if (order.resume === true) return resume();
  halting = true;
  end(order.halt);
}

/** Runs a program to its end; its output goes to the log. */
function run(program, spec, log) {
  return new Promise((resolve, reject) => {
    const owner = spec.owner === null ? {} : spec.owner;
    const child = spawn(program.command, program.args, {
      cwd: spec.folder,
      env: spec.env,
      stdio: ['ignore', log, log],
      ...owner,
    });
    current = child;
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      current = null;
      resolve({ code, signal });
    });
  });
}

function makeFolder(spec) {
  mkdirSync(spec.folder, { mode: 0o700 });
  for (const { from, to } of spec.copies) {
    // Links stay relative: absolute links would lead back to folders that the owner may not read.
    cpSync(from, join(spec.folder, to), { recursive: true, verbatimSymlinks: true });
  }
  for (const [name, text] of Object.entries(spec.files)) {
    const path = join(spec.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (spec.owner !== null) chownSync(path, spec.owner.uid, spec.owner.gid);
  }
  if (spec.owner !== null) chownSync(spec.folder, spec.owner.uid, spec.owner.gid);
}

function tailOf(path) {
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

async function keep(spec) {
  stopSignal = spec.stopSignal;
  stopTimeoutMs = spec.stopTimeoutMs;
  const logFile = join(spec.folder, 'server.log');
  try {
    makeFolder(spec);
    const log = openSync(logFile, 'a', 0o600);
    for (const step of spec.prepare) {
      if (stopping) return;
      const end = await run(step, spec, log);
      if (end.code !== 0) return tell({ event: 'ended', ...end, log: tailOf(logFile) });
    }
    while (!stopping) {
      const ended = run(spec.server, spec, log);
      tell({ event: 'started', pid: current?.pid ?? null });
      const how = await ended;
      if (!stopping && !halting && spec.restartAfterMs !== undefined) {
        await sleep(spec.restartAfterMs);
        continue;
      }
      if (stopping || !halting) return tell({ event: 'ended', ...how, log: tailOf(logFile) });
      await new Promise((resolve) => {
        resume = resolve;
        tell({ event: 'halted' });
      });
      halting = false;
    }
    tell({ event: 'ended', code: null, signal: null, log: tailOf(logFile) });
  } catch (error) {
    tell({ event: 'ended', code: null, signal: null, log: `${error.message}\n${tailOf(logFile)}` });
  } finally {
    rmSync(spec.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.stdin.destroy();
  }
}

// If the starter has ended, nobody reads the output, but the clean-up must still happen.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

const lines = createInterface({ input: process.stdin });
lines.once('line', (spec) => {
  lines.on('line', (order) => obey(JSON.parse(order)));
  void keep(JSON.parse(spec));
});
lines.once('close', stop);
