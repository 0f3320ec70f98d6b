import type { OrphanNotification, StatementLine } from './books';
import type { FoundBreak } from './break';
import { foundBreak } from './found-break';

/**
 * Debits that nobody ordered. The key is the bank's id where there is one, so that a notification and a statement
 * which tell of one movement make one break.
 */
export function orphanOfNotification(orphan: OrphanNotification): FoundBreak {
  const { movementIds, networkIds, originIds, receivedAt } = orphan;
  const tail = [
    ...(orphan.movementType === null ? [] : [`type ${orphan.movementType}`]),
    ...idTail('movement', movementIds),
    ...idTail('network id', networkIds),
    ...idTail('originId', originIds.map(String)),
    `notified ${receivedAt}`,
  ];
  const keyOf = idKey(movementIds[0], networkIds[0], originIds[0]) ?? `DELIVERY:${orphan.deliveryKey}`;
  const evidence = { sha256: null, at: receivedAt };
  return foundBreak('NOTIFIED_DEBIT', {
    originId: originIds[0] ?? null,
    tail,
    amount: null,
    evidence,
    fact: [],
    keyOf,
  });
}

/**
 * A statement's debit that belongs to no transfer. `ordinal` counts equal lines without any id from 1, so that their
 * keys are the same in every file that holds them; `suggested` are transfers that it might belong to, for a person.
 */
export function orphanOfLine(
  line: StatementLine,
  sha256: string,
  ordinal: number,
  suggested: readonly number[],
): FoundBreak {
  const { movementId, networkId, originId, account, amount, bookedAt } = line;
  const keyOf =
    idKey(movementId ?? undefined, networkId ?? undefined, originId ?? undefined) ??
    // Two accounts may have the same sum on the same day.
    [
      'BOOKING',
      ...(account === null ? [] : [account]),
      bookedAt,
      amount.currency,
      amount.value,
      ordinal,
    ].join(':');
  return foundBreak('DEBIT_ON_STATEMENT', {
    originId,
    tail: [
      `line ${line.line}`,
      ...idTail('movement', movementId === null ? [] : [movementId]),
      ...idTail('network id', networkId === null ? [] : [networkId]),
      `booked ${bookedAt}`,
      ...(suggested.length === 0 ? [] : [`may be ${suggested.join(', ')} by amount, account and date`]),
    ],
    amount,
    evidence: { sha256, at: bookedAt },
    fact: [],
    keyOf,
  });
}

function idKey(movementId?: string, networkId?: string, originId?: number): string | null {
  if (movementId !== undefined) return `MOVEMENT:${movementId}`;
  if (networkId !== undefined) return `NETWORK:${networkId}`;
  return originId === undefined ? null : `ORIGIN:${originId}`;
}

const idTail = (name: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${name} ${ids.join(', ')}`];
