import { setFlagsFromString } from 'node:v8';

/** How far V8 lets a heap grow before the next full collection, in percent of what the last one left. */
const HEAP_GROWTH_PERCENT = 30;

/**
 * Lets the heaps of this process and of its threads grow slowly. By default V8 lets them grow further before the next
 * full collection, which takes much memory where a large cache of runs stays (bench/README.md).
 */
export function growHeapsSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
