/** Random draws for a plan. The same seed and name give the same draws. */
export interface Draws {
  /** True in `share` of the cases, 0 to 1. */
  chance(share: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** One word, drawn by the weights of a table. */
  weighted<Word extends string>(weights: Readonly<Record<Word, number>>): Word;
  pick<T>(values: readonly T[]): T;
}

/** Each name has separate draws, so additional draws under one name do not change those of another. */
export function drawsOf(seed: number, name: string): Draws {
  const next = numbersOf(seed, name);
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    chance: (share) => next() < share,
    between,
    pick: (values) => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    weighted: <Word extends string>(weights: Readonly<Record<Word, number>>): Word => {
      const words = Object.keys(weights) as Word[];
      let left = next() * words.reduce((sum, word) => sum + weights[word], 0);
      for (const word of words) {
        left -= weights[word];
        if (left < 0) return word;
      }
      throw new Error('a table of weights needs one above zero');
    },
  };
}

/** Numbers from 0 (included) to 1 (excluded); the same seed and name give the same numbers. */
export function numbersOf(seed: number, name: string): () => number {
  let state = seed;
  for (let i = 0; i < name.length; i += 1) state = Math.imul(state ^ name.charCodeAt(i), 0x01_00_01_93);
  // mulberry32
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    const first = Math.imul(state ^ (state >>> 15), state | 1);
    const second = (first + Math.imul(first ^ (first >>> 7), first | 61)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
}
