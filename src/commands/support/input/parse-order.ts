import { parse } from 'lossless-json';
import { canonicalDecimal } from '../../../domain/money';
import { shownFieldName } from '../../../domain/order-validation';
import type { OrderIssue } from '../../../domain/order-validation';

/** An order nests three deep; the parser is recursive, so depth is bounded before it starts. */
const DEPTH_MAX = 32;
/** Further numbers of an order are not reported. */
const ISSUES_MAX = 20;

export type ParsedOrder =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Numbers that a double cannot hold exactly; each keeps its place as NaN. */
      readonly issues: readonly OrderIssue[];
    }
  | NotParsed;

interface NotParsed {
  readonly ok: false;
  /** What is wrong with the text. */
  readonly problem: string;
  /** Where in the text, from 1; null: not known. */
  readonly at: { readonly line: number; readonly column: number } | null;
  /** The text is JSON nevertheless, so a JSON array around it may be read. */
  readonly isJson: boolean;
}

/**
 * Reads one order's JSON. Unlike `JSON.parse`, this function refuses repeated keys (two readers could choose different
 * values), and rounds no number silently.
 */
export function parseOrder(text: string): ParsedOrder {
  const { depth, members } = shape(text);
  if (depth > DEPTH_MAX) return { ok: false, problem: 'nests too deep', at: null, isJson: false };
  let value: unknown;
  try {
    value = parse(text, null, readNumber);
  } catch (error) {
    // The parser's message quotes the text, which may be personal: only its position is used.
    const message = error instanceof Error ? error.message : '';
    const offset = /at position (\d+)\D*$/.exec(message)?.[1];
    const at = offset === undefined ? null : placeOf(text, Number(offset));
    // The parser stops at a repeated key: what follows may be anything.
    if (message.startsWith('Duplicate key')) return { ...TWICE, at, isJson: isJson(text) };
    return { ok: false, problem: 'is not JSON', at, isJson: false };
  }
  // The parser accepts a repeated key if its values are equal. So compare the keys with the members of the text, which
  // `shape` counts by their colons.
  if (members !== countKeys(value)) return TWICE;
  const issues: OrderIssue[] = [];
  return { ok: true, value: withPlainNumbers(value, '', issues), issues };
}

const TWICE: NotParsed = { ok: false, problem: 'has the same field twice', at: null, isJson: true };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

class InexactNumber {
  constructor(readonly nearest: number) {}
}

function readNumber(literal: string): number | InexactNumber {
  const value = Number(literal);
  const exact = canonicalDecimal(literal);
  return exact !== null && canonicalDecimal(String(value)) === exact ? value : new InexactNumber(value);
}

function withPlainNumbers(value: unknown, path: string, issues: OrderIssue[]): unknown {
  if (value instanceof InexactNumber) {
    // The validator has its own message for an integer that is too large.
    if (path === 'originId' && Number.isInteger(value.nearest) && !Number.isSafeInteger(value.nearest)) {
      return value.nearest;
    }
    const rule =
      path === 'originId'
        ? 'must be a JSON integer'
        : 'as a JSON number may have at most 15 significant digits; write it as a string';
    if (issues.length < ISSUES_MAX) issues.push({ path, rule });
    return NaN;
  }
  if (Array.isArray(value)) return value.map((item, i) => withPlainNumbers(item, `${path}[${i}]`, issues));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withPlainNumbers(item, [path, shownFieldName(key)].filter(Boolean).join('.'), issues),
    ]),
  );
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (typeof value !== 'object' || value === null || value instanceof InexactNumber) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + countKeys(item), 0);
}

/** Nesting depth and number of members, by brackets and colons outside of strings. */
function shape(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
    else if (char === ':') members++;
  }
  return { depth: deepest, members };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
