import { constants } from 'node:os';
import type { Scope } from './scope';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * On SIGINT, SIGTERM or SIGHUP: releases the scope, then ends the process with exit code 128 + signal. Ignores further
 * signals meanwhile, because npm passes a terminal's Ctrl-C on, and it arrives twice. Also ignores errors meanwhile: the
 * interrupted work goes on with resources that are gone. Does the same, with exit code 128 + SIGPIPE, when nobody
 * reads the output any more (`| head -1`). Returns a function that removes the handlers.
 */
export function releaseOnSignals(scope: Scope): () => void {
  let ending = false;
  const end = (signal: (typeof ENDING)[number] | 'SIGPIPE'): void => {
    if (ending) return;
    ending = true;
    process.on('uncaughtException', () => undefined);
    const leave = (): never => process.exit(128 + constants.signals[signal]);
    void scope.release().then(leave, (error: unknown) => {
      console.error(error);
      leave();
    });
  };
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    end('SIGPIPE');
  };
  const outputs = [process.stdout, process.stderr];
  for (const signal of ENDING) process.on(signal, end);
  for (const output of outputs) output.on('error', onOutputError);
  return () => {
    for (const signal of ENDING) process.off(signal, end);
    for (const output of outputs) output.off('error', onOutputError);
  };
}
