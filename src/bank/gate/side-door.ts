import { WAIT_MAX_MS } from './pacer';
import type { Pacer } from './pacer';

/** Leaves most of a worker's activities (`worker-limits.ts`) to movements, also when this service hangs. */
export const INSIDE_MAX = 16;

/** A request either goes, and tells when it is done, or comes back after `afterMs`. */
export type SideEntry =
  | { readonly kind: 'go'; readonly waitedMs: number; readonly done: () => void }
  | { readonly kind: 'later'; readonly afterMs: number };

/** Weight of the last request in the mean of how long one is inside. */
const NEWEST_PART = 0.2;

/**
 * The way of a service beside the movements': at most `INSIDE_MAX` of its requests wait for their turn or are under
 * way; the others get moments to come back at, in order, as fast as those inside come out.
 */
export class SideDoor {
  private inside = 0;
  private tailMs = 0;
  private meanMs = 0;

  /** `pacer`: null without a limit of the rate. */
  constructor(private readonly pacer: Pacer | null) {}

  async enter({ returning }: { readonly returning: boolean }): Promise<SideEntry> {
    const enteredAtMs = performance.now();
    const isBehind = !returning && this.tailMs > enteredAtMs + WAIT_MAX_MS;
    if (isBehind || this.inside >= INSIDE_MAX) return this.later(enteredAtMs);
    this.inside += 1;
    const turn = await (this.pacer?.turn('beside', { returning }) ?? { kind: 'now' as const, waitedMs: 0 });
    if (turn.kind === 'later') {
      this.inside -= 1;
      return turn;
    }
    return { kind: 'go', waitedMs: turn.waitedMs, done: once(() => this.leave(enteredAtMs)) };
  }

  private leave(enteredAtMs: number): void {
    this.inside -= 1;
    this.meanMs += NEWEST_PART * (performance.now() - enteredAtMs - this.meanMs);
  }

  private later(nowMs: number): SideEntry {
    this.tailMs = Math.max(nowMs + WAIT_MAX_MS, this.tailMs + Math.max(1, this.meanMs / INSIDE_MAX));
    return { kind: 'later', afterMs: Math.ceil(this.tailMs - nowMs) };
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
