import { endingsOf } from './endings';
import type { Happening } from './events';
import { newWorld } from './world';
import type { World } from './world';

/**
 * A story is how a world came to be, two bytes an event: which of the alphabet, and how it turned out (`endingsOf`).
 * Worlds are made again from their stories: a frontier of millions fits into memory, and threads hand each other bytes.
 */
export const BYTES_AN_EVENT = 2;

/** Stories of one length, one after the other. */
export class Stories {
  private bytes = new Uint8Array(1_024);
  private used = 0;

  constructor(readonly events: number) {}

  add(before: Uint8Array, event: number, ending: number): void {
    const size = this.events * BYTES_AN_EVENT;
    if (this.used + size > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.set(before, this.used);
    this.bytes[this.used + size - 2] = event;
    this.bytes[this.used + size - 1] = ending;
    this.used += size;
  }

  toBytes(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }
}

/** Makes worlds again from their stories; what a story shares with the one before is not made twice. */
export class Storyteller {
  private readonly start: Told = { world: newWorld(), name: 'the order is received' };
  /** The last story, event by event. */
  private told: (Told & { readonly event: number; readonly ending: number })[] = [];

  constructor(private readonly alphabet: readonly Happening[]) {}

  worldOf(story: Uint8Array): World {
    for (let at = 0; at < story.length / BYTES_AN_EVENT; at += 1) {
      const event = story[at * BYTES_AN_EVENT] ?? 0;
      const ending = story[at * BYTES_AN_EVENT + 1] ?? 0;
      const known = this.told[at];
      if (known?.event === event && known.ending === ending) continue;
      this.told.length = at;
      this.told.push({ event, ending, ...this.after(this.lastTold().world, event, ending) });
    }
    this.told.length = story.length / BYTES_AN_EVENT;
    return this.lastTold().world;
  }

  namesOf(story: Uint8Array): readonly string[] {
    this.worldOf(story);
    return [this.start, ...this.told].map(({ name }) => name);
  }

  private lastTold(): Told {
    return this.told.at(-1) ?? this.start;
  }

  private after(world: World, event: number, index: number): Told {
    const happening = this.alphabet[event];
    const course = happening?.happen(world) ?? null;
    const ending = course === null ? undefined : endingsOf(world, course)[index];
    if (happening === undefined || ending === undefined)
      throw new Error(`a story that cannot be told again: event ${event}, ending ${index}`);
    return { world: ending.world, name: `${happening.name}${ending.suffix}` };
  }
}

interface Told {
  readonly world: World;
  readonly name: string;
}
