import { types } from 'node:util';
import { redactText } from './redact-text';
import { isSensitiveKey, keepsDigits } from './sensitive-keys';

/** Limits of one log record: content beyond them is counted or named, not written. */
const DEPTH_MAX = 6;
const ENTRIES_MAX = 50;
const NODES_MAX = 1_000;
const CAUSES_MAX = 4;
const STACK_MAX_LENGTH = 8_192;
const KEY_MAX_LENGTH = 128;

const REDACTED = '[redacted]';

export const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value);

/** A copy that is safe to log: plain JSON data, limited in size, without secrets or personal data. Never throws. */
export function sanitizeRecord(record: object): Record<string, unknown> {
  const clean = sanitize(record);
  return typeof clean === 'object' && clean !== null && !Array.isArray(clean)
    ? (clean as Record<string, unknown>)
    : { value: clean };
}

export function sanitize(value: unknown): unknown {
  return new Sanitizer().value('', value, 0);
}

class Sanitizer {
  private nodes = 0;
  private readonly open = new Set<object>();

  value(key: string, value: unknown, depth: number): unknown {
    if (++this.nodes > NODES_MAX) return '[too large]';
    if (isSensitiveKey(key, value)) return REDACTED;
    switch (typeof value) {
      case 'string':
        return redactText(value, { keepDigits: keepsDigits(key, value) });
      case 'number':
      case 'bigint':
        return this.digits(key, value);
      case 'object':
        return value === null ? null : this.object(key, value, depth);
      case 'boolean':
      case 'undefined':
        return value;
      case 'function':
      case 'symbol':
        return undefined;
    }
  }

  /** A number is left alone unless it could be a tax id (KYC answers carry those as integers) or an account. */
  private digits(key: string, value: number | bigint): unknown {
    if (keepsDigits(key, value)) return typeof value === 'bigint' ? value.toString() : value;
    const text = value.toString();
    const redacted = redactText(text);
    if (redacted !== text) return redacted;
    return typeof value === 'bigint' ? text : value;
  }

  private object(key: string, value: object, depth: number): unknown {
    if (this.open.has(value)) return '[circular]';
    if (depth >= DEPTH_MAX) return '[too deep]';
    this.open.add(value);
    try {
      return this.openObject(key, value, depth);
    } catch {
      // A getter or a proxy from foreign code may throw.
      return '[unreadable]';
    } finally {
      this.open.delete(value);
    }
  }

  private openObject(key: string, value: object, depth: number): unknown {
    if (isError(value)) return this.error(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof URL) return redactText(value.href);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return this.list(key, value, depth);
    if (value instanceof Set) return this.list(key, [...value], depth);
    const entries: [string, unknown][] =
      value instanceof Map
        ? [...value].map(([name, item]: [unknown, unknown]) => [String(name), item])
        : Object.keys(value).map((name) => [name, read(value, name)]);
    const clean: Record<string, unknown> = {};
    for (const [name, item] of entries.slice(0, ENTRIES_MAX)) {
      // Not by assignment: a key `__proto__` would set the prototype.
      Object.defineProperty(clean, redactText(name, { maxLength: KEY_MAX_LENGTH }), {
        value: this.value(name, item, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    if (entries.length > ENTRIES_MAX) clean['…'] = `${entries.length - ENTRIES_MAX} more`;
    return clean;
  }

  private list(key: string, items: readonly unknown[], depth: number): unknown[] {
    const clean = items.slice(0, ENTRIES_MAX).map((item) => this.value(key, item, depth + 1) ?? null);
    return items.length > ENTRIES_MAX ? [...clean, `… ${items.length - ENTRIES_MAX} more`] : clean;
  }

  /** Only these fields: HTTP clients attach requests, headers and configuration to their errors. */
  private error(error: Error, depth: number, causes = 0): Record<string, unknown> {
    this.nodes += 1;
    const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
    return {
      type: redactText(textOf(error.name), { maxLength: KEY_MAX_LENGTH }),
      message: redactText(textOf(error.message)),
      ...(typeof code === 'string' || typeof code === 'number'
        ? { code: this.value('code', code, depth) }
        : {}),
      ...(typeof error.stack === 'string'
        ? { stack: redactText(error.stack, { maxLength: STACK_MAX_LENGTH }) }
        : {}),
      ...(isError(cause)
        ? { cause: this.cause(cause, depth, causes) }
        : cause == null
          ? {}
          : { cause: REDACTED }),
      ...(Array.isArray(errors) ? { errors: this.aggregated(errors, depth, causes) } : {}),
    };
  }

  private cause(cause: Error, depth: number, causes: number): unknown {
    if (this.open.has(cause)) return '[circular]';
    if (causes >= CAUSES_MAX || this.nodes > NODES_MAX) return '[more causes]';
    this.open.add(cause);
    try {
      return this.error(cause, depth, causes + 1);
    } catch {
      return '[unreadable]';
    } finally {
      this.open.delete(cause);
    }
  }

  /** An AggregateError, e.g. of a refused connection, has an error for each address. */
  private aggregated(errors: readonly unknown[], depth: number, causes: number): unknown[] {
    return errors
      .slice(0, CAUSES_MAX)
      .map((item) => (isError(item) ? this.cause(item, depth, causes) : REDACTED));
  }
}

/** `name` and `message` can be anything if somebody has assigned to them. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '[not text]');

function read(target: object, key: string): unknown {
  try {
    return (target as Record<string, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}
