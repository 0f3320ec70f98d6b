import { InputError } from '../../../program/exit-codes';

/** The JSON text of one order and where it stands. */
export interface OrderText {
  /** 1, 2, 3… in the order of the input. */
  readonly position: number;
  /** Line of the input on which the order begins, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface OrderTexts {
  /**
   * `lines`: one document for each line, so a broken document does not affect the others. `whole`: one object or one
   * array; if a part is not JSON, the entire input is doubtful.
   */
  readonly form: 'lines' | 'whole';
  readonly orders: readonly OrderText[];
}

/** Finds the orders of an input: one object, an array, or NDJSON (blank lines do not count). */
export function splitOrders(text: string): OrderTexts {
  const start = text.search(/\S/);
  if (text[start] === '[') return { form: 'whole', orders: splitArray(text, start) };

  const lines = text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line }))
    .filter((line) => line.text.trim() !== '');
  const [first] = lines;
  if (first !== undefined && lines.length > 1 && endOfValue(first.text, first.text.search(/\S/)) !== null) {
    return { form: 'lines', orders: lines.map((line, index) => ({ ...line, position: index + 1 })) };
  }
  return { form: 'whole', orders: [{ position: 1, line: lineOf(text, start), text: text.slice(start) }] };
}

/** The elements of the array that begins at `start`, and nothing after it. */
function splitArray(text: string, start: number): OrderText[] {
  const orders: OrderText[] = [];
  let line = lineOf(text, start);
  let lineFrom = start;
  const lineAt = (index: number): number => {
    line += countLines(text, lineFrom, index);
    lineFrom = index;
    return line;
  };
  let at = skipSpace(text, start + 1);
  if (text[at] === ']') throw new InputError('the array has no orders');
  for (;;) {
    const end = endOfValue(text, at);
    if (end === null)
      throw new InputError(`the input is not JSON: line ${lineAt(at)} begins a value that never ends`);
    if (end === at) throw new InputError(`the input is not JSON: line ${lineAt(at)} lacks an order`);
    orders.push({ position: orders.length + 1, line: lineAt(at), text: text.slice(at, end) });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] === ']') break;
    else
      throw new InputError(`the input is not JSON: line ${lineAt(at)} lacks a comma or the end of the array`);
  }
  const after = skipSpace(text, at + 1);
  if (after < text.length)
    throw new InputError(`the input goes on after the array, on line ${lineAt(after)}`);
  return orders;
}

/**
 * Where the value that begins at `start` ends: at the matching bracket, or otherwise at the next comma, bracket or
 * line. Null: the value does not end. The parser checks whether the text in between is JSON.
 */
function endOfValue(text: string, start: number): number | null {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      const end = endOfString(text, i);
      if (end === null) return null;
      i = end;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) return i;
      if (--depth === 0) return i + 1;
    } else if (depth === 0 && (char === ',' || char === '\n')) return i;
  }
  return depth === 0 ? text.length : null;
}

function endOfString(text: string, start: number): number | null {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return null;
}

function skipSpace(text: string, from: number): number {
  let i = from;
  while (i < text.length && /[ \t\r\n]/.test(text.charAt(i))) i++;
  return i;
}

const lineOf = (text: string, index: number): number => 1 + countLines(text, 0, index);

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = text.indexOf('\n', from); i !== -1 && i < to; i = text.indexOf('\n', i + 1)) count++;
  return count;
}
