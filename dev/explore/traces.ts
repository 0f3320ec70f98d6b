import { endingsOf } from './endings';
import type { ModelEvent } from './events';
import { newWorld } from './world';
import type { World } from './world';

/**
 * A trace is the sequence of events that leads to a world. Each event takes two bytes: its place in the alphabet, and
 * its outcome (`endingsOf`). Worlds are recomputed from their traces, so a frontier of millions fits into memory, and
 * threads exchange bytes only.
 */
export const BYTES_AN_EVENT = 2;

/** Traces of one length, one after the other. */
export class Traces {
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

/** Computes worlds from their traces. The part that a trace shares with the previous trace is not computed again. */
export class Replayer {
  private readonly start: Replayed = { world: newWorld(), name: 'the order is received' };
  /** The last trace, event by event. */
  private replayed: (Replayed & { readonly event: number; readonly ending: number })[] = [];

  constructor(private readonly alphabet: readonly ModelEvent[]) {}

  worldOf(trace: Uint8Array): World {
    for (let at = 0; at < trace.length / BYTES_AN_EVENT; at += 1) {
      const event = trace[at * BYTES_AN_EVENT] ?? 0;
      const ending = trace[at * BYTES_AN_EVENT + 1] ?? 0;
      const known = this.replayed[at];
      if (known?.event === event && known.ending === ending) continue;
      this.replayed.length = at;
      this.replayed.push({ event, ending, ...this.after(this.lastReplayed().world, event, ending) });
    }
    this.replayed.length = trace.length / BYTES_AN_EVENT;
    return this.lastReplayed().world;
  }

  namesOf(trace: Uint8Array): readonly string[] {
    this.worldOf(trace);
    return [this.start, ...this.replayed].map(({ name }) => name);
  }

  private lastReplayed(): Replayed {
    return this.replayed.at(-1) ?? this.start;
  }

  private after(world: World, event: number, index: number): Replayed {
    const modelEvent = this.alphabet[event];
    const course = modelEvent?.apply(world) ?? null;
    const ending = course === null ? undefined : endingsOf(world, course)[index];
    if (modelEvent === undefined || ending === undefined)
      throw new Error(`a trace that cannot be replayed: event ${event}, ending ${index}`);
    return { world: ending.world, name: `${modelEvent.name}${ending.suffix}` };
  }
}

interface Replayed {
  readonly world: World;
  readonly name: string;
}
