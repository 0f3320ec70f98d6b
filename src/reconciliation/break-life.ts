import type { Book } from './books';
import type { Break, FoundBreak } from './break';
import type { SubCase } from './differences';
import { uniteOrphanFacts } from './orphan-fact';
import { severityOf } from './differences';

/** What happened to a break: a row of its append-only history. */
export interface BreakChange {
  readonly kind: 'opened' | 'changed' | 'acknowledged' | 'resolved' | 'reopened';
  /** ISO UTC: `asOf` of the run, or the time of the operator's command. */
  readonly at: string;
  /** Null: a run. */
  readonly operator: string | null;
  readonly note: string | null;
}

/** The break afterwards; `change` null: nothing changed. */
export interface BreakStep {
  readonly break: Break;
  readonly change: BreakChange | null;
}

/**
 * A run sees a difference. A new break opens. A break that an earlier run resolved opens again. A break resolved by
 * hand stays resolved as long as its fact is unchanged, because somebody has dealt with it. An acknowledged break opens
 * again when its fact has changed.
 */
export function seeBreak(known: Break | null, found: FoundBreak, asOf: string): BreakStep {
  if (known === null) return step({ ...found, ...NEW_LIFE, firstSeen: asOf, lastSeen: asOf }, 'opened', asOf);
  const firstSeen = earlier(known.firstSeen, asOf);
  const reported = withWhatIsKnown(known, found);
  const seen: Break = {
    ...known,
    ...reported,
    firstSeen,
    lastSeen: later(known.lastSeen, asOf),
    severity: severityOf(
      reported.subCase as SubCase,
      reported.amount,
      Date.parse(asOf) - Date.parse(firstSeen),
    ),
  };
  // A break of a debit without an order stands for that debit alone: further details do not change its fact.
  const isOrphan = known.class === 'ORPHAN_AT_BANK';
  const isSameFact = isOrphan || known.fact === found.fact;
  switch (known.state) {
    case 'open':
      return isSameFact ? { break: seen, change: null } : step(seen, 'changed', asOf);
    case 'acknowledged':
      if (isSameFact) return { break: seen, change: null };
      return step({ ...seen, ...NEW_LIFE }, 'reopened', asOf);
    case 'resolved':
      if (isOrphan ? known.resolvedFact !== null : known.resolvedFact === found.fact) {
        return { break: seen, change: null };
      }
      return step({ ...seen, ...NEW_LIFE }, 'reopened', asOf);
  }
}

/**
 * A run compared the transfer and did not see the break. The break resolves only if that run checked the book that
 * shows it, and if its `asOf` is not before that of the last run that saw it.
 */
export function missBreak(known: Break, sourcesChecked: ReadonlySet<Book>, asOf: string): BreakStep {
  if (!sourcesChecked.has(known.book) || Date.parse(asOf) < Date.parse(known.lastSeen)) {
    return { break: known, change: null };
  }
  if (known.state === 'resolved') return { break: { ...known, resolvedFact: null }, change: null };
  return step({ ...known, state: 'resolved', resolvedBy: 'run', resolvedFact: null }, 'resolved', asOf);
}

export interface OperatorAction {
  readonly operator: string;
  readonly note: string;
  /** ISO UTC. */
  readonly at: string;
}

/** An operator acknowledges the break. Null: already resolved. A second acknowledgement replaces the first. */
export function acknowledgeBreak(known: Break, by: OperatorAction): BreakStep | null {
  if (known.state === 'resolved') return null;
  const { operator, note, at } = by;
  return step({ ...known, state: 'acknowledged', operator, note }, 'acknowledged', at, by);
}

/** An operator resolves the break by hand. Null: already resolved. */
export function resolveBreak(known: Break, by: OperatorAction): BreakStep | null {
  if (known.state === 'resolved') return null;
  const { operator, note, at } = by;
  const resolved = { state: 'resolved', resolvedBy: 'operator', resolvedFact: known.fact } as const;
  return step({ ...known, ...resolved, operator, note }, 'resolved', at, by);
}

/**
 * Merges two reports of one debit that nobody ordered. A statement reports the amount and a notification does not: an
 * amount that is known stays known, with its sub-case, detail and evidence. Once a notification has reported the debit,
 * later runs look for it among the notifications, because every run reads those.
 */
function withWhatIsKnown(known: Break, found: FoundBreak): FoundBreak {
  if (known.class !== 'ORPHAN_AT_BANK') return found;
  const { subCase, detail, amount, evidence } =
    found.amount === null && known.amount !== null ? known : found;
  const isNotified = known.book === 'notifications' || found.book === 'notifications';
  return {
    ...found,
    ...{ subCase, detail, amount, evidence },
    originId: found.originId ?? known.originId,
    book: isNotified ? 'notifications' : found.book,
    fact: uniteOrphanFacts(known.fact, found.fact),
  };
}

const NEW_LIFE = { state: 'open', resolvedBy: null, operator: null, note: null, resolvedFact: null } as const;

function step(next: Break, kind: BreakChange['kind'], at: string, by?: OperatorAction): BreakStep {
  return { break: next, change: { kind, at, operator: by?.operator ?? null, note: by?.note ?? null } };
}

const earlier = (a: string, b: string): string => (Date.parse(a) <= Date.parse(b) ? a : b);
const later = (a: string, b: string): string => (Date.parse(a) >= Date.parse(b) ? a : b);

export interface KnownBreak {
  readonly version: number;
  readonly break: Break;
}

export interface WrittenBreak {
  /** The number after that of the last change; 1: the break is new. */
  readonly version: number;
  readonly break: Break;
  readonly change: BreakChange | null;
  /** Null: an operator's command. */
  readonly asOf: string | null;
}
