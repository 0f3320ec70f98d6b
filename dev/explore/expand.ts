import { FAILOVER_EVENTS, endingsOf } from './endings';
import type { ModelEvent } from './events';
import { brokenBetween, brokenBy, brokenIn } from './invariants';
import type { KnownStates } from './known-states';
import { keyOf } from './state-key';
import { BYTES_AN_EVENT, Traces, Replayer } from './traces';
import type { Course, World } from './world';

/** The result of one more event in each of many worlds. */
export interface Expanded {
  /** Traces of the new states that can continue, one event longer. */
  readonly next: Uint8Array;
  /** New states, including those that end. */
  readonly states: number;
  /** Possible events, including those that led to a known state. */
  readonly tried: number;
  /** Null: no rule was broken. */
  readonly violation: Violation | null;
}

export interface Violation {
  readonly rule: string;
  /** The events since the transfer was opened. */
  readonly trace: readonly string[];
}

/** One thread's part of the search. */
export class Expander {
  private readonly replayer: Replayer;

  constructor(
    private readonly alphabet: readonly ModelEvent[],
    private readonly known: KnownStates,
  ) {
    this.replayer = new Replayer(alphabet);
  }

  /**
   * @param traces as `Traces`, each of `events` events
   * @param depth of the complete search
   */
  expand(traces: Uint8Array, events: number, depth: number): Expanded {
    const size = events * BYTES_AN_EVENT;
    const next = new Traces(events + 1);
    const count = { states: 0, tried: 0 };
    const isFailing = events + 1 + FAILOVER_EVENTS <= depth;
    // The very first trace has no event.
    for (let at = 0; at === 0 || at < traces.length; at += Math.max(size, 1)) {
      const trace = traces.subarray(at, at + size);
      const world = this.replayer.worldOf(trace);
      if (world.truth.isLineLost && !isFailing) continue;
      const violation = this.expandOne({ world, trace, isFailing }, next, count);
      if (violation !== null) return { next: next.toBytes(), ...count, violation };
    }
    return { next: next.toBytes(), ...count, violation: null };
  }

  private expandOne(
    {
      world,
      trace,
      isFailing,
    }: { readonly world: World; readonly trace: Uint8Array; readonly isFailing: boolean },
    next: Traces,
    count: { states: number; tried: number },
  ): Violation | null {
    for (const [event, { apply: applied }] of this.alphabet.entries()) {
      const course = applied(world);
      if (course === null) continue;
      count.tried += 1;
      const rule = brokenOn(world, course);
      if (rule !== null) return this.broken(rule, trace, event, 0);
      for (const [index, ending] of endingsOf(world, course, isFailing).entries()) {
        if (!this.known.add(keyOf(ending.world))) continue;
        count.states += 1;
        const odd = brokenIn(ending.world);
        if (odd !== null) return this.broken(odd, trace, event, index);
        if (isToGoOn(ending.world)) next.add(trace, event, index);
      }
    }
    return null;
  }

  private broken(rule: string, before: Uint8Array, event: number, ending: number): Violation {
    return { rule, trace: this.replayer.namesOf(Uint8Array.from([...before, event, ending])) };
  }
}

function brokenOn(before: World, { worlds, stepsTaken }: Course): string | null {
  for (const taken of stepsTaken) {
    const rule = brokenBy(taken);
    if (rule !== null) return rule;
  }
  let last = before;
  for (const world of worlds) {
    const rule = brokenBetween(last, world);
    if (rule !== null) return rule;
    last = world;
  }
  return null;
}

/**
 * A trace ends with the transfer, and with the loss of both journal rows and the run: then people must report the loss
 * (`setup --restored`).
 */
const isToGoOn = ({ journal, truth }: World): boolean => journal.result === null && !truth.isLossUnknown;
