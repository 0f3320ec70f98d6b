/** Returns a function that puts the seconds since now before a line. */
export function elapsedStamp(): (line: string) => string {
  const startedMs = performance.now();
  return (line) => `${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}`;
}

/** Prints lines with `elapsedStamp` on stderr. */
export function sayOnStderr(): (line: string) => void {
  const stamp = elapsedStamp();
  return (line) => void process.stderr.write(`${stamp(line)}\n`);
}
