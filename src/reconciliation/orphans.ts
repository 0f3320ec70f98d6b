import type { OrphanNotification, StatementLine } from './books';
import type { FoundBreak } from './break';
import { foundBreak } from './found-break';
import { writeOrphanFact } from './orphan-fact';
import type { OrphanIds } from './orphan-fact';

/** A debit that nobody ordered, as reported by one notification or line. */
export interface ReportedOrphan {
  /** The break, under the first of `keys`. */
  readonly found: FoundBreak;
  /** Possible keys of its break, the best one first; only this debit has the last one. */
  readonly keys: readonly string[];
  /** The debit's ids, then those of notifications that may have reported it under other ids. */
  readonly ids: readonly OrphanIds[];
}

/**
 * A notified debit that nobody ordered. The key is the bank's id if known, so that a notification and a statement about
 * one movement make one break.
 */
export function orphanOfNotification(
  orphan: OrphanNotification,
  subCase: 'NOTIFIED_DEBIT' | 'UNCONFIRMED_DEBIT',
): ReportedOrphan {
  const { movementIds, networkIds, originIds, receivedAt } = orphan;
  const tail = [
    ...(orphan.movementType === null ? [] : [`type ${orphan.movementType}`]),
    ...idTail('movement', movementIds),
    ...idTail('network id', networkIds),
    ...idTail('originId', originIds.map(String)),
    `notified ${receivedAt}`,
  ];
  const keys = [...orphanKeys(orphan), `${PREFIX}DELIVERY:${orphan.deliveryKey}`];
  const found = foundBreak(subCase, {
    originId: originIds[0] ?? null,
    tail,
    amount: null,
    evidence: { sha256: null, at: receivedAt },
    fact: [writeOrphanFact({ movementIds, networkIds, originIds, account: null, ordinal: 1 })],
    keyOf: withoutClass(keys),
  });
  return { found, keys, ids: [orphan] };
}

export interface ReportedLine {
  readonly line: StatementLine;
  readonly sha256: string;
  /**
   * The number of this line, from 1, among the file's lines with the same ids, account, direction and amount; for a
   * line without ids, among those with the same booking time, account, direction and amount (`BookingOrdinals`).
   */
  readonly ordinal: number;
  /** False: the line's counterparty does not open, so there may be too many suggestions. */
  readonly isReadable: boolean;
  /** Transfers that the debit might belong to, for a person. */
  readonly suggested: readonly number[];
  /** Debits that notifications reported. */
  readonly notified: readonly OrphanIds[];
}

/**
 * A statement's debit that belongs to no transfer. One movement may have several bookings, such as a payment and its
 * tax. Each booking is a separate break, so the key of every booking but the first contains its day and amount too.
 */
export function orphanOfLine({
  line,
  sha256,
  ordinal,
  isReadable,
  suggested,
  notified,
}: ReportedLine): ReportedOrphan {
  const { movementId, networkId, originId, account, amount, bookedAt } = line;
  const own = idsOfLine(line);
  const keys = keysOfLine(line, ordinal);
  const found = foundBreak('DEBIT_ON_STATEMENT', {
    originId,
    tail: [
      `line ${line.line}`,
      ...idTail('movement', movementId === null ? [] : [movementId]),
      ...idTail('network id', networkId === null ? [] : [networkId]),
      `booked ${bookedAt}`,
      ...(isReadable ? [] : ['its other account cannot be read']),
      ...(suggested.length === 0 ? [] : [`may be ${suggested.join(', ')} by amount, account and date`]),
    ],
    amount,
    evidence: { sha256, at: bookedAt },
    fact: [writeOrphanFact({ ...own, account, ordinal })],
    keyOf: withoutClass(keys),
  });
  return { found, keys, ids: [own, ...notified.filter((one) => isSameDebit(one, own))] };
}

function keysOfLine(line: StatementLine, ordinal: number): string[] {
  const { amount, account, bookedAt } = line;
  const booking = `${amount.currency}:${amount.value}:${String(ordinal)}`;
  const ofIds = orphanKeys(idsOfLine(line));
  if (ofIds.length === 0) {
    // Two accounts may have the same sum on the same day.
    return ['', `${account ?? '-'}:`].map((of) => `${PREFIX}BOOKING:${of}${bookedAt}:${booking}`);
  }
  const ids = ofIds.map((key) => key.slice(PREFIX.length));
  return [...ofIds, `${PREFIX}${[...ids, bookedAt.slice(0, 10), booking].join(':')}`];
}

/** The keys that are made of a single id of a debit, the best key first. */
export function orphanKeys({ originIds, movementIds, networkIds }: OrphanIds): string[] {
  return [
    ...movementIds.map((id) => `MOVEMENT:${id}`),
    ...networkIds.map((id) => `NETWORK:${id}`),
    ...originIds.map((id) => `ORIGIN:${String(id)}`),
  ].map((key) => `${PREFIX}${key}`);
}

/** Whether two reports are about one debit: they share an id, and neither their network ids nor our ids differ. */
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

const PREFIX = 'ORPHAN_AT_BANK:';
const withoutClass = ([first = '']: readonly string[]): string => first.slice(PREFIX.length);

const idTail = (name: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${name} ${ids.join(', ')}`];
