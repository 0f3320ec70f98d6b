import { setFlagsFromString } from 'node:v8';

/** How far a heap grows before V8's next full garbage collection, in percent of its size after the last one. */
const HEAP_GROWTH_PERCENT = 30;

/**
 * Lets the heaps of this process and of its threads grow slowly. By default V8 lets them grow further between two full
 * collections, and with a large cache of runs that takes much memory (bench/README.md).
 */
export function growHeapsSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
