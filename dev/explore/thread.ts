import { parentPort, workerData } from 'node:worker_threads';
import { ALPHABET } from './events';
import { Expander } from './expand';
import { KnownStates } from './known-states';
import type { Part } from './threads';

/** A thread of `searchInThreads`. */
const expander = new Expander(ALPHABET, new KnownStates(workerData as SharedArrayBuffer));
parentPort?.on('message', ({ traces, events, depth }: Part) => {
  const expanded = expander.expand(traces, events, depth);
  parentPort?.postMessage(expanded, [expanded.next.buffer as ArrayBuffer]);
});
