import { isSameDebit } from '../reconciliation/orphans';
import type { MovementIds, OrphanDebit } from './inbox';

/**
 * Notifications of one debit, told at each of its states, as one: the first, with the ids of those after it. Two with
 * different ids of the network, or of ours, are two debits, whatever else they share.
 *
 * @param debits in the order in which they came
 */
export function mergeSameDebits(debits: readonly OrphanDebit[]): OrphanDebit[] {
  const merged: OrphanDebit[] = [];
  const placesOf = new Map<string, number[]>();
  for (const debit of debits) {
    const near = keysOf(debit).flatMap((key) => placesOf.get(key) ?? []);
    const place = near.find((index) => merged[index] !== undefined && isSameDebit(merged[index], debit));
    const first = place === undefined ? undefined : merged[place];
    if (place === undefined || first === undefined) merged.push(debit);
    else merged[place] = { ...first, ...union(first, debit) };
    for (const key of keysOf(debit))
      placesOf.set(key, [...(placesOf.get(key) ?? []), place ?? merged.length - 1]);
  }
  return merged;
}

const keysOf = ({ originIds, movementIds, networkIds }: MovementIds): string[] => [
  ...originIds.map((id) => `origin ${id}`),
  ...networkIds.map((id) => `network ${id}`),
  ...movementIds.map((id) => `movement ${id}`),
];

const union = (a: MovementIds, b: MovementIds): MovementIds => ({
  originIds: [...new Set([...a.originIds, ...b.originIds])],
  movementIds: [...new Set([...a.movementIds, ...b.movementIds])],
  networkIds: [...new Set([...a.networkIds, ...b.networkIds])],
});
