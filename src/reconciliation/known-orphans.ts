import type { Break, FoundBreak } from './break';
import { readOrphanFact, uniteOrphanFacts } from './orphan-fact';
import type { OrphanFact, OrphanIds } from './orphan-fact';
import { isSameDebit } from './orphans';
import type { ReportedOrphan } from './orphans';

/** A statement's date may be only a day, and in another time zone by another mapping. */
const SAME_BOOKING_WITHIN_MS = 86_400_000;

interface Pair {
  readonly place: number;
  readonly known: Break;
  /** Number of kinds of ids that they share. */
  readonly shared: number;
  readonly isOwnKey: boolean;
}

/**
 * Gives each debit the key of the break that already stands for it, or an unused key: a break stands for one debit
 * only. The first report of a debit may have had other ids. Among several breaks, the choice follows this order:
 *
 * 1. the break that shares most ids,
 * 2. an unresolved break,
 * 3. the break with the debit's own key,
 * 4. the break that was seen first.
 *
 * @param known every break that has one of the debits' keys
 */
export function underKnownKeys(
  reported: readonly ReportedOrphan[],
  known: readonly { readonly break: Break }[],
): FoundBreak[] {
  const pairs = pairsOf(reported, known).sort(
    (a, b) =>
      b.shared - a.shared ||
      Number(a.known.state === 'resolved') - Number(b.known.state === 'resolved') ||
      Number(b.isOwnKey) - Number(a.isOwnKey) ||
      Date.parse(a.known.firstSeen) - Date.parse(b.known.firstSeen) ||
      a.place - b.place,
  );
  const keys = new Map<number, string>();
  const taken = new Set<string>();
  for (const { place, known: one } of pairs) {
    if (keys.has(place) || taken.has(one.key)) continue;
    keys.set(place, one.key);
    taken.add(one.key);
  }
  for (const { break: one } of known) taken.add(one.key);
  return reported.map(({ found, keys: own }, place) => {
    const key = keys.get(place) ?? own.find((one) => !taken.has(one)) ?? own.at(-1) ?? found.key;
    taken.add(key);
    return { ...found, key };
  });
}

/** The debits to report, each under the key of its break, and those of the known breaks that stand for them. */
export function toReport<Known extends { readonly break: Break }>(
  reported: readonly ReportedOrphan[],
  known: readonly Known[],
): { readonly found: readonly FoundBreak[]; readonly known: readonly Known[] } {
  const byKey = new Map(known.map((one) => [one.break.key, one.break]));
  const found = underKnownKeys(reported, known).filter((one) => !isDealtWith(one, byKey.get(one.key)));
  const keys = new Set(found.map(({ key }) => key));
  return { found, known: known.filter((one) => keys.has(one.break.key)) };
}

/** Whether the break may stand for this debit. */
export const isBreakOf = (known: Break, reported: ReportedOrphan): boolean =>
  sameAs(reported, known, readOrphanFact(known.fact)) !== null;

/** Resolved by hand and unchanged: neither reported nor written again. */
export const isDealtWith = (found: FoundBreak, known: Break | undefined): boolean =>
  known?.state === 'resolved' &&
  known.resolvedFact !== null &&
  uniteOrphanFacts(known.fact, found.fact) === known.fact &&
  (known.amount !== null || found.amount === null);

function pairsOf(reported: readonly ReportedOrphan[], known: readonly { readonly break: Break }[]): Pair[] {
  const facts = new Map(known.map(({ break: one }) => [one, readOrphanFact(one.fact)]));
  const near = new Map<string, Break[]>();
  for (const [one, fact] of facts) {
    for (const name of [one.key, ...namesOf(fact)]) near.set(name, [...(near.get(name) ?? []), one]);
  }
  return reported.flatMap((one, place) => {
    const names = [...one.keys, ...one.ids.flatMap(namesOf)];
    const candidates = new Set(names.flatMap((name) => near.get(name) ?? []));
    return [...candidates].flatMap((other) => {
      const fact = facts.get(other);
      const shared = fact === undefined ? null : sameAs(one, other, fact);
      return shared === null ? [] : [{ place, known: other, shared, isOwnKey: one.found.key === other.key }];
    });
  });
}

/** How many kinds of ids a debit shares with the debit of a break; null: they are two different debits. */
function sameAs({ found, keys, ids }: ReportedOrphan, known: Break, fact: OrphanFact): number | null {
  if (!isSameBooking(found, known, fact)) return null;
  if (namesOf(fact).length === 0) return keys.includes(known.key) ? 0 : null;
  const shared = ids.filter((one) => isSameDebit(one, fact)).map((one) => sharedKinds(one, fact));
  return shared.length === 0 ? null : Math.max(...shared);
}

/** A notification has no amount, so it may be about any booking of its movement. */
function isSameBooking(found: FoundBreak, known: Break, fact: OrphanFact): boolean {
  const reported = readOrphanFact(found.fact);
  if (reported.account !== null && fact.account !== null && reported.account !== fact.account) return false;
  if (found.amount === null || known.amount === null) return true;
  const apartMs = Date.parse(found.evidence?.at ?? '') - Date.parse(known.evidence?.at ?? '');
  return (
    found.amount.currency === known.amount.currency &&
    found.amount.value === known.amount.value &&
    reported.ordinal === fact.ordinal &&
    Math.abs(apartMs) < SAME_BOOKING_WITHIN_MS
  );
}

const namesOf = ({ movementIds, networkIds, originIds }: OrphanIds): string[] => [
  ...movementIds.map((id) => `movement ${id}`),
  ...networkIds.map((id) => `network ${id}`),
  ...originIds.map((id) => `origin ${String(id)}`),
];

const sharedKinds = (a: OrphanIds, b: OrphanIds): number =>
  (['movementIds', 'networkIds', 'originIds'] as const).filter((name) =>
    a[name].some((id) => (b[name] as readonly unknown[]).includes(id)),
  ).length;
