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

/** Statuses that are reported one after the other; the last one stays. */
export const stateList = z.array(z.string().min(1).max(100)).min(1, 'must name at least one status').max(100);
