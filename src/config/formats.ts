import { isDay } from '../domain/calendar';
import { formatDuration, parseDuration } from './duration';
import type { DurationProblem } from './duration';

/** The value of a variable's text, or why the text has none. The reason never contains a secret. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export type Parser<T> = (text: string) => Parsed<T>;

/** How a text is parsed, and what an error lists as allowed. Both have the same bounds. */
export interface Format<T> {
  readonly parse: Parser<T>;
  /** Printed after `allowed:`. */
  readonly allowed: string;
}

/** A format with a remark after what is allowed: `, with BANK_TOKEN_URL`. */
export const noted = <T>(format: Format<T>, remark: string): Format<T> => ({
  ...format,
  allowed: format.allowed + remark,
});

export const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const refuse = (reason: string): Parsed<never> => ({ ok: false, reason });

/** For values that are checked together with other variables. */
export const anyText: Parser<string> = accept;

export const LIST_MAX_ENTRIES = 1000;

const DURATION_REASONS: Record<DurationProblem, string> = {
  'no-unit': 'has no unit',
  'not-a-duration': 'is not a duration',
  'too-long': 'is longer than 366d',
};

/** Milliseconds within the bounds, both inclusive. */
export function duration(bounds: { readonly minMs?: number; readonly maxMs?: number } = {}): Format<number> {
  const { minMs = 1, maxMs = Infinity } = bounds;
  const limits = [
    ...(minMs > 1 ? [`of at least ${formatDuration(minMs)}`] : []),
    ...(maxMs < Infinity ? [`of at most ${formatDuration(maxMs)}`] : []),
  ];
  return {
    parse: (text) => {
      const parsed = parseDuration(text);
      if (!parsed.ok) return refuse(DURATION_REASONS[parsed.problem]);
      if (parsed.ms < minMs) return refuse(`is shorter than ${formatDuration(minMs)}`);
      if (parsed.ms > maxMs) return refuse(`is longer than ${formatDuration(maxMs)}`);
      return accept(parsed.ms);
    },
    allowed: ['a duration', ...limits].join(' '),
  };
}

export function wholeNumber(min: number, max: number): Format<number> {
  return {
    parse: (text) => {
      if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return refuse('is not a whole number');
      const value = Number(text);
      return value >= min && value <= max ? accept(value) : refuse(`is not between ${min} and ${max}`);
    },
    allowed: `a whole number from ${min} to ${max}`,
  };
}

/** One of a closed set of words, compared exactly. */
export function oneOf<const T extends string>(words: readonly T[]): Format<T> {
  return {
    parse: (text) => {
      const word = words.find((candidate) => candidate === text);
      return word === undefined ? refuse('is not one of the allowed values') : accept(word);
    },
    allowed: [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or '),
  };
}

/** Comma-separated entries, trimmed, repeats dropped. A bad entry is named by its place, not by its value. */
export function listOf<T>(entry: Parser<T>): Parser<readonly T[]> {
  return (text) => {
    const parts = text.split(',').map((part) => part.trim());
    if (parts.length > LIST_MAX_ENTRIES) return refuse(`has more than ${LIST_MAX_ENTRIES} entries`);
    const values = new Set<T>();
    const reasons: string[] = [];
    parts.forEach((part, i) => {
      const parsed = part === '' ? refuse('is empty') : entry(part);
      if (parsed.ok) values.add(parsed.value);
      else reasons.push(`entry ${i + 1} ${parsed.reason}`);
    });
    return reasons.length === 0 ? accept([...values]) : refuse(reasons.join(', '));
  };
}

/** Printable text within a length. */
export function printable(maxLength: number): Format<string> {
  return {
    parse: (text) => {
      if (text.length > maxLength) return refuse(`is longer than ${maxLength} characters`);
      if (/\p{Cc}/u.test(text)) return refuse('contains control characters or line breaks');
      if (text.trim() !== text) return refuse('begins or ends with a space');
      return accept(text);
    },
    allowed: `printable text of at most ${maxLength} characters`,
  };
}

/** JSON pointer (RFC 6901) into an answer. The empty pointer is refused: an entire answer is not a code. */
export const jsonPointer: Format<string> = {
  parse: (text) => (/^(?:\/(?:[^/~]|~[01])*)+$/u.test(text) ? accept(text) : refuse('is not a JSON pointer')),
  allowed: 'a JSON pointer',
};

/** A time to the second or finer, in UTC: `2026-01-05T10:00:00Z`. */
export const instant: Format<Date> = {
  parse: (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) &&
    isDay(text) &&
    !Number.isNaN(Date.parse(text))
      ? accept(new Date(text))
      : refuse('is not a time in UTC'),
  allowed: 'a time in UTC such as 2026-01-05T10:00:00Z',
};

/** `host:port`, `[::1]:port`. */
export const hostAndPort: Format<{ readonly host: string; readonly port: number }> = {
  parse: (text) => {
    const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})$/.exec(text);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    if (host === undefined) return refuse('is not host:port');
    return port <= 65_535 ? accept({ host, port }) : refuse('has a port over 65535');
  },
  allowed: 'host:port (port 0: any free port)',
};
