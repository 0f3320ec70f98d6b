import { z } from 'zod';
import { literalText } from '../json';
import { count } from './field-schemas';

/** Fields of an answer that are wrong or missing. Answers are counted from 1; the range is inclusive. */
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

export type Json = Record<string, unknown>;

/**
 * Makes the rule's wrong and missing fields, for this answer (from 1). Copies each nested object before it changes it:
 * the bank's made-up persons and the values of rules are part of many answers.
 */
export function applyEchoes(json: Json, echoes: readonly Echo[], answerNumber: number): void {
  for (const echo of echoes) {
    if (answerNumber >= echo.from && answerNumber <= echo.until) applyEcho(json, echo);
  }
}

function applyEcho(json: Json, echo: Echo): void {
  for (const [path, value] of echo.set) place(json, path, value);
  for (const path of echo.omit) remove(json, path);
}

function place(json: Json, path: readonly string[], value: unknown): void {
  const [last = '', ...parents] = [...path].reverse();
  let at = json;
  for (const key of parents.reverse()) {
    const next = at[key];
    at = at[key] = isObject(next) ? { ...next } : {};
  }
  at[last] = value;
}

function remove(json: Json, path: readonly string[]): void {
  const [last = '', ...parents] = [...path].reverse();
  let at = json;
  for (const key of parents.reverse()) {
    const next = at[key];
    if (!isObject(next)) return;
    at = at[key] = { ...next };
  }
  Reflect.deleteProperty(at, last);
}

/** A list (`thisSubAccount.owners`) is replaced entirely. */
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && literalText(value) === null;
