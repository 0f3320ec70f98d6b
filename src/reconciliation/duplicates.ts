import type { BookedTransfer } from './books';
import type { FoundBreak } from './break';
import { foundBreak } from './found-break';

/**
 * One movement or network id under several originIds. The break belongs to the highest of them, the one that came
 * last, and reads the same from whichever of them it is seen, so that it is one break. Two that share both ids share
 * one movement: told once.
 */
export function findDuplicates({ originId, sameMovementId, sameNetworkId }: BookedTransfer): FoundBreak[] {
  const byMovement = new Set(sameMovementId);
  const byNetworkAlone = sameNetworkId.filter((other) => !byMovement.has(other));
  return [
    ...duplicate('SAME_MOVEMENT_ID', [originId, ...byMovement]),
    ...duplicate('SAME_NETWORK_ID', [originId, ...byNetworkAlone]),
  ];
}

function duplicate(
  subCase: 'SAME_MOVEMENT_ID' | 'SAME_NETWORK_ID',
  originIds: readonly number[],
): FoundBreak[] {
  const all = [...new Set(originIds)].sort((a, b) => a - b);
  const last = all.at(-1);
  if (last === undefined || all.length < 2) return [];
  // Amounts and answers belong to one of them each, so none is given here.
  const tail = [`originIds ${all.join(', ')}`];
  return [foundBreak(subCase, { originId: last, tail, amount: null, evidence: null, fact: all.map(String) })];
}
