import type { OrphanNotification, StatementLine } from './books';
import type { Break, FoundBreak } from './break';
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
  const keyOf = firstKey(orphan) ?? `DELIVERY:${orphan.deliveryKey}`;
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
    firstKey(idsOfLine(line)) ??
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

/** Every key that a break of this debit may have, the one that a new break gets first. */
export function orphanKeys({ originIds, movementIds, networkIds }: OrphanIds): string[] {
  return [
    ...movementIds.map((id) => `MOVEMENT:${id}`),
    ...networkIds.map((id) => `NETWORK:${id}`),
    ...originIds.map((id) => `ORIGIN:${String(id)}`),
  ].map((key) => `ORPHAN_AT_BANK:${key}`);
}

export interface OrphanIds {
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly networkIds: readonly string[];
}

/** Whether two are one: they share an id, and have no different ids of the network, nor of ours. */
export function isSameDebit(a: OrphanIds, b: OrphanIds): boolean {
  const shares = (name: keyof OrphanIds): boolean =>
    a[name].some((id) => (b[name] as unknown[]).includes(id));
  const differs = (name: keyof OrphanIds): boolean =>
    a[name].length > 0 && b[name].length > 0 && !shares(name);
  const isNear = shares('originIds') || shares('movementIds') || shares('networkIds');
  return isNear && !differs('networkIds') && !differs('originIds');
}

export const idsOfLine = ({ originId, movementId, networkId }: StatementLine): OrphanIds => ({
  originIds: originId === null ? [] : [originId],
  movementIds: movementId === null ? [] : [movementId],
  networkIds: networkId === null ? [] : [networkId],
});

/**
 * The same debit under the key of the break that stands for it already: who told of it first may have known other ids.
 * Of several the one that is not resolved, then the one that was seen first.
 */
export function underKnownKey(
  found: FoundBreak,
  keys: readonly string[],
  known: readonly { readonly break: Break }[],
): FoundBreak {
  const [own] = known
    .map((one) => one.break)
    .filter(({ key }) => key === found.key || keys.includes(key))
    .sort(
      (a, b) =>
        Number(a.state === 'resolved') - Number(b.state === 'resolved') ||
        Date.parse(a.firstSeen) - Date.parse(b.firstSeen),
    );
  return own === undefined ? found : { ...found, key: own.key };
}

/** Somebody has dealt with it: it is not told again. */
export const isDealtWith = ({ fact }: FoundBreak, known: Break | undefined): boolean =>
  known?.state === 'resolved' && known.settledFact === fact;

/** The key without its class. */
const firstKey = (ids: OrphanIds): string | null =>
  orphanKeys(ids)[0]?.slice('ORPHAN_AT_BANK:'.length) ?? null;

const idTail = (name: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${name} ${ids.join(', ')}`];
