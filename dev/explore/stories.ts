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
  private readonly worlds: World[] = [newWorld()];
  private told = new Uint8Array(0);

  constructor(private readonly alphabet: readonly Happening[]) {}

  worldOf(story: Uint8Array): World {
    let at = 0;
    while (
      at < story.length &&
      at < this.told.length &&
      story[at] === this.told[at] &&
      story[at + 1] === this.told[at + 1]
    )
      at += BYTES_AN_EVENT;
    for (; at < story.length; at += BYTES_AN_EVENT) {
      const length = at / BYTES_AN_EVENT;
      const course = this.alphabet[story[at]!]!.happen(this.worlds[length]!);
      this.worlds[length + 1] = endingsOf(this.worlds[length]!, course!)[story[at + 1]!]!.world;
    }
    this.told = story.slice();
    return this.worlds[story.length / BYTES_AN_EVENT]!;
  }

  namesOf(story: Uint8Array): readonly string[] {
    const names = ['the order is received'];
    let world = newWorld();
    for (let at = 0; at < story.length; at += BYTES_AN_EVENT) {
      const { name, happen } = this.alphabet[story[at]!]!;
      const ending = endingsOf(world, happen(world)!)[story[at + 1]!]!;
      names.push(`${name}${ending.suffix}`);
      world = ending.world;
    }
    return names;
  }
}
