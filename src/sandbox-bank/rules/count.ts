import { z } from 'zod';
import { literalText } from '../json';

/** A whole number within bounds, written in JSON or in code. */
export const count = (min: number, max: number) => {
  const bounds = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (input) => {
      const text = literalText(input);
      return text === null ? input : Number(text);
    },
    z.number(bounds).int(bounds).min(min, bounds).max(max, bounds),
  );
};
