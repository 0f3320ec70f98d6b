import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Expanded } from './expand';
import { KnownStates } from './known-states';
import { partsOf, searchBy, startingFrom } from './search';
import type { Found, Level } from './search';

/** Slots for the states that all threads share: half a GiB of address space, of which only used pages take memory. */
const SLOTS = 2 ** 26;
/** Few enough that no thread waits long for the last part, and many enough that messages cost little. */
const TRACES_A_PART = 256;

/** A request to a thread: traces as in `Traces`, each of `events` events. */
export interface Part {
  readonly traces: Uint8Array;
  readonly events: number;
  readonly depth: number;
}

export interface ThreadedOptions {
  readonly depth: number;
  readonly threads: number;
  readonly onLevel: (level: Level) => void;
  /** Called after each part of a level, with the share of the level that is done, 0 to 1. */
  readonly onPart: (share: number) => void;
}

/** Searches in several threads: each expands parts of a level, and all share the known states. */
export async function searchInThreads({ depth, threads, onLevel, onPart }: ThreadedOptions): Promise<Found> {
  const known = startingFrom(KnownStates.ofCapacity(SLOTS));
  const workers = Array.from(
    { length: threads },
    () =>
      new Worker(join(__dirname, 'thread.js'), {
        workerData: known.memory,
        resourceLimits: { maxOldGenerationSizeMb: 4_096, maxYoungGenerationSizeMb: 256 },
      }),
  );
  try {
    return await searchBy(
      (traces, events) => expandAll(workers, { traces, events, depth }, onPart),
      depth,
      onLevel,
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

async function expandAll(
  workers: readonly Worker[],
  { traces, events, depth }: Part,
  onPart: ThreadedOptions['onPart'],
): Promise<Expanded> {
  const parts = partsOf(traces, events, TRACES_A_PART);
  const results: Expanded[] = [];
  const total = Math.ceil(traces.length / Math.max(events * 2 * TRACES_A_PART, 1));
  await Promise.all(
    workers.map(async (worker) => {
      for (const part of parts) {
        const result = await ask(worker, { traces: part, events, depth });
        results.push(result);
        onPart(results.length / total);
        if (result.violation !== null) parts.return(undefined);
      }
    }),
  );
  return {
    next: joined(results.map(({ next }) => next)),
    states: sumOf(results.map(({ states }) => states)),
    tried: sumOf(results.map(({ tried }) => tried)),
    violation: results.find(({ violation }) => violation !== null)?.violation ?? null,
  };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** A separate buffer, because its parts are transferred to threads. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(sumOf(parts.map(({ length }) => length)));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const ask = (worker: Worker, part: Part): Promise<Expanded> =>
  new Promise((resolve, reject) => {
    const done = (end: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      end();
    };
    const onMessage = (expanded: Expanded): void => done(() => resolve(expanded));
    const onError = (error: Error): void => done(() => reject(error));
    worker.once('message', onMessage);
    worker.once('error', onError);
    worker.postMessage(part, [part.traces.buffer as ArrayBuffer]);
  });
