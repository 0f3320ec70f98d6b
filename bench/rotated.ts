/** Begins with another item in each round, because the machine's load changes during a round. */
export const rotated = <T>(items: readonly T[], round: number): readonly T[] => {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};
