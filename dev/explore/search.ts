import { ALPHABET } from './events';
import type { ModelEvent } from './events';
import { Expander } from './expand';
import type { Expanded, Violation } from './expand';
import { KnownStates } from './known-states';
import { keyOf } from './state-key';
import { BYTES_AN_EVENT } from './traces';
import { newWorld } from './world';

export interface Found {
  /** Visited states with different futures. */
  readonly states: number;
  readonly depth: number;
  /** Events tried, including those that led to a known state. */
  readonly tried: number;
  /** Null: no rule was broken. */
  readonly violation: Violation | null;
}

export interface Level {
  readonly depth: number;
  readonly states: number;
  readonly tried: number;
}

/**
 * Searches every state within `depth` events breadth first, and visits equal states once. So the first violation is one
 * of the shortest.
 *
 * @param expandAll adds one event to all traces of this length, and stops when one breaks a rule
 */
export async function searchBy(
  expandAll: (traces: Uint8Array, events: number) => Promise<Expanded>,
  depth: number,
  onLevel: (level: Level) => void = () => {},
): Promise<Found> {
  let frontier: Uint8Array = new Uint8Array(0);
  let states = 1;
  let tried = 0;
  for (let events = 0; events < depth; events += 1) {
    if (events > 0 && frontier.length === 0) break;
    const level = await expandAll(frontier, events);
    states += level.states;
    tried += level.tried;
    if (level.violation !== null) return { states, depth: events + 1, tried, violation: level.violation };
    onLevel({ depth: events + 1, states, tried });
    frontier = level.next;
  }
  return { states, depth, tried, violation: null };
}

export interface SearchOptions {
  readonly depth: number;
  readonly alphabet?: readonly ModelEvent[];
  /** Called after each depth. */
  readonly onLevel?: (level: Level) => void;
}

/** Slots for the states of a single-threaded search: a few million. */
const SLOTS = 2 ** 23;

/** Searches in this thread. */
export async function search({ depth, alphabet = ALPHABET, onLevel }: SearchOptions): Promise<Found> {
  const known = startingFrom(KnownStates.ofCapacity(SLOTS));
  const expander = new Expander(alphabet, known);
  return searchBy(
    (traces, events) => Promise.resolve(expander.expand(traces, events, depth)),
    depth,
    onLevel,
  );
}

/** The opened transfer is the first known state. */
export function startingFrom(known: KnownStates): KnownStates {
  known.add(keyOf(newWorld()));
  return known;
}

/** Parts of a frontier, with a given number of traces each. */
export function* partsOf(traces: Uint8Array, events: number, each: number): Generator<Uint8Array> {
  const size = events * BYTES_AN_EVENT * each;
  if (size === 0) yield traces;
  else for (let at = 0; at < traces.length; at += size) yield traces.slice(at, at + size);
}
