type Release = () => Promise<void> | void;

/** Owns what was opened and releases it in reverse order, once, whoever asks. */
export class Scope {
  readonly #releases: Release[] = [];
  #released: Promise<void> | null = null;

  /** Takes over `resource`; `release` runs with the scope's end. */
  own<T>(resource: T, release: (resource: T) => Promise<void> | void): T {
    if (this.#released !== null) throw new Error('this scope has ended');
    this.#releases.push(() => release(resource));
    return resource;
  }

  /** The resources are released or being released: failures because of that are ignored. */
  get ended(): boolean {
    return this.#released !== null;
  }

  /** Releases everything, also after a failure. A second call waits for the first. */
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
