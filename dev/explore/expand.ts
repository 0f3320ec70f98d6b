import { FAILOVER_EVENTS, endingsOf } from './endings';
import type { Happening } from './events';
import { brokenBetween, brokenBy, brokenIn } from './invariants';
import type { KnownStates } from './known-states';
import { keyOf } from './state-key';
import { BYTES_AN_EVENT, Stories, Storyteller } from './stories';
import type { Course, World } from './world';

/** What one event more makes of so many worlds. */
export interface Expanded {
  /** Stories of the new states that go on, one event longer. */
  readonly next: Uint8Array;
  /** New states, those that end among them. */
  readonly states: number;
  /** Events that could happen, those that led to a known state among them. */
  readonly tried: number;
  /** Null: no rule was broken. */
  readonly violation: Violation | null;
}

export interface Violation {
  readonly rule: string;
  /** What happened, from the opening of the transfer on. */
  readonly story: readonly string[];
}

/** One thread's part of the search. */
export class Expander {
  private readonly teller: Storyteller;

  constructor(
    private readonly alphabet: readonly Happening[],
    private readonly known: KnownStates,
  ) {
    this.teller = new Storyteller(alphabet);
  }

  /**
   * @param stories as `Stories`, each of `events` events
   * @param depth of the whole search
   */
  expand(stories: Uint8Array, events: number, depth: number): Expanded {
    const size = events * BYTES_AN_EVENT;
    const next = new Stories(events + 1);
    const count = { states: 0, tried: 0 };
    const isFailing = events + 1 + FAILOVER_EVENTS <= depth;
    // The first story of all has no event.
    for (let at = 0; at === 0 || at < stories.length; at += Math.max(size, 1)) {
      const story = stories.subarray(at, at + size);
      const world = this.teller.worldOf(story);
      if (world.truth.isLineLost && !isFailing) continue;
      const violation = this.expandOne({ world, story, isFailing }, next, count);
      if (violation !== null) return { next: next.toBytes(), ...count, violation };
    }
    return { next: next.toBytes(), ...count, violation: null };
  }

  private expandOne(
    {
      world,
      story,
      isFailing,
    }: { readonly world: World; readonly story: Uint8Array; readonly isFailing: boolean },
    next: Stories,
    count: { states: number; tried: number },
  ): Violation | null {
    for (const [event, { happen }] of this.alphabet.entries()) {
      const course = happen(world);
      if (course === null) continue;
      count.tried += 1;
      const rule = brokenOn(world, course);
      if (rule !== null) return this.broken(rule, story, event, 0);
      for (const [index, ending] of endingsOf(world, course, isFailing).entries()) {
        if (!this.known.add(keyOf(ending.world))) continue;
        count.states += 1;
        const odd = brokenIn(ending.world);
        if (odd !== null) return this.broken(odd, story, event, index);
        if (isToGoOn(ending.world)) next.add(story, event, index);
      }
    }
    return null;
  }

  private broken(rule: string, before: Uint8Array, event: number, ending: number): Violation {
    return { rule, story: this.teller.namesOf(Uint8Array.from([...before, event, ending])) };
  }
}

function brokenOn(before: World, { worlds, deeds }: Course): string | null {
  for (const deed of deeds) {
    const rule = brokenBy(deed);
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

/** Nothing follows the end; people report what both a failover and a lost run took (`setup --restored`). */
const isToGoOn = ({ journal, truth }: World): boolean => journal.result === null && !truth.isUntold;
