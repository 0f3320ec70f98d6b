/** The smallest value that at least `share` of the values do not exceed; NaN: no values. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN;

/** The largest number of arrivals within any 1,000 ms. `times`: ms. */
export function busiestSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [last, time] of sorted.entries()) {
    while (time >= (sorted[first] ?? time) + 1_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
