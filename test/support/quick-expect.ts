import { isDeepStrictEqual } from 'node:util';

/**
 * A faster `expect` for loops of a hundred thousand checks. Each call of jest's `expect` makes an Error with its stack,
 * which takes longer than the check. This `expect` returns at once when a check plainly holds, and otherwise calls
 * jest's.
 */
const quickExpect = <T>(value: T): Quick<T> => new Quick(value);
export { quickExpect as expect };

class Quick<T> {
  constructor(private readonly value: T) {}

  get not(): QuickNot<T> {
    return new QuickNot(this.value);
  }

  toBe(expected: unknown): void {
    if (!Object.is(this.value, expected)) expect(this.value).toBe(expected);
  }

  toBeNull(): void {
    if (this.value !== null) expect(this.value).toBeNull();
  }

  toBeUndefined(): void {
    if (this.value !== undefined) expect(this.value).toBeUndefined();
  }

  toBeDefined(): void {
    if (this.value === undefined) expect(this.value).toBeDefined();
  }

  /** Deep strict equality is stricter than jest's `toEqual`. */
  toEqual(expected: unknown): void {
    if (!isSame(this.value, expected)) expect(this.value).toEqual(expected);
  }

  toMatchObject(expected: Readonly<Record<string, unknown>>): void {
    const { value } = this;
    const isMatch =
      typeof value === 'object' &&
      value !== null &&
      Object.entries(expected).every(
        ([key, member]) => key in value && isSame((value as Record<string, unknown>)[key], member),
      );
    if (!isMatch) expect(value).toMatchObject(expected);
  }

  toContain(member: unknown): void {
    if (!(Array.isArray(this.value) && this.value.includes(member))) expect(this.value).toContain(member);
  }

  toHaveLength(length: number): void {
    if (!(Array.isArray(this.value) && this.value.length === length)) expect(this.value).toHaveLength(length);
  }

  toBeLessThan(bound: number): void {
    if (!(isNumber(this.value) && this.value < bound)) expect(this.value).toBeLessThan(bound);
  }

  toBeLessThanOrEqual(bound: number): void {
    if (!(isNumber(this.value) && this.value <= bound)) expect(this.value).toBeLessThanOrEqual(bound);
  }

  toBeGreaterThan(bound: number): void {
    if (!(isNumber(this.value) && this.value > bound)) expect(this.value).toBeGreaterThan(bound);
  }

  toBeGreaterThanOrEqual(bound: number): void {
    if (!(isNumber(this.value) && this.value >= bound)) expect(this.value).toBeGreaterThanOrEqual(bound);
  }
}

class QuickNot<T> {
  constructor(private readonly value: T) {}

  toBeNull(): void {
    if (this.value === null || this.value === undefined) expect(this.value).not.toBeNull();
  }

  toEqual(expected: unknown): void {
    const { value } = this;
    const isOtherLength = Array.isArray(value) && Array.isArray(expected) && value.length !== expected.length;
    if (!isOtherLength) expect(value).not.toEqual(expected);
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

const isSame = (value: unknown, expected: unknown): boolean =>
  Object.is(value, expected) || areEmpty(value, expected) || isDeepStrictEqual(value, expected);

const areEmpty = (value: unknown, expected: unknown): boolean =>
  Array.isArray(value) && Array.isArray(expected) && value.length === 0 && expected.length === 0;
