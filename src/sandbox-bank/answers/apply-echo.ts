import type { Echo } from '../rules/echo-schema';

export type Json = Record<string, unknown>;

/** Makes the rule's wrong and missing fields, for this answer (from 1). */
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
    at = isObject(next) ? next : (at[key] = {});
  }
  at[last] = value;
}

function remove(json: Json, path: readonly string[]): void {
  const [last = '', ...parents] = [...path].reverse();
  let at: unknown = json;
  for (const key of parents.reverse()) at = isObject(at) ? at[key] : undefined;
  if (isObject(at)) Reflect.deleteProperty(at, last);
}

/** A list (`thisSubAccount.owners`) is replaced as a whole. */
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
