import { constants } from 'node:os';
import type { Scope } from './scope';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * On SIGINT, SIGTERM or SIGHUP: releases the scope, then ends the process with exit code 128 + signal. Ignores further
 * signals meanwhile, because npm passes a terminal's Ctrl-C on, and it arrives twice. Returns a function that removes
 * the handlers.
 */
export function releaseOnSignals(scope: Scope): () => void {
  let ending = false;
  const end = (signal: (typeof ENDING)[number]): void => {
    if (ending) return;
    ending = true;
    const leave = (): never => process.exit(128 + constants.signals[signal]);
    void scope.release().then(leave, (error: unknown) => {
      console.error(error);
      leave();
    });
  };
  for (const signal of ENDING) process.on(signal, end);
  return () => {
    for (const signal of ENDING) process.off(signal, end);
  };
}
