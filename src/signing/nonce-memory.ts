const ENTRIES_MAX = 100_000;

/** Nonces seen within a time; beyond `ENTRIES_MAX` the oldest are dropped first. */
export class NonceMemory {
  /** Nonce → when it was seen; a Map keeps the order of arrival. */
  private readonly seenAtMs = new Map<string, number>();

  constructor(private readonly options: { readonly keepMs: number }) {}

  /** False: seen before. */
  add(nonce: string, nowMs: number): boolean {
    for (const [oldest, atMs] of this.seenAtMs) {
      if (nowMs - atMs <= this.options.keepMs && this.seenAtMs.size < ENTRIES_MAX) break;
      this.seenAtMs.delete(oldest);
    }
    if (this.seenAtMs.has(nonce)) return false;
    this.seenAtMs.set(nonce, nowMs);
    return true;
  }
}
