/** Runs `work` over the items in order, at most `atOnce` at a time. Throws the first failure after all are done. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  const failed = lanes.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
