/**
 * The visited states, as 64-bit hashes of their keys in memory that all threads share. The table uses open addressing,
 * and entries are never removed. Among ten million keys, the probability of a collision is one in 300,000.
 */
export class KnownStates {
  private readonly slots: BigInt64Array;
  private readonly mask: number;

  constructor(readonly memory: SharedArrayBuffer) {
    this.slots = new BigInt64Array(memory);
    this.mask = this.slots.length - 1;
  }

  /** @param capacity a power of two, well above the number of states */
  static ofCapacity(capacity: number): KnownStates {
    return new KnownStates(new SharedArrayBuffer(capacity * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** Adds the key for all threads. Returns whether it was new. */
  add(key: string): boolean {
    const [low, high] = hashOf(key);
    const value = (BigInt(high) << 32n) | BigInt(low) || 1n;
    const entry = BigInt.asIntN(64, value);
    for (
      let at = low & this.mask, tries = 0;
      tries < this.slots.length;
      tries += 1, at = (at + 1) & this.mask
    ) {
      const found = Atomics.compareExchange(this.slots, at, 0n, entry);
      if (found === 0n) return true;
      if (found === entry) return false;
    }
    throw new Error(`more than ${this.slots.length} states: the search has no room for them`);
  }
}

/** Two halves of 32 bits, mixed as in cyrb53 and MurmurHash3. */
function hashOf(key: string): readonly [low: number, high: number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a >>> 0, b >>> 0];
}
