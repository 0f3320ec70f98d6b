import { z } from 'zod';
import { count } from './field-schemas';

/** Fields of an answer that are wrong or missing; answers are counted from 1, both ends belong to it. */
export interface Echo {
  readonly set: readonly (readonly [path: readonly string[], value: unknown])[];
  readonly omit: readonly (readonly string[])[];
  readonly from: number;
  readonly until: number;
}

const paths = (text: string) => text.split('.');
const dotted = z.string().regex(/^[A-Za-z]+(\.[A-Za-z]+)*$/, 'must be a dotted path, e.g. "details.amount"');
const NEVER_ENDS = Number.MAX_SAFE_INTEGER;

export const echoSchema = z
  .strictObject({
    set: z.record(dotted, z.unknown()).default({}),
    omit: z.array(dotted).default([]),
    from: count(1, NEVER_ENDS).default(1),
    until: count(1, NEVER_ENDS).default(NEVER_ENDS),
  })
  .refine(({ set, omit }) => Object.keys(set).length + omit.length > 0, 'must set or omit at least one field')
  .refine(({ from, until }) => from <= until, 'from is above until')
  .transform(({ set, omit, from, until }): Echo => {
    return {
      set: Object.entries(set).map(([path, value]) => [paths(path), value] as const),
      omit: omit.map(paths),
      from,
      until,
    };
  });
