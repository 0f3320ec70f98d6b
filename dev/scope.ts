type Release = () => Promise<void> | void;

/** Owns resources, and releases them once, in reverse order. */
export class Scope {
  readonly #releases: Release[] = [];
  #released: Promise<void> | null = null;

  /** Takes over `resource`; `release` runs when the scope ends. */
  own<T>(resource: T, release: (resource: T) => Promise<void> | void): T {
    if (this.#released !== null) throw new Error('this scope has ended');
    this.#releases.push(() => release(resource));
    return resource;
  }

  /** The resources are released, or being released. Ignore failures that this causes. */
  get ended(): boolean {
    return this.#released !== null;
  }

  /** Releases all resources, even if some releases fail. A second call waits for the first. */
  release(): Promise<void> {
    this.#released ??= this.#releaseAll();
    return this.#released;
  }

  async #releaseAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be released');
  }
}
